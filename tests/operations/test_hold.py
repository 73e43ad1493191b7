import numpy as np
import pytest

from kinetune.errors import ParameterError
from kinetune.operations.base import collecting_results
from kinetune.operations.hold import Hold
from kinetune.samples import sample


@pytest.fixture(scope="module")
def wave():
    return sample("wave")


def path_of(clip, joint):
    return clip.positions()[:, clip.skeleton.index(joint)]


def test_the_hand_stays_on_its_point_and_nothing_else_moves(wave):
    held = Hold(joint="right hand", start_s=1.0, end_s=2.0, blend_s=0.25)(wave)
    first, last = round(1.0 * wave.fps), round(2.0 * wave.fps)
    path = path_of(held, "right hand")
    np.testing.assert_allclose(path[first : last + 1], path[first : first + 1].repeat(last + 1 - first, 0), atol=1e-9)
    np.testing.assert_allclose(path[first], path_of(wave, "right hand")[first], atol=1e-9)
    margin = round(0.25 * wave.fps) + 1
    np.testing.assert_array_equal(held.rotations[: first - margin], wave.rotations[: first - margin])
    np.testing.assert_array_equal(held.rotations[last + margin :], wave.rotations[last + margin :])
    np.testing.assert_array_equal(path_of(held, "left hand"), path_of(wave, "left hand"))
    np.testing.assert_array_equal(path_of(held, "left foot"), path_of(wave, "left foot"))


def test_the_hold_eases_in_without_a_jump(wave):
    held = Hold(joint="right hand", start_s=1.5, end_s=2.0)(wave)
    speed = np.linalg.norm(np.diff(path_of(held, "right hand"), axis=0), axis=1).max()
    assert speed < 2.0 * np.linalg.norm(np.diff(path_of(wave, "right hand"), axis=0), axis=1).max()


def test_a_point_out_of_reach_is_reported_and_approached(wave):
    far = tuple(path_of(wave, "right hand")[30] + [0.0, 0.0, 2.0])
    with collecting_results() as results:
        held = Hold(joint="right hand", at=far, start_s=0.5, end_s=1.0)(wave)
    findings = [result for result in results if getattr(result, "kind", "") == "out-of-reach"]
    assert [finding.severity for finding in findings] == ["error"], "a command that misses its goal exits with 3"
    report = Hold(joint="right hand").report(wave, held, results)
    assert report["miss_mm"] > 1000
    assert "The right hand is held" in Hold().describe(report)[0]
    assert "mm" not in Hold().describe(report)[0], "a miss of two metres is not given in millimetres"


def test_what_has_no_limb_is_refused(wave):
    with pytest.raises(ParameterError, match="no hand or foot"):
        Hold(joint="head")(wave)
    with pytest.raises(ParameterError, match="the clip lasts"):
        Hold(start_s=900.0)(wave)
    with pytest.raises(ParameterError, match="not after its start"):
        Hold(start_s=2.0, end_s=1.0)
