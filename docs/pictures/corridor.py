"""The corridor as a picture: which room may import which, top to bottom. Read from the import contract itself."""

import tomllib
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT, GAP = 860, 34, 10
WHAT = {
    "cli": "the command line",
    "studio": "the editor in the browser",
    "batch": "whole libraries",
    "reproduce": "the papers' experiments",
    "doctor": "what is wrong with files",
    "diagnosis": "what is wrong with a motion, and what mends it",
    "runs": "files around recipes",
    "recipes": "steps as a value: undo, sharing, batch",
    "reach": "aiming, as a module",
    "walking": "walks, as a module",
    "operations": "one edit each",
    "figures": "pictures and films",
    "samples": "clips, drawings",
    "torch": "tensors and GPUs",
    "notebooks": "clips that play in a page",
    "library": "an index of motion folders",
    "blender": "answers the extension",
    "inverse": "aiming and walking",
    "contours": "drawings and morphs",
    "physics": "bodies with mass",
    "formats": "files in and out",
    "retarget": "any motion on any body",
    "body": "clip, skeleton, feet, timeline, quality",
    "trajectory": "one solver over time",
    "signals": "bands, splines, warping, shaping",
    "rotations": "quaternions",
    "kernels": "compiled code",
    "input_files": "how files are opened",
    "progress": "progress and cancellation",
    "findings": "what was found, with a remedy",
    "extras": "optional packages",
    "lazy_names": "names imported on demand",
    "errors": "every exception",
}


def rooms() -> list[list[str]]:
    """The layers of the import contract, top first."""
    text = (HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    (contract,) = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    return [[room.strip() for room in layer.split(":")] for layer in contract["layers"]]


def draw() -> str:
    layers = rooms()
    high = len(layers) * (HEIGHT + GAP) + 70
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}"',
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{high}" fill="#fbfaf7"/>',
        '<text x="20" y="28" font-size="15" font-weight="bold">files → Clip → Operation → Clip → files | views</text>',
        f'<text x="20" y="{high - 14}" fill="#666">A room imports only rooms below it. '
        "import-linter holds this in make check.</text>",
    ]
    for number, layer in enumerate(layers):
        y = 44 + number * (HEIGHT + GAP)
        wide = (WIDTH - 40 - GAP * (len(layer) - 1)) / len(layer)
        for k, room in enumerate(layer):
            x = 20 + k * (wide + GAP)
            lines.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{HEIGHT}" rx="6" fill="#fff" stroke="#c9c4ba"/>'
            )
            note = WHAT[room] if len(layer) < 4 else ""
            lines.append(
                f'<text x="{x + 12:.1f}" y="{y + 22}"><tspan font-weight="bold">{room}</tspan>'
                + (f'<tspan dx="8" fill="#666">{note}</tspan>' if note else "")
                + "</text>"
            )
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "corridor.svg").write_text(draw(), encoding="utf-8")
