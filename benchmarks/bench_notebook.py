"""The player of notebooks: a clip of 3,000 frames and 60 joints, from ``kt.show`` to a player that answers.

Wall time in a real browser, on an idle machine.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tools import browser
from tools.studio_run import browsing

import kinetune as kt
from benchmarks.harness import Claim

_FRAMES, _JOINTS, _STEPS = 3000, 60, 60
_STEP = """async steps => {
  const ruler = document.querySelector("[role=slider]"), time = document.querySelector("output"), spent = [];
  if (document.querySelector("button").getAttribute("aria-label") === "Pause") document.querySelector("button").click();
  for (let k = 0; k < steps; k++) {
    const was = time.textContent, start = performance.now();
    ruler.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    if (time.textContent !== was) spent.push(performance.now() - start);
  }
  return spent;
}"""


def claims() -> Iterator[Claim]:
    program = browser.find()
    if program is None:
        print("notebook: no Chromium here; nothing is measured")
        return
    clip = _many_joints()
    with tempfile.TemporaryDirectory() as folder, browsing(program) as made:
        file, page = Path(folder) / "notebook.html", made.new_page(viewport={"width": 1000, "height": 700})
        waits = []
        for _ in range(5):
            start = time.perf_counter()
            file.write_text(f"<!doctype html><body>{clip._repr_html_()}</body>", encoding="utf-8")
            page.goto(file.as_uri(), wait_until="commit")
            player = page.frame_locator("iframe").locator("output:not(:empty)").element_handle(timeout=60_000)
            waits.append(time.perf_counter() - start)
        frame = player.owner_frame()
        assert frame is not None
        steps = frame.evaluate(_STEP, _STEPS)
        assert len(steps) == _STEPS, "every step shows another time"
        yield Claim("clip to player, 3,000 frames of 60 joints, seconds", statistics.median(waits), 1.0, False)
        yield Claim("key pressed to frame drawn, two frames of the screen, ms", statistics.median(steps), 50.0, False)


def _many_joints() -> kt.Clip:
    """A walk in a loop whose hand carries a fan of bones."""
    walk = kt.Loop()(kt.sample("walk"))
    skeleton, more = walk.skeleton, _JOINTS - len(walk.skeleton)
    fan = np.random.default_rng(0).normal(0.0, 0.05, (more, 3))
    body = kt.Skeleton(
        (*skeleton.names, *(f"bone {k}" for k in range(more))),
        (*skeleton.parents, *[len(skeleton) - 1] * more),
        np.concatenate([skeleton.offsets, fan]),
    )
    frames = np.arange(_FRAMES) % len(walk)
    still = np.tile([1.0, 0.0, 0.0, 0.0], (_FRAMES, more, 1))
    return kt.Clip(body, walk.fps, walk.root[frames], np.concatenate([walk.rotations[frames], still], axis=1))
