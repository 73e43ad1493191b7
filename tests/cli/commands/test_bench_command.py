"""bench: every job is run and timed."""

import json

import pytest

from tests.cli.conftest import Kinetune


@pytest.mark.slow
def test_every_job_is_timed(kinetune: Kinetune) -> None:
    result = kinetune("bench", "--seconds", "0.01", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert {"read BVH", "equalize", "inverse blend", "morph"} <= set(told)
    assert all(job["median_ms"] > 0.0 for job in told.values())
