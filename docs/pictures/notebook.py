"""The picture of the page on notebooks: the player as a cell shows it, in a real browser."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

import kinetune as kt
from kinetune.notebooks.player import PlayerPage, motion_data

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from tools import browser  # noqa: E402
from tools.studio_run import browsing  # noqa: E402


def main() -> None:
    program = browser.find() or browser.install()
    if program is None:
        sys.exit("The picture of the player needs Chromium: install one, or set KINETUNE_BROWSER to it.")
    walk = kt.sample("walk")
    lively = kt.Equalize(gains_hz={1: 1.3, 2: 1.6})(walk)
    motions, packed = zip(motion_data(lively, "livelier"), motion_data(walk, "as it was"), strict=True)
    player = PlayerPage(list(motions), list(packed), {"layout": "beside", "height": 380})
    with tempfile.TemporaryDirectory() as folder, browsing(program) as made:
        file, page = Path(folder) / "cell.html", made.new_page(viewport={"width": 900, "height": 426})
        file.write_text(player.document(), encoding="utf-8")
        page.goto(file.as_uri())
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("slider").press("Home")
        for _ in range(128):
            page.get_by_role("slider").press("ArrowRight")
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(HERE / "notebook_player.webp", quality=75, method=6)


if __name__ == "__main__":
    main()
