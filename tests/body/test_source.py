import numpy as np

from kinetune import rotations as rot
from kinetune.formats import read
from kinetune.formats.unit_and_up import turn_rotations_to_y
from tests.made_up import SMALL_BVH
from tests.operations import making


def channel_orders(clip):
    return clip.source.euler_orders(clip.skeleton)


def test_a_clip_of_its_own_turns_in_zxy():
    orders, signs = channel_orders(making.walker())
    assert set(orders) == {"ZXY"}
    assert set(signs) == {(1.0, 1.0, 1.0)}


def test_a_file_says_its_orders(tmp_path):
    text = SMALL_BVH.replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 3 Yrotation Xrotation Zrotation", 1)
    file = tmp_path / "a.bvh"
    file.write_text(text)
    orders, _ = channel_orders(read(file))
    assert orders == ("ZXY", "YXZ", "ZXY")


def test_missing_channels_come_last(tmp_path):
    head = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    lines = SMALL_BVH.replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 1 Xrotation").splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("Frame Time"))
    rows = [" ".join(line.split()[:8]) for line in lines[at + 1 :]]
    file = tmp_path / "a.bvh"
    file.write_text("\n".join([*lines[: at + 1], *rows]) + "\n")
    assert head in file.read_text()
    assert channel_orders(read(file))[0] == ("ZXY", "XZY", "XZY")


def test_the_axes_of_a_world_with_z_up_are_renamed_with_their_signs(tmp_path):
    """The angle about a file's axis, with its sign, is the angle about ours."""
    file = tmp_path / "a.bvh"
    file.write_text(SMALL_BVH)
    for up in ("z", "x", "y"):
        orders, signs = channel_orders(read(file, up=up))
        angles = np.radians([10.0, -20.0, 35.0])
        ours = turn_rotations_to_y(rot.from_euler(angles, "ZXY"), up)
        assert np.allclose(np.array(signs[0]) * rot.to_euler(ours, orders[0]), angles)


def test_a_clip_whose_joints_changed_turns_in_zxy(tmp_path):
    file = tmp_path / "a.bvh"
    file.write_text(SMALL_BVH.replace("Zrotation Xrotation Yrotation", "Yrotation Xrotation Zrotation"))
    clip = read(file)
    other = making.walker().replace(source=clip.source)
    assert channel_orders(clip)[0][0] == "YXZ"
    assert channel_orders(other)[0][0] == "ZXY"
