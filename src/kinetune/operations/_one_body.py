"""Clips of other skeletons, brought onto that of the clip that they are combined with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kinetune.body.clip import Clip
from kinetune.errors import SkeletonMismatchError
from kinetune.findings import Finding, report_finding


def on_one_body(clip: Clip, inputs: Mapping[str, Clip], names: Iterable[str]) -> dict[str, Clip]:
    """The inputs, those of another skeleton retargeted to that of the clip, with a notice.

    What cannot be retargeted stays as it is: the operation refuses it in its own words.

    Parameters
    ----------
    names : iterable of str
        The inputs that are combined with the clip joint by joint.
    """
    brought, moved = dict(inputs), []
    for name in names:
        other = inputs.get(name)
        if other is None or clip.skeleton.same_joints(other.skeleton):
            continue
        from kinetune.retarget.retargeting import retarget

        try:
            brought[name] = retarget(other, clip).clip
        except SkeletonMismatchError:
            continue
        moved.append(name)
    if moved:
        message = f'"{moved[0]}" has another skeleton: it was retargeted to the character of this clip.'
        if len(moved) > 1:
            others = f'"{moved[0]}" and {len(moved) - 1} more'
            message = f"{others} have another skeleton: they were retargeted to the character of this clip."
        remedy = "Retarget it yourself to choose how: kinetune retarget OTHER --to FILE -o OUT"
        report_finding(Finding("retargeted", message, severity="info", remedy=remedy), warn=True)
    return brought
