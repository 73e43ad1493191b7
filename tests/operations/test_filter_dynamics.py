from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune.cli import main
from kinetune.errors import ParameterError
from kinetune.operations.filter_dynamics import FilterDynamics
from tests.operations import making


@pytest.mark.slow
def test_the_public_form():
    clip = making.walker(91, drift=0.05)
    result = kt.FilterDynamics(mu=0.8)(clip)
    assert len(result) == len(clip)
    assert result.fps == clip.fps
    assert result.history[-1] == {"op": "filter_dynamics", "mu": 0.8}


@pytest.mark.slow
def test_a_part_of_the_correction_lies_between():
    clip = making.walker(61)
    whole, half = (FilterDynamics(amount=amount)(clip) for amount in (1.0, 0.5))
    assert np.allclose(half.root, 0.5 * (clip.root + whole.root), atol=1e-9)


@pytest.mark.parametrize("knobs", [{"mu": -0.1}, {"mass_kg": 0.0}, {"sides": 2}, {"mix": 1.5}, {"mode": "glue"}])
def test_knobs_out_of_range_are_refused(knobs):
    with pytest.raises(ParameterError, match=next(iter(knobs))):
        FilterDynamics(**knobs)


@pytest.fixture
def failing(monkeypatch):
    """Every correction ends in a fall, 20 cm off."""
    import kinetune.physics.motion_correction as correction
    from kinetune.physics.filter.failures import Failure

    fall = Failure("fall", 7, 20, "The character falls.")

    def fallen(clip, **settings):
        result = real(clip, **{**settings, "method": "filter"})
        return replace(result, status="fell", failures=(fall,), clip=clip.replace(root=clip.root + 0.2))

    real = correction.filter_dynamics
    monkeypatch.setattr(correction, "filter_dynamics", fallen)


def test_a_fall_leaves_the_clip_as_it_was_and_says_where(failing):
    clip = kt.sample("walk")[:40]
    result = kt.run(kt.FilterDynamics(), clip)
    assert result.clip == clip
    (refused,) = result.refused
    assert refused.severity == "error"
    assert refused.frame == (7, 20)
    kept = kt.run(kt.FilterDynamics(keep_failed=True), clip)
    assert kept.clip != clip
    assert kept.refused


def test_nothing_is_written_after_a_fall_unless_forced(failing, tmp_path):
    source, target = tmp_path / "walk.bvh", tmp_path / "possible.bvh"
    kt.write(kt.sample("walk")[:40], source)
    call = ["filter-dynamics", str(source), "-o", str(target)]
    with pytest.raises(SystemExit) as stopped:
        main(call)
    assert stopped.value.code == 3
    assert not target.exists()
    with pytest.raises(SystemExit) as forced:
        main([*call, "--force"])
    assert forced.value.code == 3
    assert target.exists()
