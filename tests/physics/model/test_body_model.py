"""The body: masses, coordinates and the file that MuJoCo opens."""

from __future__ import annotations

import pickle

import mujoco
import numpy as np
import pytest

import kinetune as kt
from kinetune import rotations as rot
from kinetune.errors import ParameterError
from kinetune.formats.npz._smpl_skeleton import generic_skeleton
from kinetune.physics.equations_of_motion import Dynamics, centres_of_mass, segment_poses
from kinetune.physics.model._fitting import rest_clip, usual_mass
from kinetune.physics.model.body_model import Body, select_points
from tests.body.people import adult, random_clip, random_tree
from tests.body.reframed import other_frames
from tests.body.rigs import RIGS
from tests.physics.figures import walker, walker_body

SAMPLES = ["walk", "kick-1", "walk-child", "wave-rig", "wave-fingers", "count"]


@pytest.mark.parametrize("mass", [1.0, 62.5, 70.0, 310.0])
@pytest.mark.parametrize("tables", ["de Leva", "Dempster"])
def test_total_mass_is_exact(mass, tables):
    body = Body.fit(adult(), mass, tables=tables)
    assert body.mass == pytest.approx(mass, rel=1e-14)
    assert body.model.body_mass.sum() == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
def test_coordinates_and_back(name):
    clip = kt.sample(name)[:60]
    body = Body.fit(clip.skeleton)
    back = body.clip(body.coordinates(clip), like=clip)
    assert np.abs(back.rotations - clip.rotations).max() < 1e-12
    assert np.abs(back.positions() - clip.positions()).max() < 1e-12


@pytest.mark.parametrize("name", SAMPLES)
def test_segments_sit_where_the_joints_are(name):
    clip = kt.sample(name)[:60]
    body = Body.fit(clip.skeleton)
    places, _ = segment_poses(body, body.coordinates(clip))
    assert np.abs(places - clip.positions()[:, body.joints]).max() < 1e-12


def test_a_root_above_the_hips_keeps_its_motion():
    """Bandai's files: a root that stays at the origin, and hips that move below it by translations."""
    inner = walker()[:20]
    names = ("Root", *inner.skeleton.names)
    parents = np.concatenate([[-1], inner.skeleton.parents + 1])
    offsets = np.concatenate([np.zeros((1, 3)), inner.skeleton.offsets])
    skeleton = kt.Skeleton(names, parents, offsets, rest=np.concatenate([[[1.0, 0, 0, 0]], inner.skeleton.rest]))
    rotations = np.concatenate([np.tile([1.0, 0, 0, 0], (20, 1, 1)), inner.rotations], axis=1)
    translations = np.tile(offsets, (20, 1, 1))
    translations[:, 1] = inner.root
    clip = kt.Clip(skeleton, inner.fps, np.zeros((20, 3)), rotations, translations)
    body = Body.fit(skeleton, clip=clip)
    assert skeleton.names[body.root] == "Hips"
    qpos = body.coordinates(clip)
    assert np.allclose(qpos[:, :3], inner.root)
    qpos[:, 0] += 0.25
    moved = body.clip(qpos, like=clip)
    assert np.allclose(moved.positions()[:, 1:], inner.positions() + np.array([0.25, 0.0, 0.0]))
    plain = kt.Clip(skeleton, inner.fps, np.zeros((20, 3)), rotations)
    shifted = body.coordinates(plain)
    shifted[:, 2] -= 0.5
    assert np.allclose(body.clip(shifted, like=plain).positions()[:, 1:], plain.positions()[:, 1:] - [0.0, 0.0, 0.5])


def test_a_model_of_cmu_has_the_papers_joints(shared_data):
    """[pollard] section 3.1: 22 ball joints and 72 degrees of freedom."""
    body = Body.fit(kt.read(shared_data / "cmu" / "07_01.bvh").skeleton)
    assert len(body.segments) - 1 == 22
    assert body.nv == body.model.nv == 72


CAPTURES = [
    "cmu/74_03.bvh",
    "accad/Male1_B3_Walk.bvh",
    "hdm05/HDM_bd_kickLFront1Reps_003_120.amc",
    "odd_bvh/20tab_mocapbank.bvh",
    "odd_bvh/20tab_freebvh_mixamo-colon.bvh",
    "odd_bvh/animdraw_cmu1_jumping_jacks_mixedorder.bvh",
    "odd_bvh/makehuman_walk1_zup.bvh",
    "gltf/RiggedFigure.glb",
]


