"""What any format gives comes back from every format that keeps whole motions, joint by joint."""

import numpy as np
import pytest

import kinetune as kt
from tests.conftest import data_folder

FOLDER = data_folder()
FILES = {
    "acclaim": ("cmu_asfamc/*.amc", {}),
    "amass": ("smplx/own_amass_smplh.npz", {}),
    "bvh": ("cmu/16_17.bvh", {}),
    "c3d": ("c3d/c3dorg_s02_pc_int.c3d", {}),
    "deepmimic": ("deepmimic/humanoid3d_walk.txt", {}),
    "fbx": ("fbx/own_bl52_two_takes.fbx", {}),
    "gltf": ("gltf/Fox.glb", {}),
    "humanml3d": ("humanml3d/own_t2m_b_joints.npy", {}),
    "features": ("humanml3d/own_t2m_b_feats263.npy", {}),
    "kimodo": ("kimodo/soma-rp_01_single_text_prompt.npz", {}),
    "mjcf": ("robots/unitree_g1.xml", {}),
    "qpos": ("qpos/own_g1_wxyz_30fps.csv", {"skeleton": "robots/unitree_g1.xml"}),
    "smplx": ("smplx/own_amass_smplx.npz", {}),
    "urdf": ("robots/unitree_g1_29dof.urdf", {}),
    "vrm": ("vrm/addon_debug_robot.vrm", {}),
    "vrma": ("vrm/threevrm_test.vrma", {}),
}
CLOSE = 1e-4
"""Metres. BVH has six decimals of its unit and of degrees, FBX keys of float32."""


@pytest.mark.skipif(FOLDER is None, reason="no motion files here: set KINETUNE_DATA")
@pytest.mark.parametrize("suffix", [".npz", ".bvh", ".fbx", ".glb", ".usda", ".csv"])
@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_joints_come_back(tmp_path, name, suffix):
    pattern, options = FILES[name]
    path = sorted(FOLDER.glob(pattern))[0]
    clip = kt.read(path, **{key: FOLDER / value for key, value in options.items()})[:60]
    again = {".csv": {"fps": clip.fps}, ".bvh": {"unit": clip.source.unit if name == "bvh" else "cm", "up": "y"}}.get(
        suffix, {}
    )  # what such a file cannot say
    if suffix == ".csv" and name in ("mjcf", "qpos", "urdf"):  # joint values, not positions
        again["skeleton"] = FOLDER / options.get("skeleton", pattern)
    back = kt.read(kt.write(clip, tmp_path / f"out{suffix}"), **again)
    assert (len(back), len(back.skeleton)) == (len(clip), len(clip.skeleton))
    order = [back.skeleton.names.index(joint) for joint in clip.skeleton.names]
    assert np.abs(back.positions()[:, order] - clip.positions()).max() < CLOSE
    assert back.fps == pytest.approx(clip.fps, rel=1e-4)
