from pathlib import Path

import numpy as np

from kinetune.reproduce.inverse_blending.aiming import CENTRE, RADII, span_from_shoulder, span_message, sphere_targets

PAGE = Path(__file__).parents[2] / "docs" / "derivations" / "inverse_blending.md"


def test_the_targets_lie_on_their_spheres():
    for radius in RADII:
        targets = sphere_targets(radius)
        assert targets.shape == (12, 12, 3)
        assert np.allclose(np.linalg.norm(targets - CENTRE, axis=-1), radius)
    assert sphere_targets(0.7, 3, 5).shape == (3, 5, 3)


def test_the_wrist_does_not_reach_the_spheres_and_the_page_says_so():
    near, far = span_from_shoulder("RightHand")
    assert 0.3 < near < far < min(RADII)
    assert f"the wrist ends {100 * near:.0f} to {100 * far:.0f} cm from the shoulder" in span_message()
    assert "pictures/reach_span.txt" in PAGE.read_text(encoding="utf-8"), "docs/pictures/reach.py writes it"
