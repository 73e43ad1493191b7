import numpy as np
import pytest

import kinetune as kt
from kinetune.body.root_motion import add_root_motion, remove_root_motion, root_motion
from kinetune.library.clip_facts import LEAST_TURN_DEG, clip_facts, skeleton_signature


@pytest.mark.parametrize(
    ("name", "gait"), [("walk", "walk"), ("walk-sad", "walk"), ("walk-child", "walk"), ("run", "run")]
)
def test_gaits_are_told_apart(name, gait):
    facts = clip_facts(kt.sample(name))
    assert (facts.walk > 0.9) == (gait == "walk")
    assert (facts.run > 0.9) == (gait == "run")


def test_speed_is_that_of_the_path():
    walk = kt.sample("walk")
    assert clip_facts(walk).speed_m_s == pytest.approx(1.23, abs=0.05)
    assert clip_facts(kt.Retime(speed=0.8)(walk)).speed_m_s == pytest.approx(0.8 * 1.23, abs=0.05)


def test_a_walk_on_the_spot_has_the_speed_of_its_floor():
    assert clip_facts(kt.InPlace()(kt.sample("walk"))).speed_m_s == pytest.approx(1.23, abs=0.15)


def test_left_and_right_are_exchanged_in_a_mirror():
    kick = kt.sample("kick-1")
    facts, image = clip_facts(kick), clip_facts(kt.Mirror()(kick))
    assert facts.turn_left_deg == pytest.approx(image.turn_right_deg, abs=1.0)
    assert facts.turn_deg == pytest.approx(-image.turn_deg, abs=1.0)
    assert facts.turn_left_deg > LEAST_TURN_DEG


def test_a_bent_path_turns_to_the_left():
    walk = kt.sample("walk")
    way = root_motion(walk)
    bend = np.linspace(0.0, np.pi / 2, len(walk))
    bent = add_root_motion(remove_root_motion(walk, way), way._replace(headings=way.headings + bend))
    assert clip_facts(bent).turn_left_deg == pytest.approx(90.0 + clip_facts(walk).turn_left_deg, abs=20.0)
    assert clip_facts(bent).turn_deg > 60.0


def test_kicks_low_hips_and_stillness_are_counted():
    assert clip_facts(kt.sample("kick-1")).kicks == 1
    assert clip_facts(kt.sample("walk")).kicks == 0
    assert clip_facts(kt.sample("run")).kicks == 0
    assert clip_facts(kt.sample("sit-and-drink")).low > 0.7
    assert clip_facts(kt.sample("walk")).still == 0.0


def test_a_frozen_pose_is_still():
    walk = kt.sample("walk")
    frozen = walk.replace(root=np.tile(walk.root[:1], (60, 1)), rotations=np.tile(walk.rotations[:1], (60, 1, 1)))
    assert clip_facts(frozen).still == 1.0


def test_height_is_that_of_the_character():
    assert clip_facts(kt.sample("walk")).height_m == pytest.approx(1.75, abs=0.02)
    assert clip_facts(kt.sample("walk-child")).height_m == pytest.approx(1.1, abs=0.05)


def test_clips_that_can_be_spliced_have_the_same_signature():
    signatures = {name: skeleton_signature(kt.sample(name).skeleton) for name in ("walk", "walk-child", "wave-rig")}
    assert signatures["walk"] == signatures["walk-child"]
    assert signatures["walk"] != signatures["wave-rig"]


def test_a_label_says_it_in_a_few_words():
    assert clip_facts(kt.sample("walk")).label() == "walk 1.2 m/s"
    assert clip_facts(kt.sample("sit-and-drink")).label() == "low"
