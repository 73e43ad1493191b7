import itertools
import re

import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.body.feet.contacts import find_contacts
from kinetune.body.feet.floor import find_ground
from kinetune.body.quality.measures import find_slides
from kinetune.body.timeline.alignment import known_contacts
from kinetune.errors import ParameterError, RecipeError, SkeletonMismatchError
from kinetune.findings import Finding
from kinetune.operations.align import Align
from kinetune.operations.base import collecting_results
from kinetune.operations.blend import Blend
from kinetune.operations.plant_feet import PlantFeet
from kinetune.operations.trim import Trim
from tests.body import walkers
from tests.operations import making


def two_walks():
    return making.walker(121, drift=0.1), making.walker(181, period=1.5, drift=0.2)


def test_the_public_form():
    clip, sad = two_walks()
    result = kt.Blend(other="sad", weight=0.6)(clip, sad=sad)
    assert len(result) == 121 + round(0.6 * 60)
    assert result.history[-1] == {"op": "blend", "other": "sad", "weight": 0.6, "keep_feet": True}


@pytest.mark.slow
def test_weights_of_several_clips_are_ratios():
    a, b = two_walks()
    c = making.walker(151, period=1.25, drift=-0.1)
    one = Blend(others=["b", "c"], weights=[2, 1, 1])(a, b=b, c=c)
    two = Blend(others=["b", "c"], weights=[1, 0.5, 0.5])(a, b=b, c=c)
    assert one.same_motion(two)
    alike = Blend(others=["b", "c"])(a, b=b, c=c)
    assert len(alike) == pytest.approx((121 + 181 + 151) / 3, abs=1)


def test_weights_over_time_lead_from_one_clip_to_the_other():
    a, b = making.walker(121), making.walker(121, drift=0.5)
    result = Blend(other="b", weight_keys=[[0, 0], [0.5, 0], [1.5, 1], [2, 1]], align=False)(a, b=b)
    turned = [rot.angle_between(result.rotations, c.rotations).max(axis=1) for c in (a, b)]
    assert turned[0][:30].max() < 1e-6
    assert turned[1][91:].max() < 1e-6
    assert turned[0][60] > 0.01


def test_timing_is_a_matter_of_its_own():
    """The poses of one clip at the pace of the other: as long as the other, and as wide as the one."""
    a, b = two_walks()
    paced = Blend(keep_feet=False, other="b", weight=0.0, timing=1.0)(a, b=b)
    assert len(paced) == len(b)
    assert len(Blend(keep_feet=False, other="b", weight=1.0, timing=0.0)(a, b=b)) == len(a)
    assert len(Blend(keep_feet=False, other="b", weight=0.2, timing=0.5)(a, b=b)) == pytest.approx(
        (len(a) + len(b)) / 2, abs=1
    )
    ends = paced.rotations[[0, -1]], a.rotations[[0, -1]]
    assert rot.angle_between(*ends).max() < 1e-6
    assert Blend(keep_feet=False, other="b", weight=0.3, timing=0.3)(a, b=b).same_motion(
        Blend(keep_feet=False, other="b", weight=0.3)(a, b=b)
    )


def test_one_key_stays():
    a, b = making.walker(61), making.walker(61, drift=0.5)
    keyed = Blend(other="b", weight_keys=[[0.5, 0.3]], align=False)(a, b=b)
    assert keyed.same_motion(Blend(other="b", weight=0.3, align=False)(a, b=b))


def test_groups_have_their_own_weights():
    a, b = making.walker(121), making.walker(121, drift=0.5)
    result = Blend(other="b", weight=0.0, groups={"left arm": 1.0}, align=False)(a, b=b)
    arm = list(a.skeleton.select("left arm"))
    rest = [j for j in range(len(a.skeleton)) if j not in arm]
    assert rot.angle_between(result.rotations[:, arm], b.rotations[:, arm]).max() < 1e-6
    assert rot.angle_between(result.rotations[:, rest], a.rotations[:, rest]).max() < 1e-6


def test_bands_by_number_or_name():
    a, b = two_walks()
    listed = Blend(other="b", weight=0.5, bands=[0.0, 0.5, 0.2])
    named = Blend(other="b", weight=0.5, bands={"band 2": 0.2, "0": 0.0})
    assert named.bands == (0.0, None, 0.2)
    assert listed(a, b=b).same_motion(named(a, b=b))


