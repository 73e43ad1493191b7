"""The studio's page: from a move of the mouse on a fader to the picture that shows it, in a real browser.

Wall time, drawn cheaply (``?lite``) because machines without a screen draw in software; run it on an idle machine. Feet
are kept planted, as by default. The clips are the long walk of the server's benchmark, 3,000 and 30,000 frames, its
skeleton brought to 31 joints with fingers. The first start is counted from the command to the first edited picture.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, CDPSession
from tools import browser
from tools.studio_page import StudioPage
from tools.studio_run import browsing, page_is_built, running, serving

import kinetune as kt
from benchmarks.bench_studio import _long
from benchmarks.harness import Claim

_MOVES = 60
_JOINTS = 31
_FADER = """const { session, store, viewport } = kinetune, fader = document.querySelector('.fader[data-band="4"]');
  if (!fader) throw new Error('There is no fader for band 4.');
  const box = fader.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const tell = (name, dy) =>
    fader.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y + dy, button: 0, bubbles: true }));
  const up = (k) => -20 - 18 * Math.sin(k / 5);
  let onMotion = () => {};
  const motions = session.link.callbacks.get('motion'), heard = ({ drag }) => drag && onMotion();
  session.link.on('motion', heard);"""
"""The listener comes after the page's own: when it is called, what has come is on the page. Answers to what was before
the drag do not count."""
_DRAG = f"""async ([moves, patience]) => {{
  {_FADER}
  const next = (k) => new Promise((then, fail) => {{
    const count = viewport.renders;
    const why = `Move ${{k}} of ${{moves}} gave no picture in ${{patience}} ms.`;
    const late = setTimeout(() => fail(new Error(why)), patience);
    onMotion = () => {{
      onMotion = () => {{}};
      Promise.resolve(viewport.renders > count ? null : viewport.drawn()).then(() => {{ clearTimeout(late); then(); }});
    }};
  }});
  const spent = [], drawn = [], evaluated = [];
  try {{
    tell('pointerdown', 0);
    for (let k = 1; k <= moves; k++) {{
      const arrived = next(k), start = performance.now();
      tell('pointermove', up(k));
      await arrived;
      spent.push(performance.now() - start);
      evaluated.push(store.spent.value);
      const paint = performance.now();
      viewport.paint();
      drawn.push(performance.now() - paint);
    }}
    tell('pointerup', 0);
  }} finally {{ motions.delete(heard); }}
  return [spent, drawn, evaluated];
}}"""
_FLOOD = f"""async seconds => {{
  {_FADER}
  let answers = 0;
  onMotion = () => answers++;
  const begun = performance.now();
  tell('pointerdown', 0);
  for (let k = 1; performance.now() - begun < 1000 * seconds; k++) {{
    tell('pointermove', up(k));
    await new Promise((then) => setTimeout(then, 1000 / 60));
  }}
  motions.delete(heard);
  tell('pointerup', 0);
  return answers / seconds;
}}"""
"""As many moves as a mouse tells; answers counted, whatever they show."""
_PATIENCE_MS = 30_000
"""A step that takes longer ends the benchmark, and says which it was."""


_TRIANGLES = 20_000
_PLAYED_S = 6.0
_TWO_SKINS = """async count => {
  const { viewport, store } = kinetune, base = viewport.edited.surface, skin = Object.create(base);
  const whole = base.geometry.toNonIndexed(), geometry = whole.clone(), points = 3 * count;
  for (const [name, { array, itemSize }] of Object.entries(whole.attributes)) {
    const own = new array.constructor(points * itemSize);
    for (let at = 0; at < own.length; at += array.length) own.set(array.subarray(0, own.length - at), at);
    const attribute = whole.attributes[name].clone();
    attribute.array = own;
    attribute.count = points;
    geometry.setAttribute(name, attribute);
  }
  geometry.clearGroups();
  geometry.addGroup(0, points, 0);
  geometry.setDrawRange(0, 300); // the number of a draw call: all that the page's thread knows of it
  skin.geometry = geometry;
  skin.dispose = () => {};
  viewport.renderer.setPixelRatio(0.1); // a card in software keeps up with so few pixels
  viewport.scene.traverse(({ shadow }) => {
    if (!shadow) return;
    shadow.mapSize.set(16, 16);
    shadow.map?.dispose();
    shadow.map = null;
  });
  viewport.setSurfaces(skin, skin);
  store.compare.value = 'beside';
  store.playback.setPlaying(true);
  for (let k = 0; k < 20; k++) await viewport.drawn(); // shaders are compiled, buffers are on the card
  const worn = [viewport.edited, viewport.plain].map(({ meshes }) => meshes[0].geometry.attributes.position.count);
  return Math.min(...worn) / 3;
}"""
"""The mannequin's skin again and again until it has so many triangles, on the edited character and on the original."""


def claims() -> Iterator[Claim]:
    program = browser.find()
    if program is None or not page_is_built():
        print("studio_page: no Chromium here, or the page is not built; nothing is measured")
        return
    with tempfile.TemporaryDirectory() as folder, browsing(program) as made:
        yield Claim(
            "first start to the first edited picture, s", _first_start(made, Path(folder) / "fresh"), 5.0, False
        )
        with running(Path(folder) / "data") as (address, server):
            page = made.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(_PATIENCE_MS)
            studio = StudioPage(page)
            page.goto(f"{address}&lite")
            studio.wait_until_drawn()
            for frames in (3_000, 30_000):
                yield from _drags(studio, Path(folder), frames, Path(f"/proc/{server.pid}/stat"))
        with serving(Path(folder) / "played") as address:
            yield from _playback(made, address)


