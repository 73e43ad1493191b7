"""Laws of retargeting: what is kept on another body."""

from dataclasses import replace

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.skeleton import EndSite, Skeleton
from kinetune.errors import SkeletonMismatchError
from kinetune.retarget.retargeting import retarget
from tests.body.people import adult

LIMBS = [
    (f"{side} {a}", f"{side} {b}")
    for side in ("left", "right")
    for a, b in (("upper arm", "lower arm"), ("lower arm", "hand"), ("upper leg", "lower leg"), ("lower leg", "foot"))
]


def limb_directions(clip):
    """Unit vectors (frames, limbs, 3)."""
    positions, roles = clip.positions(), clip.skeleton.roles
    ways = np.stack([positions[:, roles[b]] - positions[:, roles[a]] for a, b in LIMBS], axis=1)
    return ways / np.linalg.norm(ways, axis=-1, keepdims=True)


def rerigged(clip, seed=0):
    """The same motion of the same body with every joint's axes turned at random: the answer is known."""
    random = np.random.default_rng(seed)
    skeleton = clip.skeleton
    turned = rot.normalize(random.normal(size=(len(skeleton), 4)))
    turned[0] = rot.identity()
    above = np.where((skeleton.parents < 0)[:, None], rot.identity(), turned[np.maximum(skeleton.parents, 0)])
    sites = tuple(
        EndSite(s.parent, tuple(rot.rotate(rot.inverse(turned[s.parent]), np.array(s.offset)).tolist()), s.name)
        for s in skeleton.end_sites
    )
    other = Skeleton(
        tuple(f"rig_{name}" for name in skeleton.names),
        skeleton.parents,
        rot.rotate(rot.inverse(above), skeleton.offsets),
        sites,
        rot.multiply(rot.multiply(rot.inverse(above), skeleton.rest), turned),
    )
    local = rot.multiply(rot.multiply(rot.inverse(above), clip.rotations), turned)
    return kt.Clip(other, clip.fps, clip.root, rot.normalize(local))


def sole_speeds(result):
    """How fast the points of the soles move while they stand, m/s."""
    clip, speeds = result.clip, []
    for track in result.transfer.feet:
        for number, point in enumerate(track.points):
            if point.joint != track.joint:
                continue
            at = clip.positions()[:, point.joint] + rot.rotate(
                clip.world_rotations()[:, point.joint], np.array(point.offset)
            )
            on = track.standing[1:, number] & track.standing[:-1, number]
            speeds.append((np.linalg.norm(np.diff(at, axis=0), axis=1) * clip.fps)[on])
    return np.concatenate(speeds)


@pytest.fixture(scope="module")
def on_child():
    return retarget(kt.sample("walk"), kt.sample("walk-child"))


def test_standing_soles_do_not_slide(on_child):
    assert sole_speeds(on_child).mean() < 0.005
    assert sole_speeds(on_child).max() < 0.15


def test_limbs_keep_their_directions(on_child):
    cosine = np.sum(limb_directions(on_child.clip) * limb_directions(kt.sample("walk")), axis=-1)
    assert np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0))).mean() < 1.5


def test_without_feet_the_directions_of_limbs_are_exact():
    walk = kt.sample("walk")[:60]
    result = retarget(walk, kt.sample("walk-child"), feet=False).clip
    assert np.abs(limb_directions(result) - limb_directions(walk)).max() < 1e-6


