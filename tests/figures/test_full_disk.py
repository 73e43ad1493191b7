"""A disk that takes no more: a film is refused, and nothing broken is left behind."""

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


@pytest.mark.slow
def test_films_on_a_full_disk_are_refused(tmp_path):
    done = subprocess.run([sys.executable, "-B", "-c", CODE], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.stdout.count("refused:") == 4, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
