import itertools

import numpy as np
import pytest
from tools.samples import balance
from tools.samples.figure import LEG, centre_of_mass

from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.quality.measures import measure
from kinetune.samples import sample
from tests.samples.anatomy import angles
from tests.samples.soles import slides

WALKS = ("walk", "walk-happy", "walk-sad", "walk-march", "walk-stagger")
CYCLES = {"walk": 6, "walk-happy": 6, "walk-sad": 5, "walk-march": 6, "walk-stagger": 7, "run": 8}


def strikes(clip, side):
    return [m.frame for m in clip.markers if m.name == f"{side} heel strike"]


@pytest.mark.parametrize("name", [*WALKS, "run"])
def test_feet_stay_where_they_stand(name):
    clip = sample(name)
    worst = max(max(slides(clip, side)) for side in ("Left", "Right"))
    assert worst < 0.002
    assert measure(clip)["foot_slide_worst_mm"] < 5
    assert measure(clip, contacts="find")["foot_slide_mm"] < 5


@pytest.mark.parametrize("name", [*WALKS, "run"])
def test_the_planned_contacts_are_those_that_one_finds(name):
    clip = sample(name)
    found = find_contacts(clip)
    assert np.mean(found.flags == clip.contacts.flags) > (0.87 if name == "run" else 0.92)


@pytest.mark.parametrize("name", [*WALKS, "run"])
def test_it_travels_ahead_from_strike_to_strike(name):
    clip = sample(name)
    assert clip.root[-1, 2] - clip.root[0, 2] > 4
    assert np.all(np.diff(clip.root[:, 2]) > 0)
    assert len(strikes(clip, "right")) == CYCLES[name] + 1
    assert strikes(clip, "right")[0] == 0
    assert strikes(clip, "right")[-1] == len(clip) - 1


@pytest.mark.parametrize(
    ("name", "steps_a_minute", "speed"),
    [
        # gait measurements: 101 ± 9 steps/min at 1.13 ± 0.20 m/s, and the moods relative to that
        ("walk", (100, 110), (1.1, 1.35)),
        ("walk-happy", (114, 124), (1.35, 1.6)),
        ("walk-sad", (82, 92), (0.7, 0.95)),
        ("walk-march", (108, 120), (1.0, 1.25)),
        ("walk-stagger", (72, 92), (0.5, 0.9)),
        ("run", (154, 178), (2.86, 4.02)),
    ],
)
def test_pace(name, steps_a_minute, speed):
    clip = sample(name)
    beat = 60 * 2 * CYCLES[name] / clip.duration
    assert steps_a_minute[0] <= beat <= steps_a_minute[1]
    assert speed[0] <= (clip.root[-1, 2] - clip.root[0, 2]) / clip.duration <= speed[1]


def test_five_moods_have_five_tempi():
    lengths = sorted(sample(name).duration / CYCLES[name] for name in WALKS)
    assert np.min(np.diff(lengths)) > 0.03


def test_normal_walking_has_normal_joint_curves():
    """Check points of gait analysis, at phases of the right leg's cycle (means over all cycles)."""
    clip = sample("walk")
    curves = angles(clip)
    marks = strikes(clip, "right")

    def mean_curve(name):
        cycles = [
            np.interp(np.linspace(a, b, 101), np.arange(len(clip)), curves[name]) for a, b in itertools.pairwise(marks)
        ]
        return np.mean(cycles, axis=0)

    knee, hip, ankle = (mean_curve(f"Right {n}") for n in ("knee flexion", "hip flexion", "ankle dorsiflexion"))
    assert 55 < knee.max() < 75
    assert 68 <= knee.argmax() <= 80
    assert 3 < knee[30:50].min() < 16
    assert 12 < knee[8:20].max() < 35
    assert 25 < hip.max() < 42
    assert -25 < hip.min() < -6
    assert 46 <= hip.argmin() <= 68
    assert 8 < ankle.max() < 24
    assert ankle[58:70].min() < -5


def test_arms_swing_against_the_legs():
    clip = sample("walk")
    curves = angles(clip)
    arm, leg = -curves["Right shoulder backwards"], curves["Right hip flexion"]
    assert np.corrcoef(arm, leg)[0, 1] < -0.7
    assert np.corrcoef(arm, -curves["Left shoulder backwards"])[0, 1] < -0.9


def test_the_head_stays_more_level_than_the_pelvis():
    clip = sample("walk")
    yaw = {name: rot.heading(clip.world_rotations()[:, clip.skeleton.index(name)]) for name in ("Hips", "Head")}
    assert np.std(yaw["Head"]) < 0.7 * np.std(yaw["Hips"])


@pytest.mark.parametrize("name", ["walk", "walk-happy", "walk-sad", "walk-march"])
def test_cycles_resemble_each_other_but_are_not_copies(name):
    clip = sample(name)
    marks = strikes(clip, "right")
    poses = []
    for a, b in itertools.pairwise(marks):
        frames = np.linspace(a, b, 41).round().astype(int)
        curves = angles(clip)
        poses.append(
            np.stack([curves[n][frames] for n in ("Right knee flexion", "Left hip flexion", "Right elbow flexion")])
        )
    spread = np.std(poses, axis=0)
    assert 0.05 < spread.max() < 7
    assert spread.mean() < 2.5


@pytest.mark.parametrize("name", ["walk", "walk-happy", "walk-sad", "walk-march"])
def test_the_seam_of_a_cycle_is_small(name):
    """From one strike of the right foot to another, pose and speed nearly come back."""
    clip = sample(name)
    marks = strikes(clip, "right")
    a, b = marks[1], marks[-2]
    assert np.degrees(rot.angle_between(clip.rotations[a], clip.rotations[b])).max() < 8
    speed = np.gradient(clip.root, axis=0) * clip.fps
    assert np.linalg.norm(speed[a] - speed[b]) < 0.12


@pytest.mark.parametrize("name", WALKS)
def test_the_weight_is_over_the_feet(name):
    """The point from which the floor must push lies under the feet, up to a few centimetres (as in real walks)."""
    clip = sample(name)
    points, _, _ = balance.pressure_points(clip)
    outside = np.linalg.norm(balance.outside_feet(clip, points), axis=-1)[6:-6]
    assert outside.mean() < (0.045 if name == "walk-march" else 0.015)


def test_the_run_falls_freely_between_its_steps():
    clip = sample("run")
    body = centre_of_mass(clip.positions())
    pull = np.diff(body, 2, axis=0) * clip.fps**2
    air = ~clip.contacts.flags.any(axis=1)
    inside = air[:-2] & air[1:-1] & air[2:]
    assert inside.sum() > 60
    assert np.abs(pull[inside, 1] + 9.81).max() < 0.5
    assert np.abs(pull[inside, 2]).max() < 0.6
    assert 0.25 < air.mean() < 0.45


def test_the_run_is_lowest_in_the_middle_of_its_stance():
    clip = sample("run")
    start, stop = clip.contacts.intervals("right")[2]
    lowest = start + int(np.argmin(clip.root[start:stop, 1]))
    assert start + 0.25 * (stop - start) < lowest < start + 0.75 * (stop - start)
    assert 0.05 < np.ptp(clip.root[:, 1]) < 0.10 * LEG * 1.1


def test_the_stagger_wavers_and_pauses():
    clip = sample("walk-stagger")
    assert np.ptp(clip.root[:, 0]) > 0.2
    times = np.sort([m.frame for m in clip.markers]) / clip.fps
    steps = np.diff(times)
    assert steps.max() > 1.35 * np.median(steps)
    assert steps.min() < 0.75 * np.median(steps)