def test_arms_that_end_at_the_elbow_keep_their_directions():
    whole = adult()
    hands = [joint for joint, name in enumerate(whole.names) if name.endswith("Hand")]
    kept = [joint for joint in range(len(whole)) if joint not in hands]
    sites = [site for site in whole.end_sites if site.parent not in hands]
    sites += [EndSite(int(whole.parents[hand]), tuple(whole.offsets[hand].tolist())) for hand in hands]
    sites = [EndSite(kept.index(site.parent), site.offset) for site in sites]
    parents = [-1 if whole.parents[j] < 0 else kept.index(int(whole.parents[j])) for j in kept]
    without = Skeleton(tuple(whole.names[j] for j in kept), parents, whole.offsets[kept], tuple(sites))
    walk = kt.sample("walk")[:30]
    result = retarget(walk, without, feet=False).clip
    for side, x in (("left", 0.26), ("right", -0.26)):
        upper = [
            c.joint(f"{side} lower arm").positions - c.joint(f"{side} upper arm").positions for c in (walk, result)
        ]
        assert np.allclose(*(way / np.linalg.norm(way, axis=1, keepdims=True) for way in upper), atol=1e-6)
        elbow = result.skeleton.roles[f"{side} lower arm"]
        way = walk.joint(f"{side} hand").positions - walk.joint(f"{side} lower arm").positions
        tip = rot.rotate(result.world_rotations()[:, elbow], np.array([x, 0.0, 0.0]))
        assert np.allclose(tip / 0.26, way / np.linalg.norm(way, axis=1, keepdims=True), atol=1e-6)


def resting(skeleton, arms_deg):
    """The same body with its arms lowered in the rest pose, all joints' axes those of the world, and its rotations."""
    world = np.array(rot.identity(len(skeleton)))
    for joint, name in enumerate(skeleton.names):
        if skeleton.parents[joint] >= 0:
            world[joint] = world[skeleton.parents[joint]]
        if name.endswith("UpperArm"):
            world[joint] = rot.exp(np.deg2rad([0.0, 0.0, -arms_deg if name.startswith("Left") else arms_deg]))
    above = world[np.maximum(skeleton.parents, 0)]
    sites = tuple(
        EndSite(s.parent, tuple(rot.rotate(world[s.parent], np.array(s.offset)).tolist())) for s in skeleton.end_sites
    )
    return Skeleton(skeleton.names, skeleton.parents, rot.rotate(above, skeleton.offsets), sites), world


@pytest.mark.parametrize("arms_deg", [45.0, 90.0], ids=["A-pose", "arms at the sides"])
def test_the_rest_pose_of_the_target_changes_nothing(arms_deg):
    walk = kt.sample("walk")[:40]
    spread = retarget(walk, adult()).clip
    lowered, turned = resting(adult(), arms_deg)
    result = retarget(walk, lowered).clip
    assert np.abs(result.positions() - spread.positions()).max() < 1e-6
    orientations = rot.multiply(result.world_rotations(), turned)
    assert np.abs(rot.log(rot.multiply(rot.inverse(spread.world_rotations()), orientations))).max() < 1e-5


def test_soles_stay_above_the_floor(on_child):
    assert kt.measure(on_child.clip)["penetration_mm"] < 2.0


def test_its_own_skeleton_is_copied_bit_for_bit():
    walk = kt.sample("walk")
    assert retarget(walk, kt.sample("run")).clip is walk


@pytest.mark.parametrize("name", ["walk", "run", "sit-and-drink"])
def test_the_same_body_in_another_rig_takes_the_same_poses(name):
    clip = kt.sample(name)[:120]
    target = rerigged(clip)
    result = retarget(clip, target).clip
    assert np.abs(result.positions() - target.positions()).max() < 2e-4


def test_contacts_travel_to_the_other_feet(on_child):
    walk = kt.sample("walk")
    assert np.array_equal(on_child.clip.contacts.flags, walk.contacts.flags)
    assert on_child.clip.contacts.sides == ("left", "right")


def test_there_and_back_is_nearly_the_source(on_child):
    walk = kt.sample("walk")
    back = retarget(on_child.clip, walk).clip
    assert np.linalg.norm(back.positions() - walk.positions(), axis=-1).mean() < 0.015


def test_there_and_back_is_nearly_the_source_without_known_contacts():
    walk = kt.sample("walk")[:200].replace(contacts=None)
    child = kt.sample("walk-child")
    back = retarget(retarget(walk, child).clip, walk).clip
    assert np.linalg.norm(back.positions() - walk.positions(), axis=-1).mean() < 0.015


