import numpy as np
import pytest

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.kinematics.knees import find_leg, knee_bend
from kinetune.body.quality.measures import measure
from kinetune.errors import ParameterError, UnknownNameError
from kinetune.formats import read
from kinetune.operations.equalize import Equalize, bands_of
from kinetune.operations.resample import Resample
from kinetune.samples import sample
from kinetune.signals.bands.pyramid import equalize
from tests.conftest import data_folder
from tests.operations import making

BARE = {"keep_feet": False, "limit_knees": False}
PRESETS = pytest.mark.parametrize("preset", ["exaggerate", "nervous", "subdued", "anticipation"])


def swings(clip, joint):
    """How far a joint turns about its mean, in radians, root mean square."""
    q = clip.rotations[:, clip.skeleton.index(joint)]
    return float(np.sqrt(np.mean(rot.angle_between(q, np.broadcast_to(rot.mean(q), q.shape)) ** 2)))


def test_the_public_contract():
    clip = making.walker(301)
    result = Equalize(gains=[1, 1, 1.5, 1.5, 1, 1])(clip)
    assert swings(result, "LeftArm") > swings(clip, "LeftArm")


def test_exaggerated_joints_swing_wider_and_subdued_ones_less():
    clip = making.walker(301)
    wide, narrow = (
        Equalize(keep_feet=False, preset="exaggerate")(clip),
        Equalize(keep_feet=False, preset="subdued")(clip),
    )
    for joint in ("LeftArm", "LeftUpLeg", "RightLeg"):
        assert 1.25 * swings(clip, joint) < swings(wide, joint) < 1.7 * swings(clip, joint)
        assert swings(narrow, joint) < 0.75 * swings(clip, joint)


@PRESETS
def test_a_preset_does_the_same_at_any_frame_rate(preset):
    clip = making.walker(601, 240.0)
    slow, fast = (
        Equalize(**BARE, preset=preset)(Resample(fps=60)(clip)),
        Resample(fps=60)(Equalize(**BARE, preset=preset)(clip)),
    )
    middle = slice(30, -30)
    apart = rot.angle_between(slow.rotations, fast.rotations)[middle].max()
    moved = rot.angle_between(slow.rotations, Resample(fps=60)(clip).rotations)[middle].max()
    assert moved > np.radians(2)
    assert apart < 0.3 * moved


def test_nervous_enlarges_jitter_and_little_else():
    clip = making.walker(301)
    shaken = clip.replace(
        rotations=rot.multiply(
            clip.rotations,
            rot.exp(0.01 * np.sin(2 * np.pi * 9.0 * clip.times)[:, None, None] * np.ones((1, len(clip.skeleton), 3))),
        )
    )
    result = Equalize(preset="nervous")(shaken)
    jitter = rot.angle_between(shaken.rotations, clip.rotations)[60:-60].max()
    assert rot.angle_between(result.rotations, clip.rotations)[60:-60, 3].max() > 2.0 * jitter


def test_anticipation_swings_back_before_an_action_and_beyond_it_after():
    """The paper's knock: the hand draws back before it goes up, and overshoots when it comes down."""
    clip = sample("knock")
    result = Equalize(preset="anticipation", joints="arms")(clip)
    ahead = result.joint("right hand").positions[:, 2]
    raised = int(np.argmax(np.gradient(clip.joint("right hand").positions[:, 1])))
    assert ahead[: raised + 1].min() < ahead[0] - 0.05
    assert ahead[: raised + 1].min() < clip.joint("right hand").positions[:, 2].min() - 0.03


def test_gains_by_list_by_mapping_and_by_curve_agree():
    clip = making.walker(121)
    plain = Equalize(gains=[1, 1, 1, 2])(clip)
    assert Equalize(gains={"3": 2})(clip).same_motion(plain)
    assert Equalize(gains={3: 2}) == Equalize(gains=[1, 1, 1, 2])
    assert Equalize(gain_keys={"band 3": [(0.0, 2.0)]})(clip).same_motion(plain, 1e-9)
    assert Equalize(gains=[1, 1, 1, 3], amount=0.5)(clip).same_motion(plain, 1e-9)


