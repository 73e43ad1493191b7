"""The record of sample edits tells a change of a result from a change of its last bits."""

import sys
from pathlib import Path

from kinetune import rotations as rot
from kinetune.operations import OPERATIONS
from kinetune.operations.move import Move
from kinetune.samples import sample

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import json

import sample_edits


def test_every_operation_is_recorded():
    assert json.loads(sample_edits.RECORD.read_text(encoding="utf-8")).keys() == OPERATIONS.keys()


def test_the_same_result_has_not_moved():
    walk = sample("walk")[:60]
    assert sample_edits.moved_mm(sample_edits.fingerprint(walk), sample_edits.fingerprint(walk)) == 0.0


def test_another_result_has_moved_by_as_much_as_its_joints():
    walk = sample("walk")[:60]
    before = sample_edits.fingerprint(walk)
    assert abs(sample_edits.moved_mm(before, sample_edits.fingerprint(Move(y=0.002)(walk))) - 2.0) < 0.001
    assert sample_edits.moved_mm(before, sample_edits.fingerprint(walk[:59])) == float("inf")


def test_last_bits_stay_below_the_tolerance():
    walk = sample("walk")[:60]
    shaken = walk.replace(rotations=rot.multiply(walk.rotations, rot.exp([1e-12, 0.0, 0.0])))
    before, after = sample_edits.fingerprint(walk), sample_edits.fingerprint(shaken)
    assert before["bits"] != after["bits"]
    assert sample_edits.moved_mm(before, after) < sample_edits.TOLERANCE_MM