def test_a_body_that_never_stands_keeps_its_height_there_and_back():
    kick = kt.sample("kick-1")[60:100].replace(contacts=None)
    rising = kick.replace(root=kick.root + np.linspace(0.3, 1.1, len(kick))[:, None] * [0.0, 1.0, 0.0])
    back = retarget(retarget(rising, kt.sample("walk-child")).clip, rising).clip
    assert np.abs(back.root - rising.root)[:, 1].max() < 0.005


def test_measure_and_planting_agree_with_what_was_solved(on_child):
    measured = kt.measure(on_child.clip)
    assert measured["penetration_mm"] < 0.5
    assert measured["foot_slide_mm"] < 0.5
    planted = kt.PlantFeet()(on_child.clip)
    assert np.abs(planted.positions() - on_child.clip.positions()).mean() < 0.002


@pytest.mark.slow
def test_a_hand_at_the_mouth_is_at_the_mouth_of_the_other_body():
    clip, child = kt.sample("sit-and-drink"), kt.sample("walk-child")
    apart = np.linalg.norm(clip.joint("right hand").positions - clip.joint("head").positions, axis=1)
    near = apart < apart.min() + 0.03

    def error(hands):
        result = retarget(clip, child, hands=hands)
        scale = result.transfer.target.arm / result.transfer.source.arm
        apart = [c.joint("right hand").positions - c.joint("head").positions for c in (clip, result.clip)]
        return np.linalg.norm(scale * apart[0] - apart[1], axis=1)[near].mean()

    assert error("together") < 0.5 * error("body")


def test_hands_keep_their_places_in_the_world():
    clip, child = kt.sample("wave"), kt.sample("walk-child")
    result = retarget(clip, child, hands="world")
    goal = result.transfer.scale * clip.joint("right hand").positions
    assert np.median(np.linalg.norm(result.clip.joint("right hand").positions - goal, axis=1)) < 0.01


NAMES_OF_FINGERS = {
    "Unreal": ("{finger}_0{number}_{side}", "middle", "pinky"),
    "VRoid": ("J_Bip_{Side}_{Finger}{number}", "middle", "little"),
    "DAZ": ("{side}{Finger}{number}", "mid", "pinky"),
    "Character Creator": ("CC_Base_{Side}_{Finger}{number}", "mid", "pinky"),
    "Rigify": ("DEF-f_{finger}.0{number}.{Side}", "middle", "pinky"),
}


@pytest.mark.parametrize("scheme", NAMES_OF_FINGERS)
def test_fingers_are_matched_across_naming_schemes(scheme):
    clip, renamed = kt.sample("count"), {}
    pattern, middle, pinky = NAMES_OF_FINGERS[scheme]
    for name in clip.skeleton.names:
        for ours, theirs in (("Thumb", "thumb"), ("Index", "index"), ("Middle", middle), ("Ring", "ring")):
            if ours in name:
                renamed[name] = theirs
        if "Pinky" in name:
            renamed[name] = pinky
    for name, finger in renamed.items():
        side = "l" if name.startswith("Left") else "r"
        renamed[name] = pattern.format(
            finger=finger, Finger=finger.capitalize(), number=name[-1], side=side, Side=side.upper()
        )
    skeleton = clip.skeleton
    names = tuple(renamed.get(name, f"x_{name}") for name in skeleton.names)
    other = Skeleton(names, skeleton.parents, 1.1 * skeleton.offsets, skeleton.end_sites, skeleton.rest)
    result = retarget(clip, other, feet=False).clip
    fingers = [j for j, name in enumerate(skeleton.names) if name in renamed]
    assert len(fingers) >= 20
    assert np.rad2deg(rot.angle_between(result.rotations, clip.rotations)[:, fingers]).max() < 3.0


