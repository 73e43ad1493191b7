"""What was compiled before the first call is what is called: no edit waits for a compiler after ``kinetune warmup``."""

from __future__ import annotations

import subprocess
import sys

import pytest

EDITS = """
import sys, warnings
warnings.simplefilter("ignore")
import kinetune as kt
from kinetune.cli.warm_up import kernel_modules
from kinetune.kernels.loader import Kernels

def compiled():
    return {
        f"{name}.{kernel}": len(value.signatures)
        for name in kernel_modules()
        if name in sys.modules  # those that run without numba are imported for arguments that they do not take
        for kernel, value in vars(sys.modules[name]).items()
        if not kernel.startswith("_") and hasattr(value, "signatures")
    }

for name in kernel_modules():
    Kernels(name).load()
before = compiled()
walk, kick = kt.sample("walk")[:120], kt.sample("kick-1")[:120]
for edit in (kt.Equalize(preset="exaggerate"), kt.PlantFeet(), kt.Denoise(), kt.Loop(), kt.Limit(), kt.ReduceKeys()):
    edit(walk)
kt.Retarget(to=kt.sample("walk-child").skeleton)(walk)
kt.Blend(other="other", weight=0.5)(walk, other=kt.sample("walk-sad")[:120])
for method in ("filter", "whole"):
    kt.filter_dynamics(kick, method=method)
kt.walk(kt.walking.plan_footsteps("straight"))
kt.film(walk, sys.argv[1] + "/film.png", size=(64, 36), poses=2)
kt.write(walk, sys.argv[1] + "/walk.bvh")
kt.read(sys.argv[1] + "/walk.bvh")
robot = kt.read(sys.argv[2])
kt.Retarget(to=robot)(walk)
faces = kt.sample_drawing("face-happy"), kt.sample_drawing("face-sad")
kt.write_drawing(kt.morph(*faces, frames=4), sys.argv[1] + "/film.json")
print([name for name, count in compiled().items() if count > before.get(name, 0)])
"""


@pytest.mark.slow
def test_no_edit_calls_a_kernel_with_arrays_of_another_kind_than_it_was_compiled_for(tmp_path):
    from tests.retarget.small_robot import robot_text

    robot = tmp_path / "robot.xml"
    robot.write_text(robot_text(), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", EDITS, str(tmp_path), str(robot)], capture_output=True, text=True)
    assert done.stdout.strip().splitlines()[-1:] == ["[]"], done.stdout + done.stderr[-2000:]
