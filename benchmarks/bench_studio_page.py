"""The studio's page: from a move of the mouse on a fader to the picture that shows it, in a real browser.

Wall time, medians, drawn cheaply (``?lite``) because machines without a screen draw in software; run it on an idle
machine. The clip is the long walk of the server's benchmark, 3,000 frames with 22 joints.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools import browser
from tools.studio_page import StudioPage
from tools.studio_run import browsing, page_is_built, serving

import kinetune as kt
from benchmarks.bench_studio import _long
from benchmarks.harness import Claim

_MOVES = 60
_DRAG = """async moves => {
  const { session, store, viewport } = kinetune, fader = document.querySelector('.fader[data-band="4"]');
  const box = fader.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const tell = (name, dy) =>
    fader.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y + dy, button: 0, bubbles: true }));
  const next = () => new Promise(then => {
    const count = viewport.renders, stop = session.link.on('motion', () => {
      stop();
      then(viewport.renders > count ? null : viewport.drawn());
    });
  });
  const spent = [], drawn = [];
  tell('pointerdown', 0);
  for (let k = 1; k <= moves; k++) {
    const arrived = next(), start = performance.now();
    tell('pointermove', -20 - 18 * Math.sin(k / 5));
    await arrived;
    spent.push(performance.now() - start);
    const paint = performance.now();
    viewport.paint();
    drawn.push(performance.now() - paint);
  }
  tell('pointerup', 0);
  return [spent, drawn];
}"""


def claims() -> Iterator[Claim]:
    program = browser.find()
    if program is None or not page_is_built():
        print("studio_page: no Chromium here, or the page is not built; nothing is measured")
        return
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "data") as address, browsing(program) as made:
        page = made.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        studio = StudioPage(page)
        page.goto(f"{address}&lite")
        studio.wait_until_drawn()
        path = Path(folder) / "long.bvh"
        kt.write(_long(3000), path)
        studio.drop("long.bvh", path.read_bytes(), ".view")
        studio.wait("s.doc.value.name === 'long' && s.quality.value && s.motion.value?.frames === 3000")
        studio.stop_at(1500)
        studio.add("equalize")
        page.get_by_role("slider", name="band gain").first.wait_for()
        studio.settle()
        page.evaluate(_DRAG, 10)
        studio.settle()
        spent, drawn = page.evaluate(_DRAG, _MOVES)
        yield Claim("fader moved to figure drawn, 3,000 frames, ms", statistics.median(spent), 50.0, False)
        yield Claim("of which drawing on the page's own thread, ms", statistics.median(drawn), 16.7, False)
