"""Pack the Blender extension with the wheels that it needs: ``make blender`` writes ``dist/kinetune-blender-*.zip``.

The wheels are those of Kinetune's slim core (no studio, no figures, no batch) for Blender's Python, at the versions of
``constraints.txt``. Tests, headers and debugging symbols are left out of them, and their records say so. NumPy is not
among them: Blender brings it. The manifest in the zip lists exactly the wheels that are in it.

    python tools/blender_zip.py [--wheels DIR] [--platform manylinux_2_28_x86_64] [--output dist]

With ``--wheels`` nothing is downloaded: the folder holds the wheels.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))
PACKAGES = (
    "scipy",
    "numba",
    "llvmlite",
    "pydantic",
    "pydantic_core",
    "typing_extensions",
    "typing-inspection",
    "annotated-types",
    "PyYAML",
    "mujoco-core",
)
PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_11_0_arm64", "macosx_12_0_arm64", "macosx_14_0_arm64"),
}
_PYTHON = "3.13"
_LOAD = 1
LARGEST = 300_000_000
_LEFT_OUT = re.compile(
    r"/tests?/|_tests?\.py$|\.(pyi|pxd|h|hpp|a|d\.ts)$|/__pycache__/"
    r"|^scipy/(io|odr|cluster|datasets|misc|fftpack|differentiate)/"
    r"|^mujoco/(doc|include|introspect|plugin|mjx|egl|cgl|glfw|osmesa)/"
    r"|^kinetune/(studio|reproduce|batch|torch|library|figures|blender/extension)/"
)


def main() -> None:
    """Gather the wheels, make them slim, and pack them with the extension."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=Path, help="a folder of wheels; nothing is downloaded then")
    parser.add_argument("--platform", choices=PLATFORMS, default="linux-x64")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    from kinetune import __version__
    from kinetune.blender.extension_files import pack

    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        gathered = options.wheels or download(work / "gathered", options.platform)
        wheels = [slim(each, work / "slim") for each in [*choose(gathered), build(work / "built")]]
        size = sum(entry.file_size for wheel in wheels for entry in zipfile.ZipFile(wheel).infolist())
        target = pack(options.output / f"kinetune-blender-{__version__}-{options.platform}.zip", wheels, work / "files")
    for wheel in sorted(wheels):
        print(f"  {wheel.name}")
    print(f"{target}: {target.stat().st_size / 1e6:.0f} MB, {size / 1e6:.0f} MB unpacked")
    if size > LARGEST:
        sys.exit(f"The wheels take more than {LARGEST / 1e6:.0f} MB when unpacked.")


def download(folder: Path, platform: str) -> Path:
    """The wheels of the packages for Blender's Python."""
    tags = [part for tag in PLATFORMS[platform] for part in ("--platform", tag)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--no-deps"]
    command += ["--python-version", _PYTHON, *tags, "--dest", str(folder)]
    subprocess.run([*command, "--constraint", str(ROOT / "constraints.txt"), *PACKAGES], check=True)
    return folder


def choose(folder: Path) -> list[Path]:
    """The wheel of each package."""
    chosen = []
    for package in PACKAGES:
        stem = re.sub(r"[-_.]+", "_", package).lower()
        fitting = [each for each in sorted(folder.glob("*.whl")) if each.name.lower().startswith(f"{stem}-")]
        if not fitting:
            sys.exit(f"{folder} has no wheel of {package}.")
        chosen.append(fitting[-1])
    return chosen


def build(folder: Path) -> Path:
    """The wheel of Kinetune itself."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def slim(wheel: Path, folder: Path) -> Path:
    """A wheel without what a run does not need; its record lists what is left."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / wheel.name
    records = []
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        (record,) = (name for name in source.namelist() if name.endswith(".dist-info/RECORD"))
        for entry in source.infolist():
            if entry.filename == record or entry.is_dir() or _LEFT_OUT.search(entry.filename):
                continue
            data = source.read(entry)
            if re.search(r"\.so(\.[\d.]+)?$", entry.filename):
                data = stripped(data)
            made.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{entry.filename},sha256={digest},{len(data)}\n")
        made.writestr(record, "".join([*records, f"{record},,\n"]))
    return target


def stripped(library: bytes) -> bytes:
    """A shared library without debugging symbols, where the tool for that is there."""
    tool = shutil.which("strip")
    if tool is None or not library.startswith(b"\x7fELF"):
        return library
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(library)
        file.flush()
        done = subprocess.run([tool, "--strip-unneeded", file.name], check=False, capture_output=True)
        smaller = Path(file.name).read_bytes()
    return smaller if done.returncode == 0 and can_be_loaded(smaller) else library


def can_be_loaded(library: bytes) -> bool:
    """Whether the segments of a 64-bit ELF library lie where the loader wants them.

    Wheels hold libraries whose segments were moved; the tool leaves some of these where no loader takes them.
    """
    table, (size, count) = struct.unpack_from("<Q", library, 32)[0], struct.unpack_from("<HH", library, 54)
    for start in range(table, table + size * count, size):
        kind, _, offset, address, _, _, _, alignment = struct.unpack_from("<IIQQQQQQ", library, start)
        if kind == _LOAD and alignment > 1 and (offset - address) % alignment:
            return False
    return True


if __name__ == "__main__":
    main()
