"""A disk that takes no more: films and figures are refused, and nothing broken is left behind."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits on the size of files are those of POSIX")

CODE = """
import resource, signal
import kinetune as kt  # with -B: no compiled module may be cut off by the limit either
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails, as on a full disk
film = kt.morph(kt.sample_drawing("dog-1"), kt.sample_drawing("dog-2"), frames=3)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
for suffix in ("gif", "mp4", "svg", "json"):
    try:
        kt.write_drawing(film, f"film.{suffix}")
    except kt.KinetuneError as error:
        print("refused:", error)
"""

FIGURE = """
import resource, signal
import kinetune as kt
from kinetune import figures
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
figure = figures.draw_strip(kt.sample("wave"))
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
for suffix in ("png", "svg", "pdf"):
    try:
        figures.save(figure, f"strip.{suffix}")
    except kt.KinetuneError as error:
        print("refused:", error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("code", "count"), [(CODE, 4), (FIGURE, 3)], ids=["films", "figures"])
def test_films_and_figures_on_a_full_disk_are_refused(tmp_path, code, count):
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.stdout.count("refused:") == count, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
