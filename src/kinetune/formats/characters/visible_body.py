"""What a scene shows of a motion without a character: a mannequin, or a stick figure of what is not a human body."""

from __future__ import annotations

import numpy as np

from kinetune.body.clip import Clip
from kinetune.formats.characters.mannequin_mesh import mannequin_at_rest
from kinetune.formats.characters.skinned_mesh import MeshMaterial, MeshPart, SkinnedMesh, join_parts, rest_frames
from kinetune.formats.stick_figure_mesh import build_stick_figure, loose_joints

_STICK_COLOUR = (0.42, 0.56, 0.72)


def visible_body(clip: Clip) -> SkinnedMesh:
    """A surface bound at rest, with one bone for each joint and one material; the first joint is where the clip begins.

    Joints that travel in their parents' frames are shown by a stick figure, because no skin could follow them.
    """
    root, loose = clip.root[0], loose_joints(clip)
    mannequin = None if loose else mannequin_at_rest(clip, root)
    if mannequin is not None:
        return mannequin
    figure = build_stick_figure(clip.skeleton, root, loose)
    part = MeshPart(
        figure.points,
        figure.normals,
        None,
        None,
        figure.triangles,
        np.zeros(len(figure.triangles), np.int64),
        figure.joints[:, None],
        np.ones((len(figure.points), 1)),
    )
    binds = np.linalg.inv(rest_frames(clip.skeleton, root))
    mesh = join_parts([part], range(len(clip.skeleton)), list(binds), [MeshMaterial(_STICK_COLOUR)])
    assert mesh is not None
    return mesh