def _drags(studio: StudioPage, folder: Path, frames: int, server: Path) -> Iterator[Claim]:
    path = folder / f"long{frames}.npz"
    kt.write(_with_fingers(_long(frames)), path)
    studio.drop(path.name, path.read_bytes(), ".view")
    studio.wait(f"s.doc.value.name === {path.stem!r} && s.quality.value && s.motion.value?.frames === {frames}")
    studio.stop_at(frames // 2)
    studio.add("equalize")
    studio.page.get_by_role("slider", name="band gain").first.wait_for()
    assert studio.read("s.step.value.knobs.keep_feet"), "feet are not kept planted"
    studio.settle()
    studio.page.evaluate(_DRAG, [10, _PATIENCE_MS])
    studio.settle()
    session = studio.page.context.new_cdp_session(studio.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _worked(session), _used(server)
    spent, drawn, evaluated = studio.page.evaluate(_DRAG, [_MOVES, _PATIENCE_MS])
    words, limits = f"fader moved to picture drawn, feet planted, {frames:,} frames", {3_000: (40.0, 60.0)}
    page_ms, server_ms = 1e3 * (np.array([_worked(session), _used(server)]) - before) / _MOVES
    print(f"{frames:,} frames: the server evaluates {np.median(evaluated):.1f} ms of it")
    print(f"processor time a move, whatever else runs: server {server_ms:.1f} ms, page {page_ms:.1f} ms")
    session.detach()
    median, tail = limits.get(frames, (60.0, 120.0))
    yield Claim(f"{words}, ms, median", np.median(spent), median, False)
    yield Claim(f"{words}, ms, 95th percentile", np.percentile(spent, 95), tail, False)
    if frames == 3_000:
        yield Claim("of which drawing on the page's own thread, ms", np.median(drawn), 16.7, False)
    else:
        studio.settle()
        yield Claim(
            f"answers a second to 60 moves a second, {frames:,} frames", studio.page.evaluate(_FLOOD, 3), 20.0, True
        )
    studio.settle()


def _worked(session: CDPSession) -> float:
    """Seconds of processor time that the page's own thread has used."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _used(process: Path) -> float:
    """Seconds of processor time that a process has used, where the system says so."""
    if not process.exists():
        return float("nan")
    fields = process.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _playback(made: Browser, address: str) -> Iterator[Claim]:
    """Processor time of the page's own thread for each picture of a walk beside the original, the whole page included.

    What a graphics card does is left out: the skins are on it, but it draws few of their triangles and pixels, so that
    one in software keeps up with the pictures. To the page's thread a draw call costs the same for any number of them.
    """
    page = made.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(_PATIENCE_MS)
    studio = StudioPage(page)
    page.goto(address)
    studio.wait_until_drawn()
    studio.open("walk")
    studio.wait("v.edited.surface")
    studio.settle()
    worn = page.evaluate(_TWO_SKINS, _TRIANGLES)
    assert worn == _TRIANGLES, f"the skins have {worn:,} triangles"
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def so_far() -> tuple[float, int]:
        return _worked(session), int(studio.read("v.renders"))

    (busy, frames), _, (busy_then, frames_then) = so_far(), page.wait_for_timeout(1e3 * _PLAYED_S), so_far()
    yield Claim(
        f"two skinned characters of {_TRIANGLES:,} triangles: the page's own thread, ms a picture",
        1e3 * (busy_then - busy) / max(1, frames_then - frames),
        4.0,
        False,
    )
    page.close()


def _first_start(made: Browser, data: Path) -> float:
    """Seconds from the command to the picture of a fader's first move, with nothing saved yet."""
    begun = time.perf_counter()
    with serving(data) as address:
        page = made.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(_PATIENCE_MS)
        studio = StudioPage(page)
        page.goto(f"{address}&lite")
        page.get_by_role("slider", name="band gain").first.wait_for()
        page.evaluate(_DRAG, [1, _PATIENCE_MS])
        spent = time.perf_counter() - begun
        assert studio.read("s.largestChange.value") > 0.0, "the first move of a fader changed nothing"
        page.close()
    return spent


def _with_fingers(clip: kt.Clip) -> kt.Clip:
    """The clip on a skeleton of 31 joints: fingers that stay straight."""
    skeleton = clip.skeleton
    more = _JOINTS - len(skeleton)
    hands = [skeleton.index(name) for name in ("LeftHand", "RightHand")]
    names = [f"{skeleton.names[hands[k % 2]]}Finger{k // 2 + 1}" for k in range(more)]
    fingers = kt.Skeleton(
        (*skeleton.names, *names),
        [*skeleton.parents, *(hands[k % 2] for k in range(more))],
        [*skeleton.offsets, *((0.1, 0.0, 0.01 * k) for k in range(more))],
        end_sites=skeleton.end_sites,
        rest=np.concatenate([skeleton.rest, np.tile([1.0, 0.0, 0.0, 0.0], (more, 1))]),
    )
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), more, 1))
    turns = np.concatenate([clip.rotations, still], axis=1)
    return kt.Clip(fingers, root=clip.root, rotations=turns, fps=clip.fps)