@pytest.mark.parametrize("path", CAPTURES)
def test_figures_of_all_kinds_get_a_body(path, shared_data):
    """All files of the folder are tried by ``python -m benchmarks.quality_bodies``."""
    clip = kt.read(shared_data / path)
    body = Body.fit(clip.skeleton, clip=clip)
    assert body.human
    assert len(body.points) == 12
    qpos = body.coordinates(clip)
    back = body.clip(qpos, like=clip)
    assert np.abs(back.rotations - clip.rotations).max() < 1e-12
    assert np.abs(segment_poses(body, qpos)[0] - clip.positions()[:, body.joints]).max() < 1e-6
    above = centres_of_mass(body, qpos)[:, 1] - body.point_positions(qpos)[..., 1].min(axis=1)
    assert 0.5 < np.percentile(above, 80.0) / body.height < 0.65


@pytest.mark.parametrize("model", ["SMPL", "SMPL-X"])
def test_smpl_figures_get_a_body(model):
    body = Body.fit(generic_skeleton(model))
    assert body.human
    assert (len(body.segments), len(body.points)) == (22, 12)  # fingers and face are welded
    assert body.notes == ()


def test_mujoco_opens_the_text_as_it_was_meant():
    body = walker_body()
    model = mujoco.MjModel.from_xml_string(body.mjcf)
    assert [model.body(k + 1).name for k in range(model.nbody - 1)] == [s.name for s in body.segments]
    assert (model.nq, model.nv) == (body.nq, body.nv)
    assert np.allclose(model.opt.gravity, [0.0, -9.81, 0.0])
    for k, segment in enumerate(body.segments, start=1):
        turned = rot.to_matrix(np.array(model.body_iquat[k]))
        assert np.allclose(turned @ np.diag(model.body_inertia[k]) @ turned.T, segment.inertia, atol=1e-12)
        assert np.allclose(model.body_ipos[k], segment.centre, atol=1e-15)


def test_points_are_where_mujoco_has_its_sites():
    body, clip = walker_body(), walker()
    qpos = body.coordinates(clip)[::40]
    data = mujoco.MjData(body.model)
    for q, found in zip(qpos, body.point_positions(qpos), strict=True):
        data.qpos[:] = q
        mujoco.mj_kinematics(body.model, data)
        sites = [data.site(point.name).xpos for point in body.points]
        assert np.allclose(sites, found, atol=1e-12)


def test_feet_touch_with_two_heel_and_four_toe_points():
    body = walker_body()
    for side in ("left", "right"):
        assert len(select_points(body.points, side, "heel")) == 2
        assert len(select_points(body.points, side, "toe")) == 4
    qpos = body.coordinates(kt.Clip(walker().skeleton, 30.0, walker().root[:1], walker().skeleton.rest[None]))
    heights = body.point_positions(qpos)[0, :, 1]
    assert np.ptp(heights) < 2e-3  # all of a flat sole in the rest pose


def test_the_centre_of_mass_is_at_the_height_that_anatomists_find():
    """Standing men and women have it at 55 to 58 percent of their height (for instance Croskey and others 1922)."""
    body = Body.fit(adult())
    clip = rest_clip(adult())
    arms_down = body.coordinates(clip)
    floor = body.point_positions(arms_down)[0, :, 1].min()
    share = (centres_of_mass(body, arms_down)[0, 1] - floor) / body.height
    assert 0.53 < share < 0.62  # the rest pose spreads the arms, which lifts it


def test_arms_and_legs_weigh_what_the_table_says():
    body = Body.fit(adult(), 100.0, sex="male")
    roles = body.skeleton.roles

    def weight(top: int) -> float:
        below = set(body.skeleton.subtree(top))
        return sum(segment.mass for segment in body.segments if segment.joint in below)

    assert weight(roles["left upper leg"]) == pytest.approx(14.16 + 4.33 + 1.37, abs=0.02)
    assert weight(roles["right upper arm"]) == pytest.approx(2.71 + 1.62 + 0.61, abs=0.02)


def test_the_frames_of_a_file_do_not_matter():
    """The same figure with its joints' axes turned at will has the same mass in the same place."""
    clip = random_clip(adult(), frames=4, size=0.1)
    turned = other_frames(clip)
    one, two = Body.fit(clip.skeleton), Body.fit(turned.skeleton)
    first, second = one.coordinates(clip), two.coordinates(turned)
    assert np.abs(centres_of_mass(one, first) - centres_of_mass(two, second)).max() < 1e-6
    ours, theirs = Dynamics(one), Dynamics(two)
    ours.update(first[0], np.zeros(one.nv))
    theirs.update(second[0], np.zeros(two.nv))
    energies = [np.linalg.eigvalsh(d.H[3:6, 3:6]) for d in (ours, theirs)]
    assert np.allclose(*energies, rtol=1e-5)


def test_mass_grows_with_the_square_of_the_height_among_adults_and_with_its_cube_below():
    assert usual_mass(1.75) == pytest.approx(70.0)
    assert usual_mass(1.90) / usual_mass(1.62) == pytest.approx((1.90 / 1.62) ** 2)
    assert usual_mass(1.0) / usual_mass(0.5) == pytest.approx(8.0)
    grown, child = Body.fit(adult()), Body.fit(adult().scaled(0.6))
    assert child.mass < 0.4 * grown.mass
    assert child.height == pytest.approx(0.6 * grown.height)


