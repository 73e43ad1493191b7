"""Clips to try formats on: made up here, small, with everything that a format may trip over."""

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip, Marker
from kinetune.body.feet.contacts import Contacts
from kinetune.body.skeleton import EndSite, Skeleton

NAMES = (
    "Hips",
    "Spine",
    "Neck",
    "Head",
    "LeftArm",
    "LeftHand",
    "RightArm",
    "RightHand",
    "LeftLeg",
    "LeftFoot",
    "RightLeg",
    "RightFoot",
)
PARENTS = (-1, 0, 1, 2, 1, 4, 1, 6, 0, 8, 0, 10)
OFFSETS = (
    (0.0, 0.0, 0.0),
    (0.0, 0.1, 0.01),
    (0.0, 0.42, 0.0),
    (0.0, 0.1, 0.02),
    (0.18, 0.36, 0.0),
    (0.55, 0.0, 0.0),
    (-0.18, 0.36, 0.0),
    (-0.55, 0.0, 0.0),
    (0.09, -0.02, 0.0),
    (0.0, -0.85, 0.0),
    (-0.09, -0.02, 0.0),
    (0.0, -0.85, 0.0),
)
SITES = (
    EndSite(3, (0.0, 0.2, 0.0)),
    EndSite(5, (0.18, 0.0, 0.0), "LeftTip"),
    EndSite(7, (-0.18, 0.0, 0.0)),
    EndSite(9, (0.0, -0.06, 0.2)),
    EndSite(11, (0.0, -0.06, 0.2)),
)


def skeleton(turned=False):
    """A small humanoid of 1.7 m; ``turned`` gives every joint a rest rotation."""
    rest = None
    if turned:
        rest = rot.exp(np.random.default_rng(5).uniform(-0.6, 0.6, (len(NAMES), 3)))
    return Skeleton(NAMES, np.array(PARENTS), np.array(OFFSETS), SITES, rest)


def clip(frames=40, fps=60.0, turned=False, moving=False, seed=1, **more):
    """Smooth random motion of that humanoid; ``moving`` lets two joints slide in their parents' frames."""
    body = skeleton(turned)
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None, None] / 30.0
    phase = rng.uniform(0, 6, (1, len(body), 3))
    vectors = 0.9 * np.sin(rng.uniform(0.5, 2.0, (1, len(body), 3)) * t + phase)
    rotations = rot.multiply(body.rest, rot.exp(vectors))
    root = np.stack([0.3 * np.sin(t[:, 0, 0]), 0.95 + 0.02 * np.cos(2 * t[:, 0, 0]), 1.1 * t[:, 0, 0]], axis=-1)
    translations = None
    if moving:
        translations = np.tile(body.offsets, (frames, 1, 1))
        translations[:, 2, 1] += 0.03 * np.sin(t[:, 0, 0])
        translations[:, 5] += 0.02 * np.cos(t[:, 0])
    return Clip(body, fps, root, rotations, translations, **more)


def full_clip(**more):
    """A clip with everything in it that a clip can have."""
    plain = clip(turned=True, moving=True, **more)
    flags = np.arange(2 * len(plain)).reshape(-1, 2) % 3 == 0
    return plain.replace(
        contacts=Contacts(("LeftFoot", "RightFoot"), flags, np.linspace(0, 1, flags.size).reshape(flags.shape)),
        markers=(Marker(3, "left heel strike"), Marker(17, "ä → ß")),
        history=({"op": "smooth", "cutoff_hz": 6.0}, {"op": "trim", "start": 1}),
    )
