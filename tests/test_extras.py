"""A slim installation says which extra is missing, in one message."""

import subprocess
import sys

import pytest

import kinetune as kt
from kinetune.errors import MissingDependencyError
from kinetune.extras import EXTRAS, require

CALLS = {
    "physics": "kt.filter_dynamics(kt.sample('kick-1'))",
    "drawings": "kt.morph(kt.sample_drawing('dog-1'), kt.sample_drawing('dog-2'))",
    "figures": "from kinetune.figures import draw_strip; draw_strip(kt.sample('walk'))",
    "studio": "from kinetune.studio.server.launch import prepare; prepare()",
    "batch": "kt.write(kt.sample('walk'), 'walk.bvh'); from kinetune.batch import measure_library as measure; "
    "measure(['walk.bvh'])",
    "usd": "kt.write(kt.sample('walk'), 'walk.usda')",
    "torch": "kt.torch.MotionBatch",
}


@pytest.mark.parametrize("extra", EXTRAS)
def test_everything_is_installed_here(extra):
    require(extra)


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_a_missing_extra_names_the_install_command(extra, tmp_path):
    blocked = f"import sys\nfor name in {list(EXTRAS[extra][1])}: sys.modules[name] = None\n"
    code = f"""{blocked}
import kinetune as kt
from kinetune.errors import MissingDependencyError
try:
    {CALLS[extra]}
except MissingDependencyError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.stdout.endswith(f'pip install "kinetune[{extra}]"\n'), ran.stderr


def test_the_core_works_without_any_extra(tmp_path):
    names = sorted({name for _, packages in EXTRAS.values() for name in packages})
    code = f"""
import sys
for name in {names}: sys.modules[name] = None
import kinetune as kt
clip = kt.PlantFeet()(kt.Equalize(preset="exaggerate")(kt.sample("walk")))
kt.write(clip, "walk.bvh"); kt.write(kt.read("walk.bvh"), "walk.glb")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
    assert issubclass(MissingDependencyError, kt.KinetuneError)