def test_the_metacarpal_of_a_thumb_is_its_first_joint():
    clip = kt.sample("count")
    parts = {"1": "Metacarpal", "2": "Proximal", "3": "Distal"}
    names = tuple(
        f"{name[0].lower()}{name[1:].split('Hand')[0]}Thumb{parts[name[-1]]}" if "Thumb" in name else name
        for name in clip.skeleton.names
    )
    skeleton = clip.skeleton
    other = Skeleton(names, skeleton.parents, 1.1 * skeleton.offsets, skeleton.end_sites, skeleton.rest)
    result = retarget(clip, other, feet=False).clip
    thumbs = [joint for joint, name in enumerate(names) if "Thumb" in name]
    assert len(thumbs) >= 4
    assert np.rad2deg(rot.angle_between(result.rotations, clip.rotations)[:, thumbs]).max() < 3.0


def test_a_bone_without_length_is_refused():
    skeleton = kt.sample("walk-child").skeleton
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.roles["left foot"]] = 0.0
    flat = Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.end_sites, skeleton.rest)
    with pytest.raises(SkeletonMismatchError, match="no length"):
        retarget(kt.sample("walk"), flat)


def test_the_report_says_what_was_matched_and_dropped():
    result = kt.run(kt.Retarget(to="sample:walk-child"), kt.sample("wave-fingers"))
    report = result.reports[0]
    assert report["matched"]["left foot"] == ["LeftFoot", "LeftFoot"]
    assert any("Index" in name for name in report["dropped"])
    assert report["contact_speed_mps"] < 0.005
    assert report["penetration_mm"] < 2.0
    assert any("joints matched" in line for line in result.describe())


def test_a_root_that_carries_hips_and_spine_apart_turns_with_the_hips():
    walk = kt.sample("walk")[:60]
    skeleton = walk.skeleton
    names = ("Root", "Pelvis", *skeleton.names[1:])
    legs = {skeleton.roles["left upper leg"], skeleton.roles["right upper leg"]}
    above = [1 if joint in legs else 0 if parent == 0 else parent + 1 for joint, parent in enumerate(skeleton.parents)]
    offsets = 1.2 * np.vstack([skeleton.offsets[:1], np.zeros((1, 3)), skeleton.offsets[1:]])
    sites = tuple(EndSite(site.parent + (site.parent > 0), site.offset, site.name) for site in skeleton.end_sites)
    branched = Skeleton(names, [-1, 0, *above[1:]], offsets, sites)
    result = retarget(kt.Turn(angle_deg=90)(walk), branched, feet=False).clip
    head = result.joint("head").positions - result.joint("left upper leg").positions
    assert np.abs(np.linalg.norm(head, axis=1) - np.linalg.norm(head[0])).max() < 0.06


def test_toes_lie_flat_while_they_stand(on_child):
    clip, tips = on_child.clip, 0
    for track in on_child.transfer.feet:
        for number, point in enumerate(track.points):
            if point.name == "toe":
                turned = rot.rotate(clip.world_rotations()[:, point.joint], np.array(point.offset))
                heights = (clip.positions()[:, point.joint] + turned)[:, 1] - track.heights
                assert np.abs(heights[track.standing[:, number]]).max() < 2e-3
                tips += 1
    assert tips == 2


def test_a_twist_bone_takes_its_share_of_the_twist():
    walk = kt.sample("walk")[:20]
    skeleton = walk.skeleton
    arm, hand = skeleton.roles["left lower arm"], skeleton.roles["left hand"]
    bone = skeleton.offsets[hand]
    twisted = Skeleton(
        (*skeleton.names, "LeftForeArmTwist"),
        (*skeleton.parents, arm),
        np.vstack([skeleton.offsets, 0.5 * bone]),
        skeleton.end_sites,
        np.vstack([skeleton.rest, rot.identity()[None]]),
    )
    turned = np.array(walk.rotations)
    turned[:, hand] = rot.multiply(rot.from_axis_angle(bone, np.deg2rad(60.0)), turned[:, hand])
    before, after = (retarget(clip, twisted, feet=False).clip for clip in (walk, walk.replace(rotations=turned)))
    share = rot.angle_between(before.rotations[:, -1], after.rotations[:, -1])
    assert np.rad2deg(share) == pytest.approx(30.0, abs=1.0)


