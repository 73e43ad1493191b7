"""The joints of the SMPL family of body models, and a generic character to put their motion on.

AMASS files hold rotations only: the bones come from a body model that its owner may not pass on. Without one we use
this character, with proportions of our own (fractions of height after Drillis and Contini 1966, joint centres moved
inwards), standing in a T-pose, looking along +Z with its left to +X, as the SMPL rest pose does.

=============  ======  =========================================================
model          joints  beyond the 22 of the body
=============  ======  =========================================================
body           22
SMPL           24      left_hand, right_hand
SMPL+H         52      15 finger joints on each hand
SMPL-X         55      jaw, two eyes, then the fingers
=============  ======  =========================================================
"""

from __future__ import annotations

import numpy as np

from kinetune.body.skeleton import EndSite, Skeleton

HEIGHT = 1.75

_BODY: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    # name, parent, position in the T-pose as fractions of height, from the floor below the pelvis
    ("pelvis", "", (0.0, 0.575, 0.0)),
    ("left_hip", "pelvis", (0.052, 0.530, 0.0)),
    ("right_hip", "pelvis", (-0.052, 0.530, 0.0)),
    ("spine1", "pelvis", (0.0, 0.631, -0.008)),
    ("left_knee", "left_hip", (0.052, 0.285, 0.0)),
    ("right_knee", "right_hip", (-0.052, 0.285, 0.0)),
    ("spine2", "spine1", (0.0, 0.697, -0.004)),
    ("left_ankle", "left_knee", (0.052, 0.039, 0.0)),
    ("right_ankle", "right_knee", (-0.052, 0.039, 0.0)),
    ("spine3", "spine2", (0.0, 0.728, 0.0)),
    ("left_foot", "left_ankle", (0.052, 0.010, 0.077)),
    ("right_foot", "right_ankle", (-0.052, 0.010, 0.077)),
    ("neck", "spine3", (0.0, 0.830, -0.010)),
    ("left_collar", "spine3", (0.015, 0.812, -0.004)),
    ("right_collar", "spine3", (-0.015, 0.812, -0.004)),
    ("head", "neck", (0.0, 0.905, 0.0)),
    ("left_shoulder", "left_collar", (0.113, 0.818, -0.008)),
    ("right_shoulder", "right_collar", (-0.113, 0.818, -0.008)),
    ("left_elbow", "left_shoulder", (0.299, 0.818, -0.008)),
    ("right_elbow", "right_shoulder", (-0.299, 0.818, -0.008)),
    ("left_wrist", "left_elbow", (0.445, 0.818, -0.008)),
    ("right_wrist", "right_elbow", (-0.445, 0.818, -0.008)),
)
# first joint from the wrist (outward, up, forward) and the two phalanges after it, as fractions of height
_FINGERS = {
    "index": ((0.055, 0.0, 0.013), 0.024, 0.015),
    "middle": ((0.056, 0.0, 0.003), 0.026, 0.017),
    "pinky": ((0.047, -0.002, -0.015), 0.019, 0.011),
    "ring": ((0.053, 0.0, -0.006), 0.024, 0.016),
    "thumb": ((0.016, -0.006, 0.016), 0.020, 0.016),
}
_FACE = (
    ("jaw", (0.0, 0.003, 0.012)),
    ("left_eye_smplhf", (0.018, 0.030, 0.045)),
    ("right_eye_smplhf", (-0.018, 0.030, 0.045)),
)
_TIPS = {"head": (0.0, 0.095, 0.0), "left_foot": (0.0, -0.002, 0.040), "right_foot": (0.0, -0.002, 0.040)}

BODY_NAMES = tuple(name for name, _, _ in _BODY)
_FINGER_NAMES = tuple(f"{side}_{finger}{n}" for side in ("left", "right") for finger in _FINGERS for n in (1, 2, 3))
MODELS = {
    "body": BODY_NAMES,
    "SMPL": (*BODY_NAMES, "left_hand", "right_hand"),
    "SMPL+H": (*BODY_NAMES, *_FINGER_NAMES),
    "SMPL-X": (*BODY_NAMES, *(name for name, _ in _FACE), *_FINGER_NAMES),
}
"""The joints of each model, in the order of its pose vector."""


def model_of(joints: int) -> str | None:
    """The model with that many joints."""
    return next((model for model, names in MODELS.items() if len(names) == joints), None)


def parent_of(name: str) -> str:
    """The parent of a joint; empty for the pelvis."""
    for joint, parent, _ in _BODY:
        if joint == name:
            return parent
    side, _, rest = name.partition("_")
    if name in ("jaw", "left_eye_smplhf", "right_eye_smplhf"):
        return "head"
    if rest == "hand" or rest.endswith("1"):
        return f"{side}_wrist"
    return f"{name[:-1]}{int(name[-1]) - 1}"


def parent_indices(model: str) -> list[int]:
    """The parents of a model's joints, -1 for the pelvis."""
    names = MODELS[model]
    return [-1 if name == "pelvis" else names.index(parent_of(name)) for name in names]


def generic_skeleton(model: str, height: float = HEIGHT) -> Skeleton:
    """The generic character with a model's joints."""
    positions = {name: np.array(position) for name, _, position in _BODY}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        outward = np.array([sign, 1.0, 1.0])
        wrist = positions[f"{side}_wrist"]
        positions[f"{side}_hand"] = wrist + outward * (0.050, 0.0, 0.0)
        for finger, (start, first, second) in _FINGERS.items():
            along = np.array([0.75, 0.0, 0.66]) if finger == "thumb" else np.array([1.0, 0.0, 0.0])
            positions[f"{side}_{finger}1"] = wrist + outward * start
            positions[f"{side}_{finger}2"] = positions[f"{side}_{finger}1"] + outward * along * first
            positions[f"{side}_{finger}3"] = positions[f"{side}_{finger}2"] + outward * along * second
    for name, offset in _FACE:
        positions[name] = positions["head"] + offset
    names, parents = MODELS[model], parent_indices(model)
    offsets = np.array(
        [positions[n] - (positions[names[p]] if p >= 0 else positions[n]) for n, p in zip(names, parents, strict=True)]
    )
    tips = dict(_TIPS)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hand = f"{side}_hand" if model == "SMPL" else f"{side}_wrist"
        if model in ("body", "SMPL"):
            tips[hand] = (sign * (0.058 if model == "SMPL" else 0.108), 0.0, 0.0)
        else:
            tips |= {f"{side}_{finger}3": (sign * 0.012, 0.0, 0.0) for finger in _FINGERS}
    sites = tuple(EndSite(names.index(name), (x * height, y * height, z * height)) for name, (x, y, z) in tips.items())
    return Skeleton(names, np.array(parents), offsets * height, sites)
