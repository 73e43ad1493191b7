import numpy as np
from tools.samples import balance

from kinetune import rotations as rot
from kinetune.samples import sample
from tests.samples.anatomy import angles


def frequency(curve, fps):
    """The strongest frequency of a curve in hertz."""
    power = np.abs(np.fft.rfft((curve - curve.mean()) * np.hanning(len(curve)), n=8 * len(curve)))
    return np.argmax(power) * fps / (8 * len(curve))


def delay(first, second, fps, most=0.4):
    """By how many seconds the second curve follows the first (the best of all shifts)."""
    a, b = first - first.mean(), second - second.mean()
    shifts = np.arange(-round(most * fps), round(most * fps) + 1)
    return shifts[np.argmax([np.dot(a, np.roll(b, -s)) for s in shifts])] / fps


def test_arms_sway_at_half_a_hertz_with_elbow_and_hand_behind():
    clip = sample("arm-sway")
    places = clip.positions()
    elbow, hand = (places[:, clip.skeleton.index(n), 0] - clip.root[:, 0] for n in ("LeftForeArm", "LeftHand"))
    assert abs(frequency(elbow, clip.fps) - 0.5) < 0.06
    assert 0.02 <= delay(elbow, hand, clip.fps) <= 0.3
    hips = clip.root[:, 0]
    assert 0.2 < delay(hips, elbow, clip.fps, 0.9) < 0.8
    curves = angles(clip)
    assert np.ptp(curves["Left shoulder inwards"]) > 35


def test_the_wave_rises_swings_and_drops():
    clip = sample("wave")
    hand = clip.joint("RightHand").positions
    assert hand[0, 1] < 1.0
    assert hand[-1, 1] < 1.0
    swings = [m.frame for m in clip.markers]
    assert len(swings) == 4
    busy = slice(swings[0] - 10, swings[-1] + 15)
    assert hand[busy, 1].min() > 1.4
    across = hand[busy, 0] - hand[busy, 0].mean()
    assert 1.5 < frequency(across, clip.fps) < 2.5
    assert np.ptp(across) > 0.12
    head = np.abs(rot.to_euler(clip.world_rotations()[:, clip.skeleton.index("Head")], "YXZ")[:, 0])
    assert np.argmax(head > np.radians(5)) < np.argmax(hand[:, 1] > hand[0, 1] + 0.1)


def test_the_knocking_hand_stops_dead_three_times():
    clip = sample("knock")
    hand = clip.joint("RightHand").positions
    ahead = np.diff(hand[:, 2]) * clip.fps
    hits = [m.frame for m in clip.markers]
    assert len(hits) == 3
    assert np.all(np.diff(hits) == 18)
    for hit in hits:
        assert ahead[hit - 3 : hit].max() > 0.5
        assert abs(ahead[hit + 1]) < 0.35
        assert hand[hit, 2] > hand[hit - 7, 2] + 0.03
    assert 1.2 < hand[hits[0], 1] < 1.6


def test_drumming_hits_on_the_beat():
    clip = sample("drumming")
    beat = 60 / 112 * clip.fps
    backbeats = np.array([m.frame for m in clip.markers]) / beat
    assert len(backbeats) == 7
    assert np.allclose(backbeats, np.arange(1, 14, 2), atol=0.03)
    tip = clip.positions()[:, clip.skeleton.index("LeftHand")] + rot.rotate(
        clip.world_rotations()[:, clip.skeleton.index("LeftHand")], np.array([0.155, 0, 0])
    )
    for frame in (m.frame for m in clip.markers):
        near = tip[frame - 12 : frame + 13, 1]
        assert abs(int(np.argmin(near)) - 12) <= 2
        assert near.max() - near.min() > 0.15
    ride = clip.positions()[:, clip.skeleton.index("RightHand"), 1]
    assert (
        abs(frequency(ride[: round(13 * beat)], clip.fps) - 112 / 60) < 0.1
        or abs(frequency(ride[: round(13 * beat)], clip.fps) - 2 * 112 / 60) < 0.1
    )
    assert 0.45 < clip.root[:, 1].mean() < 0.6


def test_sitting_down_is_slow_at_the_seat_and_feet_stay():
    clip = sample("sit-and-drink")
    events = {m.name: m.frame for m in clip.markers}
    assert clip.root[0, 1] > 0.9
    assert 0.47 < clip.root[-1, 1] < 0.55
    assert 0.23 < clip.root[0, 2] - clip.root[-1, 2] < 0.4
    fall = -np.diff(clip.root[:, 1]) * clip.fps
    assert fall.max() < 1.0
    assert clip.contacts.flags.all()
    bow = rot.to_euler(clip.world_rotations()[:, clip.skeleton.index("Spine2")], "YXZ")[:, 1]
    assert 30 < np.degrees(bow[: events["seat"]].max()) < 50
    # while the hips are in the air the weight is over the feet
    points, _, height = balance.pressure_points(clip)
    off_seat = height > 0.80
    assert np.linalg.norm(balance.outside_feet(clip, points), axis=-1)[off_seat].max() < 0.12


def test_the_cup_goes_to_the_mouth_and_back():
    clip = sample("sit-and-drink")
    events = {m.name: m.frame for m in clip.markers}
    hand = clip.joint("RightHand").positions
    head = clip.skeleton.index("Head")
    mouth = clip.positions()[:, head] + rot.rotate(clip.world_rotations()[:, head], np.array([0.0, 0.03, 0.10]))
    assert np.linalg.norm(hand[events["sip"]] - mouth[events["sip"]]) < 0.20  # a hand's length
    assert np.linalg.norm(hand[events["grasp"]] - hand[events["put down"]]) < 0.02
    thumb = rot.rotate(clip.world_rotations()[:, clip.skeleton.index("RightHand")], np.array([0, 0, 1.0]))[:, 1]
    carried = slice(events["grasp"], events["sip"] - 12)
    assert np.degrees(np.arccos(thumb[carried])).max() < 45
    nod = rot.to_euler(clip.world_rotations()[:, clip.skeleton.index("Head")], "YXZ")[:, 1]
    assert np.degrees(nod[events["sip"] + 30] - nod[0]) < -3