def test_a_back_with_fewer_joints_keeps_the_direction_to_the_neck():
    whole = adult()
    spine = whole.names.index("Spine")
    kept = [joint for joint in range(len(whole)) if joint != spine]
    offsets = np.array(whole.offsets)
    offsets[whole.names.index("Chest")] *= 0.5
    above = [int(whole.parents[j]) for j in kept]
    parents = [-1 if parent < 0 else 0 if parent == spine else kept.index(parent) for parent in above]
    sites = tuple(EndSite(kept.index(site.parent), site.offset, site.name) for site in whole.end_sites)
    short = Skeleton(tuple(whole.names[j] for j in kept), parents, offsets[kept], sites)
    bent = np.array(np.broadcast_to(rot.identity(), (30, len(whole), 4)))
    bent[:, whole.names.index("Chest")] = rot.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.deg2rad(50.0))
    clip = kt.Clip(whole, 30.0, np.tile([0.0, 0.95, 0.0], (30, 1)), bent)
    ways = []
    for each, first in ((clip, "Spine"), (retarget(clip, short).clip, "Chest")):
        names, positions = each.skeleton.names, each.positions()
        way = positions[:, names.index("Neck")] - positions[:, names.index(first)]
        ways.append(way / np.linalg.norm(way, axis=1, keepdims=True))
    assert np.rad2deg(np.arccos(np.sum(ways[0] * ways[1], axis=1))).max() < 4.0  # its bones are not in one line


def test_a_foot_that_rolls_is_not_laid_flat_by_labels_that_call_it_flat():
    walk = kt.sample("walk")
    found = find_contacts(walk)
    result = retarget(walk.replace(contacts=replace(found, heels=found.flags, toes=found.flags)), adult())
    known, body = result.clip.contacts, result.transfer.target
    for side in ("left", "right"):
        role = f"{side} foot"
        turned = rot.angle_between(
            result.transfer.orientations[role], result.clip.world_rotations()[:, body.roles[role]]
        )
        assert np.rad2deg(turned).mean() < 2.0
        column = known.column(side)
        assert np.array_equal(known.flags[:, column], found.flags[:, found.column(side)])
        assert known.heels[:, column].sum() < 0.8 * known.flags[:, column].sum()


def test_knees_stay_calm_where_the_feet_of_the_source_slide():
    walk = kt.sample("walk")[:200]
    way = (walk.root[-1] - walk.root[0]) * [1.0, 0.0, 1.0]
    sliding = walk.replace(root=walk.root + 0.3 * np.outer(walk.times, way / np.linalg.norm(way)))
    result = retarget(sliding.replace(contacts=find_contacts(walk)), kt.sample("walk-child"))

    def knee_acceleration(clip, leg):
        knees = clip.positions()[:, [clip.skeleton.roles[f"{side} lower leg"] for side in ("left", "right")]]
        return np.sqrt(np.mean(np.diff(knees, 2, axis=0) ** 2)) / leg

    bodies = result.transfer.source.leg, result.transfer.target.leg
    assert knee_acceleration(result.clip, bodies[1]) < 2.0 * knee_acceleration(sliding, bodies[0])


def knee_bends(clip, side):
    """How far a knee is bent, in degrees, (frames,)."""
    at = [clip.positions()[:, clip.skeleton.roles[f"{side} {part}"]] for part in ("upper leg", "lower leg", "foot")]
    thigh, shank = (way / np.linalg.norm(way, axis=1, keepdims=True) for way in np.diff(at, axis=0))
    return np.rad2deg(np.arctan2(np.linalg.norm(np.cross(thigh, shank), axis=1), np.sum(thigh * shank, axis=1)))


def standing(frames=60):
    """Someone who stands still with straight knees."""
    body = adult()
    return kt.Clip(body, 30.0, np.tile([0.0, 0.96, 0.0], (frames, 1)), rot.identity(frames, len(body)))


def test_a_straight_knee_does_not_jump_where_its_foot_leaves_and_lands():
    still = standing()
    found = find_contacts(still)
    flags = np.array(found.flags)
    flags[20:40, found.column("left")] = False
    result = retarget(
        still.replace(contacts=replace(found, flags=flags, heels=flags, toes=flags)), kt.sample("walk-child")
    )
    assert np.abs(np.diff(knee_bends(result.clip, "left"))).max() < 2.0