def test_true_and_false_are_ways_of_aligning():
    assert Blend(other="b", align=True).align == "warp"
    assert Blend(other="b", align=False).align == "none"


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"others": ["b", "c"], "timing": 0.5}, "between two clips"),
        ({"other": "b", "timing": 1.5}, "timing"),
        ({}, "name the clip"),
        ({"other": "b", "others": ["c"]}, "name the clip"),
        ({"others": ["b", "c"], "weights": [1.0, -1.0, 0.0]}, "sum to 0"),
        ({"others": ["b", "c"], "weights": [1.0, 2.0]}, "takes 3 weights"),
        ({"others": ["b", "c"], "weight": 0.3}, "single other clip"),
        ({"other": "b", "weights": [0.5, -0.5]}, "sum to 0"),
        ({"other": "b", "weight": 9.0}, "weight is 9"),
        ({"other": "b", "weight": 0.2, "weight_keys": [[0, 1]]}, "not both"),
        ({"other": "b", "weight_keys": [[1, 0], [1, 1]]}, "follow each other"),
        ({"other": "b", "weight_keys": [[0, 0, 0, 1]]}, "takes 2 weights"),
        ({"other": "b", "bands": {"x": 1.0}}, "no band"),
        ({"other": "b", "groups": {"arms": [1.0, 2.0, 3.0]}}, "takes 2 weights"),
    ],
)
def test_knobs_that_do_not_fit_are_explained(knobs, words):
    with pytest.raises(ParameterError, match=words) as caught:
        Blend(**knobs)
    assert "\n" not in str(caught.value)


def test_what_is_missing_is_said():
    with pytest.raises(RecipeError, match='"c"'):
        Blend(others=["b", "c"])(making.walker(), b=making.walker())
    with pytest.raises(SkeletonMismatchError, match='"b"'):
        Blend(other="b")(making.walker(), b=making.pendulums())


def test_alignment_keeps_the_feet_of_two_captured_walks_from_skating(shared_data):
    """Feet that stand in both walks stand together, and do not skate in the mix."""
    sad, happy = (Trim(drop_t_pose=True)(kt.read(shared_data / "cmu" / f"{name}.bvh")) for name in ("82_10", "82_12"))
    sad, happy = (clip.replace(contacts=find_contacts(clip)) for clip in (sad, happy))
    mixes = {
        a: Blend(other="happy", weight=0.5, align=a, keep_feet=False)(sad, happy=happy)
        for a in ("warp", "scale", "none")
    }
    standing = {align: float(mix.contacts.flags.mean()) for align, mix in mixes.items()}
    assert standing["warp"] > 1.1 * max(standing["scale"], standing["none"])
    mix = mixes["warp"]
    slides = [slide.metres for slide in find_slides(mix, mix.contacts, find_ground(mix))]
    assert np.median(slides) < 0.035


def reported(operation, *clips, **inputs):
    with collecting_results() as results:
        operation(*clips, **inputs)
    return {each.kind: str(each) for each in results if isinstance(each, Finding)}


@pytest.mark.slow
def test_what_has_no_counterpart_is_reported():
    many, few = making.walker(370, drift=0.02), making.walker(250)
    assert "of this clip" in reported(Blend(other="b"), many, b=few)["no-counterpart"]
    assert 'of "b"' in reported(Blend(other="b"), few, b=many)["no-counterpart"]
    assert "left out" in reported(Align(to="b"), many, b=few)["no-counterpart"]
    assert reported(Blend(other="b"), *[making.walker(121)], b=making.walker(121, drift=0.1)) == {}
    assert "shortest" in reported(Blend(other="b", align="none"), many, b=few)["no-counterpart"]


def test_a_walk_and_a_run_are_mixed_with_a_warning():
    walk, run = walkers.WALK.clip(seconds=3.3, fps=60.0), walkers.RUN.clip(seconds=2.2, fps=60.0)
    found = reported(Blend(other="run"), walk, run=run)
    assert 'This clip walks and "run" runs' in found["different-gaits"]
    result = Blend(other="run")(walk, run=run)
    both = [known_contacts(clip).flags.mean() for clip in (walk, run)]
    assert result.contacts.flags.mean() < min(both) + 0.05, "feet stand only where they stand in both"