def test_gain_that_changes_over_time():
    clip = making.walker(301)
    result = Equalize(keep_feet=False, preset="exaggerate", amount_keys=[(2.0, 0.0), (3.0, 1.0)])(clip)
    full = Equalize(keep_feet=False, preset="exaggerate")(clip)
    apart = rot.angle_between(result.rotations, clip.rotations).max(axis=1)
    assert apart[:121].max() < 1e-9
    assert rot.angle_between(result.rotations, full.rotations)[180:].max() < 1e-9
    assert Equalize(keep_feet=False, gain_keys={"all": [(0.0, 1.0), (1.0, 1.0)]})(clip).same_motion(clip)


def test_solo_and_mute():
    clip = making.walker(301)
    assert Equalize(mute=[4])(clip).same_motion(Equalize(gains={"4": 0})(clip))
    alone = Equalize(solo=[4])(clip)
    assert alone.same_motion(Equalize(gains=[0, 0, 0, 0, 1, 0, 0, 0])(clip))


def test_groups_have_gains_of_their_own():
    clip = making.walker(301)
    result = Equalize(
        keep_feet=False, gains=[1, 1, 1, 2, 2, 2], groups={"left arm": [], "right arm": [1, 1, 1, 0, 0, 0]}
    )(clip)
    left = list(clip.skeleton.select("left arm"))
    assert np.allclose(result.rotations[:, left], clip.rotations[:, left], atol=1e-9)
    assert swings(result, "RightArm") < 0.5 * swings(clip, "RightArm")
    assert swings(result, "LeftUpLeg") > 1.5 * swings(clip, "LeftUpLeg")
    with pytest.raises(UnknownNameError, match="left arm"):
        Equalize(keep_feet=False, groups={"left armm": [2]})(clip)


def test_groups_have_solo_mute_and_curves_of_their_own():
    clip = making.walker(301)
    settings = {
        "left arm": {"gains": [1, 1, 1, 2], "mute": [4], "gain_keys": {"5": [(0.0, 3.0)]}},
        "right arm": {"solo": [3]},
    }
    result = Equalize(groups=settings, mute=[0])(clip)
    twin = Equalize(groups={"left arm": [0, 1, 1, 2, 0, 3], "right arm": [0, 0, 0, 1] + [0] * 10}, mute=[0])(clip)
    assert result.same_motion(twin, 1e-9)
    assert swings(result, "RightArm") < 0.9 * swings(clip, "RightArm")


def test_a_group_with_gains_alone_is_written_as_a_list():
    step = Equalize(groups={"head": {"gains": [2]}, "arms": {"3": 1.5}, "legs": {"solo": [1]}})
    assert step.as_step()["groups"] == {"head": [2.0], "arms": [1.0, 1.0, 1.0, 1.5], "legs": {"solo": [1]}}
    assert Equalize(groups=step.as_step()["groups"]) == step


def test_only_the_chosen_joints_change():
    clip = making.walker(121)
    result = Equalize(preset="exaggerate", joints="left arm", root="all")(clip)
    arm = list(clip.skeleton.select("left arm"))
    others = [j for j in range(len(clip.skeleton)) if j not in arm]
    assert np.allclose(result.rotations[:, others], clip.rotations[:, others], atol=1e-12)
    assert np.array_equal(result.root, clip.root)


def test_euler_is_the_papers_form_on_raw_channels(tmp_path):
    """The channels of the file, split and joined as they stand, give the same motion."""
    from kinetune.formats import write

    file = write(making.pendulums(96, 30.0), tmp_path / "chain.bvh")
    clip = read(file)
    orders = [
        "".join(name[0] for name in names if name.endswith("rotation")) for names in clip.source.layout.channels.names
    ]
    gains = [1.0, 0.5, 1.6, 1.6]
    result = Equalize(gains=gains, representation="euler", root="none")(clip)
    raw = clip.source.layout.values
    column = 0
    for joint, names in enumerate(clip.source.layout.channels.names):
        columns = [column + k for k, name in enumerate(names) if name.endswith("rotation")]
        column += len(names)
        angles = np.radians(equalize(raw[:, columns], gains))
        wanted = rot.from_euler(angles, orders[joint])
        assert rot.angle_between(result.rotations[:, joint], wanted).max() < 1e-6


def test_log_does_not_depend_on_the_euler_order_and_euler_does():
    clip = making.pendulums()
    log = Equalize(preset="exaggerate")(clip)
    euler = Equalize(preset="exaggerate", representation="euler")(clip)
    assert rot.angle_between(log.rotations, euler.rotations).max() > np.radians(0.5)


