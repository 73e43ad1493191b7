"""Write the data of the samples, or with ``--check`` compare it with what the authoring code makes now."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools.samples.catalogue import clip_makers, step_makers
from tools.samples.drawings import DRAWINGS

from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.contours.drawing import Drawing
from kinetune.samples._archive import DATA

Arrays = dict[str, NDArray[Any]]
TOLERANCE = 1e-9
"""How far data and authoring code may differ: sine and cosine of other platforms differ in the last bits."""

_STYLE = ("name", "fill", "stroke", "stroke_width", "fill_opacity", "stroke_opacity", "stroke_cap", "stroke_join")


def build() -> tuple[dict[str, Any], Arrays, Arrays]:
    """The catalogue, the arrays of the clips, and those of the drawings."""
    skeletons: dict[str, Any] = {}
    arrays: Arrays = {}
    clips = {}
    for name, (description, make) in clip_makers().items():
        clips[name] = {"description": description, **_pack_clip(name, make(), skeletons, arrays)}
    steps = {name: _pack_clip(f"joined.{name}", make(), skeletons, arrays) for name, make in step_makers().items()}
    outlines: Arrays = {}
    drawings = {name: _pack_drawing(name, make(), outlines) for name, make in DRAWINGS.items()}
    return {"clips": clips, "steps": steps, "skeletons": skeletons, "drawings": drawings}, arrays, outlines


def _pack_clip(name: str, clip: Clip, skeletons: dict[str, Any], arrays: Arrays) -> dict[str, Any]:
    contacts = clip.contacts
    assert contacts is not None
    assert clip.translations is None
    values = np.concatenate([clip.root, clip.rotations.reshape(len(clip), -1), contacts.confidence], axis=1)
    arrays[name] = np.ascontiguousarray(values.T).astype("<f8").view(np.uint8).reshape(-1, 8).T.copy()
    bits = contacts.flags * 1 + contacts.heels * 2 + contacts.toes * 4
    arrays[f"{name}.contacts"] = bits.astype(np.uint8)
    return {
        "skeleton": _skeleton_key(clip.skeleton, skeletons),
        "fps": clip.fps,
        "frames": len(clip),
        "contacts": list(contacts.joints),
        "markers": [[marker.frame, marker.name] for marker in clip.markers],
    }


def _skeleton_key(skeleton: Skeleton, skeletons: dict[str, Any]) -> str:
    about = {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "rest": skeleton.rest.tolist(),
        "end_sites": [[site.parent, list(site.offset), site.name] for site in skeleton.end_sites],
    }
    for key, known in skeletons.items():
        if known == about:
            return key
    key = f"{len(skeleton)} joints" + ("" if f"{len(skeleton)} joints" not in skeletons else ", child")
    skeletons[key] = about
    return key


def _pack_drawing(name: str, drawing: Drawing, outlines: Arrays) -> dict[str, Any]:
    layers = []
    for number, layer in enumerate(drawing.layers):
        for k, contour in enumerate(layer.contours):
            outlines[f"{name}.{number}.{k}"] = contour.points
        style = {key: getattr(layer, key) for key in _STYLE}
        layers.append({**style, "closed": [contour.closed for contour in layer.contours]})
    return {"view_box": list(drawing.view_box), "layers": layers}


def _numbers(planes: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(planes.T).view("<f8").ravel() if planes.dtype == np.uint8 else planes.ravel()


def differences() -> list[str]:
    """Where the committed data and the authoring code differ by more than :data:`TOLERANCE`."""
    catalogue, *made = build()
    problems = []
    committed = json.loads((DATA / "catalogue.json").read_text(encoding="utf-8"))
    rounded = (json.dumps(json.loads(json.dumps(x), parse_float=lambda text: round(float(text), 9)), sort_keys=True)
               for x in (catalogue, committed))  # fmt: skip
    if len(set(rounded)) != 1:
        problems.append("catalogue.json")
    for file, arrays in zip(("clips.npz", "drawings.npz"), made, strict=True):
        with np.load(DATA / file, allow_pickle=False) as stored:
            problems += [f"{file}: {name}" for name in set(stored.files) ^ set(arrays)]
            for name in set(stored.files) & set(arrays):
                if name.endswith(".contacts"):
                    same = np.array_equal(stored[name], arrays[name])
                else:
                    a, b = _numbers(stored[name]), _numbers(arrays[name])
                    same = a.shape == b.shape and np.allclose(a, b, rtol=0, atol=TOLERANCE)
                if not same:
                    problems.append(f"{file}: {name}")
    return sorted(problems)


def main() -> int:
    if "--check" in sys.argv[1:]:
        problems = differences()
        print("\n".join(problems) or "The data are what the authoring code makes.")
        return bool(problems)
    catalogue, clips, drawings = build()
    DATA.mkdir(exist_ok=True)
    (DATA / "catalogue.json").write_text(json.dumps(catalogue, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    np.savez_compressed(DATA / "clips.npz", **clips)  # type: ignore[arg-type]
    np.savez_compressed(DATA / "drawings.npz", **drawings)  # type: ignore[arg-type]
    sizes = ", ".join(f"{file.name} {file.stat().st_size / 1e6:.1f} MB" for file in sorted(DATA.iterdir()))
    print(f"{len(catalogue['clips'])} clips, {len(catalogue['drawings'])} drawings: {sizes}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
