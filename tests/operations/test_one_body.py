"""Clips of another skeleton are brought onto that of the clip that they are combined with."""

import numpy as np
import pytest

import kinetune as kt
from kinetune.body.skeleton import Skeleton
from kinetune.errors import SkeletonMismatchError
from tests.operations import making


@pytest.fixture(scope="module")
def other():
    """A happy walk on a larger body with other names and one joint more."""
    walk = kt.sample("walk-happy")
    skeleton = walk.skeleton
    names = (*(f"rig:{name}X" for name in skeleton.names), "rig:Tail")
    larger = Skeleton(names, [*skeleton.parents, 0], np.vstack([1.2 * skeleton.offsets, [[0.0, 0.0, -0.1]]]))
    still = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(walk), 1, 4))
    return kt.Clip(larger, walk.fps, 1.2 * walk.root, np.concatenate([walk.rotations, still], axis=1))


STEPS = [
    kt.Blend(other="other", weight=0.5),
    kt.Align(to="other"),
    kt.Splice(second="other"),
    kt.Arrange(clips=("other",)),
]


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=[step.tag() for step in STEPS])
def test_another_skeleton_is_retargeted_with_a_notice(step, other):
    walk = kt.sample("walk")
    with pytest.warns(UserWarning, match="another skeleton"):
        result = step(walk, other=other)
    assert result.skeleton == walk.skeleton


@pytest.mark.slow
def test_a_run_reports_the_notice_as_a_finding(other, tmp_path):
    file = kt.write(other, tmp_path / "other.bvh")
    result = kt.run(kt.Blend(other="other", weight=0.5), "sample:walk", {"other": file})
    assert [finding.kind for finding in result.findings] == ["retargeted"]


def test_what_cannot_be_retargeted_is_refused_with_the_command():
    with pytest.raises(SkeletonMismatchError, match="kinetune retarget"):
        kt.Blend(other="other")(kt.sample("walk"), other=making.pendulums())


@pytest.mark.slow
def test_the_embedded_steps_walk_on_any_character(other):
    step = kt.FollowFootsteps(path="straight:length=2", steps="samples")
    result = step(other)
    assert result.skeleton.names == other.skeleton.names


@pytest.mark.slow
def test_several_clips_of_another_skeleton_give_one_notice(other):
    with pytest.warns(UserWarning, match='"other" and 1 more have another skeleton') as notices:
        kt.Arrange(clips=("other", "again"))(kt.sample("walk"), other=other, again=other)
    assert len(notices) == 1