def test_nothing_flips_at_half_a_turn():
    clip = making.near_pi()
    result = Equalize(gains=[1, 1, 1.3, 1.3, 1.3])(clip)
    steps = rot.angle_between(result.rotations[1:], result.rotations[:-1]).max(axis=0)
    before = rot.angle_between(clip.rotations[1:], clip.rotations[:-1]).max(axis=0)
    assert np.all(steps < 2.0 * before + 0.05)


def test_a_pirouette_keeps_its_speed():
    t = np.arange(360) / 120.0
    spin = Clip(making.chain(1), 120.0, np.zeros((360, 3)), rot.about_y(9.0 * t)[:, None])
    result = Equalize(gains=[3] * 8)(spin)
    assert rot.angle_between(result.rotations, spin.rotations).max() < 0.05


def test_paths_of_hands_are_equalized():
    clip = sample("walk")
    result = Equalize(gains=[1, 1, 1, 0.3, 0.3, 0.3], target="paths", joints="hands")(clip)
    before, after = (
        np.ptp(c.joint("left hand").positions[:, 2] - c.joint("chest").positions[:, 2]) for c in (clip, result)
    )
    assert after < 0.7 * before
    legs = list(clip.skeleton.select("legs"))
    assert np.allclose(result.rotations[:, legs], clip.rotations[:, legs], atol=1e-12)
    assert measure(result)["flips"] == 0


def test_contacts_are_kept_for_planting_feet_afterwards():
    clip = making.walker()
    assert Equalize(preset="exaggerate")(clip).contacts == clip.contacts


def test_bands_of_a_clip():
    bands = bands_of(making.walker(301, 120.0))
    assert len(bands) == 8
    assert bands[5].centre_hz == pytest.approx(0.99, abs=0.01)


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        ({"gains": [1], "preset": "nervous"}, "give gains or a preset, not both"),
        ({"gains": [1000]}, "gain 1 of gains is 1000"),
        ({"gains": {"x": 1}}, "'x' is no band"),
        ({"gains": {"all": 2}}, "called by their numbers"),
        ({"gains": {"99": 2}}, "no band; bands have the numbers 0 to 40"),
        ({"preset": "happy"}, "preset is 'happy'"),
        ({"solo": [-1]}, "number 1 of solo is -1"),
        ({"amount_keys": [(1, 1), (1, 2)]}, "keys follow each other in time"),
        ({"gain_keys": {"3": []}}, "the gain of band 3 has no keys"),
        ({"gain_keys": [1, 2]}, "gain_keys"),
        ({"gain_keys": 3}, "gain_keys is 3"),
        ({"gain_keys": {"3": 1}}, "gain_keys"),
        ({"groups": {"left arm": "loud"}}, "groups"),
        ({"groups": ["left arm"]}, "groups"),
        ({"groups": {"left arm": {"gains": [2], "loud": 1}}}, "loud"),
        ({"groups": {"left arm": {"gain_keys": {"2": []}}}}, "no keys"),
        ({"groups": {"left arm": {"gain_keys": {"2": [(1, 1), (0, 1)]}}}}, "in time"),
        ({"gain_keys": {"3": [(2, 1), (1, 2)]}}, "keys follow each other in time"),
    ],
)
def test_impossible_knobs_are_told(knobs, words):
    with pytest.raises(ParameterError, match=f"^equalize: .*{words}"):
        Equalize(**knobs)


FILES = [] if data_folder() is None else sorted((data_folder() / "cmu").glob("*.bvh"))[::6]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
@PRESETS
def test_captures_come_out_without_new_flips(file, preset):
    clip = read(file)[1:]
    result = Equalize(keep_feet=False, limit_knees=False, preset=preset)(clip)
    assert np.isfinite(result.positions()).all()
    if preset != "nervous":  # it enlarges the jitter of the capture, which may count as a flip
        assert measure(result)["flips"] <= measure(clip)["flips"] + 1
    assert np.abs((result.root - clip.root)[:, [0, 2]]).max() < 1e-9


# --- gains by frequency