def test_a_foot_does_not_jump_where_its_toes_were_kept_above_the_floor():
    """While its heel stands its toes are; they sink with the source's when it leaves."""
    still = standing(200)
    foot, frames = still.skeleton.roles["left foot"], slice(140, 180)
    rotations, found = np.array(still.rotations), find_contacts(still)
    pitch = 0.3 * np.sin(np.linspace(0.0, np.pi, 40)) ** 2
    rotations[frames, foot] = rot.multiply(rotations[frames, foot], rot.from_axis_angle([1.0, 0.0, 0.0], pitch))
    flags, heels, toes = np.array(found.flags), np.array(found.heels), np.array(found.toes)
    column = found.column("left")
    toes[frames, column] = False
    flags[140:160, column] = heels[140:160, column] = False
    sunk = still.replace(rotations=rotations, contacts=replace(found, flags=flags, heels=heels, toes=toes))
    course = next(each for each in retarget(sunk, kt.sample("walk-child")).transfer.feet if each.side == "left")
    steps = np.rad2deg(rot.angle_between(course.rotation[1:], course.rotation[:-1]))
    assert steps.max() < 8.0


def test_a_foot_whose_toes_only_sink_stays_flat():
    still = standing(200)
    foot, frames = still.skeleton.roles["left foot"], slice(140, 180)
    rotations, found = np.array(still.rotations), find_contacts(still)
    pitch = 0.3 * np.sin(np.linspace(0.0, np.pi, 40)) ** 2
    rotations[frames, foot] = rot.multiply(rotations[frames, foot], rot.from_axis_angle([1.0, 0.0, 0.0], pitch))
    result = retarget(still.replace(rotations=rotations, contacts=found), kt.sample("walk-child"))
    known = result.clip.contacts
    assert known.heels[:, known.column("left")].all()


def test_toes_that_lie_on_the_ground_only_bend():
    still = standing(200)
    foot, frames = still.skeleton.roles["left foot"], slice(140, 180)
    rotations, found = np.array(still.rotations), find_contacts(still)
    roll = rot.from_axis_angle([0.0, 0.3, 1.0], 0.3 * np.sin(np.linspace(0.0, np.pi, 40)) ** 2)
    rotations[frames, foot] = rot.multiply(rotations[frames, foot], roll)
    heels = np.array(found.heels)
    heels[frames, found.column("left")] = False
    rolled = still.replace(rotations=rotations, contacts=replace(found, heels=heels))
    transfer = retarget(rolled, kt.sample("walk-child")).transfer
    course, body = next(each for each in transfer.feet if each.side == "left"), transfer.target
    axes = body.axes[course.joint]
    against = rot.multiply(rot.inverse(rot.multiply(course.rotation, axes)), course.toe_rotation)
    bend = rot.log(rot.multiply(against, rot.multiply(rot.inverse(body.neutral[course.toes]), axes)))
    assert np.abs(bend[frames, 1:]).max() < 1e-9


def test_a_foot_on_its_ball_stands_on_the_floor_and_not_on_a_step():
    still = standing(200)
    rotations, root, found = np.array(still.rotations), np.array(still.root), find_contacts(still)
    foot, frames = still.skeleton.roles["left foot"], slice(100, 200)
    rotations[frames, foot] = rot.multiply(rotations[frames, foot], rot.from_axis_angle([1.0, 0.0, 0.0], 0.9))
    root[frames, 1] += 0.075
    flags, heels = np.array(found.flags), np.array(found.heels)
    flags[90:100] = flags[frames, found.column("right")] = heels[frames] = False
    tiptoe = still.replace(rotations=rotations, root=root, contacts=replace(found, flags=flags, heels=heels))
    course = next(each for each in retarget(tiptoe, kt.sample("walk-child")).transfer.feet if each.side == "left")
    assert not course.heights.any()
