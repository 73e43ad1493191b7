"""Every file that we write is clean to the Khronos glTF validator: no error, no warning, no remark."""

import json
import os
import subprocess

import pytest

from kinetune.formats import gltf
from tests.external import clips
from tests.external.tools import HERE, node_modules

pytestmark = pytest.mark.external


def test_the_validator_finds_nothing(tmp_path):
    modules = node_modules()
    files = []
    for number, name in enumerate([*clips.made(), *clips.real()]):
        clip = clips.load(name)
        for suffix in (".glb", ".gltf"):
            for path, data in gltf.write(clip, tmp_path / f"{number}{suffix}").items():
                path.write_bytes(data)
                files.append(str(path))
    run = subprocess.run(
        ["node", str(HERE / "validate_gltf.cjs"), *files],
        env={**os.environ, "NODE_PATH": str(modules)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    reports = json.loads(run.stdout)
    assert len(reports) == len(files)
    for report in reports:
        assert report["messages"] == [], report["file"]
        assert report["numErrors"] == report["numWarnings"] == report["numInfos"] == 0
