"""A VRM animation that we write, played by three-vrm on an avatar in a browser."""

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tools import browser
from tools.studio_run import browsing

import kinetune as kt
from tests.conftest import data_folder
from tests.external.tools import three_vrm

HERE = Path(__file__).resolve().parent
LIMBS = {"UpperArm": "LowerArm", "LowerArm": "Hand", "UpperLeg": "LowerLeg", "LowerLeg": "Foot"}
MOMENTS = [0.0, 0.4, 0.9, 1.5]
MOST_DEG = 5.0  # the T-pose of this avatar is not that of every body


@pytest.fixture(scope="module")
def avatar() -> Path:
    data = data_folder()
    path = (data or Path()) / "vrm" / "addon_debug_robot.vrm"
    if data is None or not path.is_file():
        pytest.skip("no VRM avatar here; set KINETUNE_DATA to the folder of test data")
    return path


@pytest.mark.slow
def test_an_avatar_in_three_vrm_moves_its_limbs_as_the_clip_does(avatar, tmp_path):
    modules = three_vrm()
    program = browser.find()
    if program is None:
        pytest.skip("no Chromium here; set KINETUNE_BROWSER")
    walk = kt.sample("walk")
    kt.write(walk, tmp_path / "walk.vrma")
    files = {"play.html": HERE / "play_vrma.html", "walk.vrma": tmp_path / "walk.vrma", "avatar.vrm": avatar}

    def answer(route):
        name = route.request.url.partition("://vrm.test/")[2]
        path = files.get(name, modules / name)
        kind = {".js": "text/javascript", ".html": "text/html"}.get(path.suffix, "application/octet-stream")
        route.fulfill(body=path.read_bytes(), content_type=kind) if path.is_file() else route.fulfill(status=404)

    with browsing(program) as chromium:
        page = chromium.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.route("**/*", answer)
        page.goto("http://vrm.test/play.html")
        page.wait_for_function("window.played || window.failed", timeout=60_000)
        assert problems == []
        played = json.loads(page.evaluate("JSON.stringify(play([" + ", ".join(map(str, MOMENTS)) + "]))"))
    positions, roles = walk.positions(), walk.skeleton.roles
    for moment, bones in zip(MOMENTS, played, strict=True):
        frame = positions[round(moment * walk.fps)]
        for side, (start, end) in product(("left", "right"), LIMBS.items()):
            there = np.subtract(bones[side + end], bones[side + start])
            here = np.subtract(*(frame[roles[f"{side} {_role(bone)}"]] for bone in (end, start)))
            cosine = there @ here / (np.linalg.norm(there) * np.linalg.norm(here))
            assert np.degrees(np.arccos(min(cosine, 1.0))) < MOST_DEG, (side, start, moment)
    travel = np.subtract(played[-1]["hips"], played[0]["hips"])
    moved = positions[90, roles["hips"]] - positions[0, roles["hips"]]
    assert travel @ moved > 0.99 * np.linalg.norm(travel) * np.linalg.norm(moved)


def _role(bone: str) -> str:
    """A role by the name of a human bone: "lower arm" for "LowerArm"."""
    return re.sub(r"(?<!^)([A-Z])", r" \1", bone).lower()
