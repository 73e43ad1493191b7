import numpy as np
import pytest

from kinetune.diagnosis.detectors import DETECTORS
from kinetune.studio.evaluate.remedies import _remedies
from tests.diagnosis.test_detectors import standing, uphill


@pytest.mark.parametrize(
    ("clip", "kind", "label"),
    [
        (uphill(standing()), "floor-lean", "Level it"),
        (standing().replace(root=standing().root + np.array([0.0, 0.2, 0.0])), "floor-height", "Put it at zero"),
    ],
)
def test_the_button_of_a_remedy_says_what_it_does(clip, kind, label):
    finding = next(f for detect in DETECTORS if detect.part == "floor" for f in detect(clip) if f.kind == kind)
    assert [remedy["label"] for remedy in _remedies(finding, clip)] == [label]