@pytest.mark.parametrize("fps", [30.0, 48.0, 60.0])
def test_gains_by_frequency_mean_the_same_at_every_rate(fps):
    clip = making.walker(481, 120.0, drift=0.05).replace(contacts=None)
    edit = Equalize(gains_hz={2: 1.4, 1: 1.4, 0.5: 0.8}, keep_feet=False)
    first = Resample(fps=fps)(edit(clip))
    then = edit(Resample(fps=fps)(clip))
    moved = np.linalg.norm(first.positions() - Resample(fps=fps)(clip).positions(), axis=2).max()
    apart = np.linalg.norm(first.positions() - then.positions(), axis=2)[15:-15].max()
    assert moved > 0.05
    assert apart < 0.2 * moved
    by_band = Equalize(gains=[1, 1, 1.4, 1.4, 0.8], keep_feet=False)
    slow = Resample(fps=30.0)
    apart = np.abs(by_band(slow(clip)).positions() - slow(by_band(clip)).positions()).max()
    assert apart > 0.5 * moved, "bands by number do not"


def test_gains_by_frequency_are_those_of_the_bands_at_thirty():
    clip = making.walker(241, 30.0)
    assert np.allclose(Equalize(gains_hz={8: 2, 2: 0.5}).band_gains(clip)[:5], [2, 1.25, 0.5, 1, 1])
    assert Equalize(gains_hz={2: 1.4}).as_step()["gains_hz"] == {"2": 1.4}
    assert Equalize(gains_hz={"2 Hz": 1.4}) == Equalize(gains_hz={2.0: 1.4})
    with pytest.raises(ParameterError, match="frequency"):
        Equalize(gains_hz={"band 2": 1.4})
    with pytest.raises(ParameterError, match="only one"):
        Equalize(gains_hz={2: 1.4}, preset="nervous")


@pytest.mark.parametrize("preset", ["exaggerate", "nervous"])
def test_knees_do_not_bend_backward_even_where_feet_are_not_kept(preset):
    clip = sample("run")
    leg = find_leg(clip, "left", clip.skeleton.roles["left foot"])
    wide = Equalize(preset=preset, amount=2.0, keep_feet=False)
    bare = wide.model_copy(update={"limit_knees": False})
    least = knee_bend(clip, leg).min()
    assert knee_bend(bare(clip), leg).min() < least - np.deg2rad(2.0)
    assert knee_bend(wide(clip), leg).min() > min(least, 0.0) - np.deg2rad(1.0)


@pytest.mark.parametrize("gains", [{"preset": "exaggerate"}, {"preset": "subdued"}, {"gains_hz": {2: 1.4, 1: 0.6}}])
def test_a_clip_resampled_and_equalized_is_the_equalized_clip_resampled(gains):
    """From 30 to 120 frames a second, away from the ends: within a tenth of what the edit changes."""
    walk = Resample(fps=30)(sample("walk"))
    edit, faster = Equalize(**gains, **BARE), Resample(fps=120)
    one, other = edit(faster(walk)), faster(edit(walk))
    middle = slice(60, -60)
    apart = np.linalg.norm((one.positions() - other.positions())[middle], axis=-1)
    moved = np.linalg.norm((other.positions() - faster(walk).positions())[middle], axis=-1)
    assert moved.max() > 0.03
    assert apart.max() < 0.1 * moved.max()


def test_a_group_takes_gains_by_frequency():
    clip = making.walker(301)
    by_band = Equalize(groups={"left arm": [1, 1, 1, 1.8]}, **BARE)
    by_hz = Equalize(groups={"left arm": {"gains_hz": {2: 1.8}}}, **BARE)
    assert by_hz(clip).same_motion(by_band(clip))
    assert Equalize(**{k: v for k, v in by_hz.as_step().items() if k != "op"}) == by_hz
    with pytest.raises(ParameterError, match="by band or by frequency"):
        Equalize(groups={"left arm": {"gains": [2], "gains_hz": {2: 1.8}}})


@pytest.mark.parametrize("keep_feet", [True, False])
def test_knees_do_not_lock_along_paths_that_lead_out_of_reach(keep_feet):
    """Exaggerated paths of feet do through all of a stance: knees would be stretched flat, and snap there and back."""
    clip = sample("walk")
    edited = Equalize(preset="exaggerate", target="paths", keep_feet=keep_feet)(clip)
    for side in ("left", "right"):
        leg = find_leg(clip, side, clip.skeleton.roles[f"{side} foot"])
        was, now = (np.rad2deg(knee_bend(each, leg)) for each in (clip, edited))
        assert np.abs(np.diff(now, 2)).max() < 1.5 * np.abs(np.diff(was, 2)).max()
        assert np.median(now) > 0.75 * np.median(was)
        assert now.max() > was.max() + 2.0
