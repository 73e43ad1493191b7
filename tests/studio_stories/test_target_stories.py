"""Stories of pointers: everything that can be pressed is large enough, 24 pixels each way (WCAG 2.2, 2.5.8)."""

from __future__ import annotations

import pytest
from tools.studio_page import StudioPage

pytestmark = pytest.mark.xdist_group("studio-2")

_TOO_SMALL = """() => {
  const KIND = "button, a[href], input, select, [role=slider], [role=button], [role=option], [tabindex='0']";
  const of = (e) => e?.closest?.(`.field, .select, ${KIND}`) ?? null;
  const seen = new Set(), targets = [];
  // Splitters stay narrow: wider ones would cover what stands at the edge of a pane. Panes are no targets.
  for (const e of document.querySelectorAll(KIND)) {
    const t = of(e), box = t.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const idle = e.matches("[disabled], .is-disabled, .view, main, .split") || e.closest("[inert], [aria-hidden=true]");
    if (seen.has(t) || idle) continue;
    seen.add(t);
    const here = (dx, dy) => of(document.elementFromPoint(x + dx, y + dy)) === t;
    if (!box.width || !here(0, 0)) continue;
    // What stands at a moment of the timeline may stand close to its neighbour: there it is its size that counts.
    const placed = t.closest(".lanes svg");
    const reach = (dx, dy) => { let n = 0; while (n < 12 && here(dx * (n + 1), dy * (n + 1))) n++; return n; };
    const wide = placed ? box.width : reach(-1, 0) + reach(1, 0) + 1,
      high = placed ? box.height : reach(0, -1) + reach(0, 1) + 1;
    targets.push({ t, x, y, box, size: Math.min(wide, high) });
  }
  // A smaller one will do where a circle of 24 pixels round it touches no other.
  const small = targets.filter(({ size }) => size < 23.9);
  const isApart = (p, o) => small.includes(o) ? Math.hypot(p.x - o.x, p.y - o.y) >= 24
    : Math.hypot(
        Math.max(o.box.left - p.x, 0, p.x - o.box.right), Math.max(o.box.top - p.y, 0, p.y - o.box.bottom)) >= 12;
  return small.filter((p) => targets.some((o) => o !== p && !o.t.contains(p.t) && !p.t.contains(o.t) && !isApart(p, o)))
    .map(({ t, size }) => `${t.ariaLabel ?? t.textContent.slice(0, 40)}: ${size}`);
}"""


def too_small(studio: StudioPage) -> list[str]:
    studio.settle()
    return list(studio.page.evaluate(_TOO_SMALL))


def test_everything_that_can_be_pressed_is_large_enough(studio: StudioPage) -> None:
    studio.open("wave")
    studio.page.evaluate("() => kinetune.session.addStep('equalize')")
    studio.page.get_by_role("slider", name="band gain").first.wait_for()
    assert too_small(studio) == []
    studio.arrange(
        "wave", [{"clip": "source"}, {"clip": "other", "lane": 1, "at": 230}], [{"frame": 40, "name": "here"}]
    )
    keys = [{"frame": 60, "joint": "Head", "rotate": [0, 20, 0]}, {"frame": 140, "joint": "Head", "rotate": [9, 0, 0]}]
    studio.page.evaluate(
        """async (keys) => {
          const { store, session } = kinetune;
          await session.addStep("displace", { keys, region: { start_s: 1, stop_s: 4, ease_s: 0.5 } });
          store.chosenKey.value = 0;
          store.drawerOpen.value = true;
        }""",
        keys,
    )
    assert too_small(studio) == []
    studio.open_drawings()
    studio.page.get_by_role("button", name="Film", exact=True).click()
    studio.settle_frames()
    assert list(studio.page.evaluate(_TOO_SMALL)) == []
    studio.open_figure()