def test_a_captured_walk_and_a_captured_run_keep_their_thighs_together(shared_data):
    walk, run = (kt.read(shared_data / "cmu_asfamc" / f"02_{name}.amc") for name in ("01", "03"))

    def apart(clip):
        legs = [clip.joint(f"{side} lower leg").positions - clip.joint(f"{side} upper leg").positions for side in SIDES]
        cosine = np.sum(legs[0] * legs[1], axis=1) / np.prod([np.linalg.norm(leg, axis=1) for leg in legs], axis=0)
        return float(np.degrees(np.arccos(cosine)).max())

    mix = Blend(other="run")(walk, run=run)
    assert apart(mix) < max(apart(walk), apart(run))
    assert apart(PlantFeet()(mix)) < apart(mix) + 6.0


SIDES = ("left", "right")


def test_feet_of_a_mix_do_not_sink_below_those_of_its_clips():
    """Legs bent at different moments are straighter in the mix than in either walk."""
    walk, longer = making.walker(151), making.walker(181)
    half_a_stride_on = longer[30:].replace(root=longer[30:].root - [0.0, 0.0, 0.5 * making.STRIDE])
    ground = find_ground(walk)
    bare, kept = (Blend(other="o", align="none", keep_feet=keep)(walk, o=half_a_stride_on) for keep in (False, True))
    deepest = [min(ground.sole_heights(clip, foot).min() for foot in range(2)) for clip in (walk, bare, kept)]
    assert deepest[1] < -0.04
    assert deepest[2] > deepest[0] - 0.005


@pytest.mark.parametrize("name", ["kimodo/soma-rp_08_stylized_text.npz", "accad/Male1_C12_RunTurnLeft45.bvh"])
def test_feet_of_mixed_captures_do_not_sink(shared_data, name):
    clip = kt.read(shared_data / name)
    ground = find_ground(clip)
    kept = Blend(other="o")(clip, o=kt.Mirror()(clip))
    deepest = [min(ground.sole_heights(each, foot).min() for foot in range(2)) for each in (clip, kept)]
    assert deepest[1] > deepest[0] - 0.02


def test_feet_of_mixed_captures_do_not_sink_into_a_floor_that_leans(shared_data):
    """Over five metres, a lean of a degree is 9 cm: the lowest height of a clip says little about its other end."""
    clip, other = (kt.read(shared_data / "cmu" / f"{name}.bvh") for name in ("07_01", "08_01"))
    mix = Blend(other="o")(clip, o=other)
    before = max(kt.measure(each)["penetration_mm"] for each in (clip, other))
    assert kt.measure(mix)["penetration_mm"] < before + 5.0


def below_a_still_root(text, offset):
    """The text of a BVH file whose character travels below a root that does not, at some static offset from it."""
    head, _, body = text.partition("MOTION")
    name = re.search(r"ROOT\s+(\S+)", head).group(1)
    moved = f"JOINT {name}\n{{\nOFFSET {' '.join(map(str, offset))}"
    head = re.sub(r"ROOT\s+\S+\s*\{\s*OFFSET[^\n]*", moved, head, count=1)
    return f"{head.replace('HIERARCHY', _STILL_ROOT, 1)}\n}}\nMOTION{body}"


_STILL_ROOT = "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\nCHANNELS 0\n"


@pytest.mark.slow
def test_blends_do_not_depend_on_static_offsets_of_a_joint_that_travels(shared_data, tmp_path):
    """Its position channels say where it is; files of one character differ in what stands in their OFFSET lines."""
    files = sorted((shared_data / "accad").glob("*.bvh"))[2:10]
    clips = []
    for number, file in enumerate(files):
        copies = []
        for name, offset in (("plain", (0, 0, 0)), ("odd", (5 * number, 30 * number + 40, -7 * number))):
            copy = tmp_path / f"{file.stem}_{name}.bvh"
            copy.write_text(below_a_still_root(file.read_text(), offset))
            copies.append(kt.read(copy)[:240])
        clips.append(copies)
    pairs = list(itertools.combinations(clips, 2))
    assert len(pairs) == 28
    for first, second in pairs:
        plain, odd = (Blend(other="o")(a, o=b) for a, b in zip(first, second, strict=True))
        assert np.abs(plain.positions()[:, 1:] - odd.positions()[:, 1:]).max() < 1e-9
        heights = [np.median(clip.joint("hips").positions[:, 1]) for clip in (first[0], second[0], odd)]
        assert min(heights[:2]) - 0.03 < heights[2] < max(heights[:2]) + 0.03