def test_broad_shoulders_weigh_more():
    assert usual_mass(1.8, 0.45) > usual_mass(1.8) > usual_mass(1.8, 0.34)
    assert usual_mass(1.8, 5.0) == pytest.approx(1.14 * usual_mass(1.8))


def test_left_and_right_weigh_the_same_even_on_a_crooked_skeleton():
    straight = adult()
    offsets = np.array(straight.offsets)
    for role in ("left lower leg", "left foot", "left lower arm"):
        offsets[straight.roles[role]] *= 1.08
    body = Body.fit(kt.Skeleton(straight.names, straight.parents, offsets, straight.end_sites, straight.rest))
    segments = {segment.joint: segment for segment in body.segments}
    pairs = [(f"left {part}", f"right {part}") for part in ("upper leg", "lower leg", "foot", "upper arm", "lower arm")]
    for left, right in pairs:
        one, other = (segments[straight.roles[role]] for role in (left, right))
        assert one.mass == pytest.approx(other.mass)
        assert np.trace(one.inertia) == pytest.approx(np.trace(other.inertia))


def test_a_prop_adds_its_mass_to_the_joint_that_holds_it():
    bare, armed = Body.fit(adult(), 70.0), Body.fit(adult(), 70.0, props={"right hand": 2.0})
    assert armed.mass == pytest.approx(72.0)
    joint = adult().roles["right hand"]
    before, after = (next(s for s in body.segments if joint in s.joints) for body in (bare, armed))
    assert after.mass == pytest.approx(before.mass + 2.0)
    with pytest.raises(ParameterError, match="right hand"):
        Body.fit(adult(), props={"right hand": -1.0})


def test_characters_smaller_than_thirty_centimetres_are_refused_whatever_they_are():
    with pytest.raises(ParameterError, match="true metres"):
        Body.fit(adult().scaled(0.1))
    with pytest.raises(ParameterError, match="true metres"):
        Body.fit(random_tree(7, seed=3).scaled(0.01))


def test_a_figure_that_is_no_human_is_said_to_be_one_of_bars():
    body = Body.fit(random_tree(7, seed=3))
    assert not body.human
    assert any("mass of a bar of flesh" in note for note in body.notes)
    assert body.mass > 0.0
    assert Body.fit(random_tree(7, seed=3), 12.0).mass == pytest.approx(12.0)


def test_the_mass_matrix_is_positive_definite():
    for name in SAMPLES:
        clip = kt.sample(name)[:1]
        body = Body.fit(clip.skeleton)
        dynamics = Dynamics(body)
        dynamics.update(body.coordinates(clip)[0], np.zeros(body.nv))
        assert np.linalg.eigvalsh(dynamics.H)[0] > 1e-6


def test_bodies_can_be_pickled():
    body = walker_body()
    assert body.model is not None
    copy = pickle.loads(pickle.dumps(body))
    assert copy.mjcf == body.mjcf
    assert copy.nv == copy.model.nv


def test_a_joint_called_world_is_no_trouble():
    skeleton = kt.Skeleton(("world", "<arm & co>"), [-1, 0], [[0, 1, 0], [0, 0.4, 0]], (kt.EndSite(1, (0, 0.3, 0)),))
    assert Body.fit(skeleton).model.nbody == 3


# --- bad input


@pytest.mark.parametrize("mass", [0.0, -3.0, np.nan, np.inf])
def test_mass_must_be_positive(mass):
    with pytest.raises(kt.KinetuneError, match="positive number of kilograms"):
        Body.fit(adult(), mass)


def test_forty_metres_are_a_wrong_unit():
    with pytest.raises(kt.KinetuneError, match=r"is 4\d(\.\d)? m tall.*--unit"):
        Body.fit(adult().scaled(24.0))


@pytest.mark.parametrize("rig", RIGS[:3], ids=lambda rig: rig.name)
def test_a_skeleton_without_lengths_says_so(rig):
    with pytest.raises(kt.KinetuneError, match="no bones of any length"):
        Body.fit(rig.skeleton())


def test_unknown_tables_and_sexes_are_told():
    with pytest.raises(kt.KinetuneError, match="de Leva"):
        Body.fit(adult(), tables="Hanavan")
    with pytest.raises(kt.KinetuneError, match="male"):
        Body.fit(adult(), sex="other")


def test_a_clip_of_another_skeleton_is_refused():
    with pytest.raises(kt.KinetuneError, match="own skeleton"):
        walker_body().coordinates(random_clip(random_tree(5)))
    with pytest.raises(kt.KinetuneError, match="a different skeleton"):
        Body.fit(adult(), clip=random_clip(random_tree(5)))
    with pytest.raises(kt.KinetuneError, match="qpos must be"):
        walker_body().clip(np.zeros((3, 4)), like=walker())
