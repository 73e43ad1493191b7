"""Films: their length and rate, what the camera sees, and that nothing in them is left to chance."""

import imageio_ffmpeg
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import kinetune as kt
from kinetune.errors import FileError, ParameterError, UnknownFormatError
from kinetune.figures.motion import film as films
from kinetune.figures.motion.film import film, film_frames
from kinetune.figures.motion.stick_figures import points
from kinetune.figures.rendering.actors import SkinActor
from kinetune.figures.rendering.camera import VIEWS, Camera
from kinetune.progress import Cancelled, reporting
from tests.formats.characters.test_skinned_mesh import gltf_hero
from tests.operations import making

SMALL = (96, 64)


@pytest.mark.parametrize(("suffix", "fps"), [(".mp4", 30.0), (".mp4", 24000 / 1001), (".webm", 25.0), (".gif", 20.0)])
def test_a_film_has_the_length_and_rate_that_was_asked_for(tmp_path, suffix, fps):
    clip = making.walker(frames=61, fps=60.0)
    path = film(clip, tmp_path / f"walk{suffix}", fps=fps, size=SMALL)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == int(np.floor(clip.duration * fps)) + 1
    assert seconds == pytest.approx(frames / fps, abs=0.02)
    reader = imageio_ffmpeg.read_frames(str(path))
    assert reader.__next__()["size"] == SMALL
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_the_longest_of_the_clips_decides():
    short, long = making.walker(frames=11, fps=10.0), making.walker(frames=21, fps=10.0)
    assert len(list(film_frames(short, 10.0, SMALL, beside=long))) == 21
    assert len(list(film_frames(long, 10.0, SMALL, ghost=short))) == 21


def test_frames_are_the_same_bytes_for_any_number_of_threads(monkeypatch):
    clip = kt.sample("walk-happy")[:40]
    several = [frame.tobytes() for frame in film_frames(clip, 20.0, SMALL, ghost=clip[5:])]
    monkeypatch.setattr(films, "_MOST_THREADS", 1)
    alone = [frame.tobytes() for frame in film_frames(clip, 20.0, SMALL, ghost=clip[5:])]
    assert several == alone
    assert len(set(several)) == len(several)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["walk", "kick-1"])
def test_the_whole_body_is_in_every_frame(name, view):
    clip = kt.sample(name)[::6]
    empty = next(film_frames(making.pendulums()[:1], 1.0, SMALL, view=view))
    for picture in film_frames(clip, clip.fps, SMALL, view=view):
        body = _is_body(picture)
        assert body.mean() > 0.01
        assert not body[[0, -1]].any()
        assert not body[:, [0, -1]].any()
    assert empty.shape == (64, 96, 3)


def _is_body(picture):
    """Where a picture has a colour that neither the floor nor the backdrop has."""
    red, blue = picture[..., 0].astype(int), picture[..., 2].astype(int)
    return (red > blue + 8) | (blue > red + 60)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(list(VIEWS)),
    st.booleans(),
    st.tuples(st.integers(16, 400), st.integers(16, 400)),
)
def test_no_point_ever_leaves_the_picture(seed, view, follow, size):
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(30, 6, 3)) * rng.uniform(0.01, 5.0) + np.cumsum(rng.normal(size=(30, 1, 3)), axis=0)
    heading = rng.uniform(0, 2 * np.pi)
    ahead = np.array([np.sin(heading), 0.0, np.cos(heading)])
    camera = Camera(cloud, np.full(6, 0.1), ahead, view, size, 10.0, follow)
    for frame, pose in enumerate(cloud):
        lens = camera.lens(frame)
        seen = pose - lens.eye
        depth = seen @ lens.ahead
        assert (depth > 0.1).all()
        x = lens.middle_x + lens.focal * (seen @ lens.right) / depth
        y = lens.middle_y - lens.focal * (seen @ lens.up) / depth
        assert (x > 0).all()
        assert (x < size[0]).all()
        assert (y > 0).all()
        assert (y < size[1]).all()


def test_a_camera_that_follows_is_never_farther_than_one_that_stands():
    clip = kt.sample("walk")
    cloud, ahead = points(clip), np.array([0.0, 0.0, 1.0])
    bare = np.zeros(cloud.shape[1])
    near, far = (Camera(cloud, bare, ahead, "side", SMALL, clip.fps, follow) for follow in (True, False))
    assert near.distance < far.distance
    assert np.ptp([far.lens(k).eye for k in range(len(clip))], axis=0).max() == 0.0


def test_clips_side_by_side_have_their_names():
    clip, small = kt.sample("walk")[:2], kt.sample("walk-sad")[:2]
    plain = next(film_frames(clip, 30.0, (200, 100), beside=small))
    named = next(film_frames(clip, 30.0, (200, 100), beside=small, labels=("before", "after")))
    changed = (plain != named).any(axis=-1)
    assert changed[:80].sum() == 0
    assert changed[80:, :100].any()
    assert changed[80:, 100:].any()


def test_a_ghost_is_seen_and_hides_nothing_of_the_body():
    clip = kt.sample("walk")[:1]
    here, there = (next(film_frames(clip, 30.0, (160, 120), ghost=ghost)) for ghost in (clip, clip[:1]))
    assert (here == there).all()
    body = _is_body(here)
    beside = clip.replace(root=clip.root + np.array([0.0, 0.0, 1e-9]))
    assert (_is_body(next(film_frames(clip, 30.0, (160, 120), ghost=beside))) == body).mean() > 0.999
    raised = clip.replace(root=clip.root + np.array([0.0, 0.02, 0.0]))
    assert (next(film_frames(clip, 30.0, (160, 120), ghost=raised)) != here).any()


def test_a_strip_shows_every_pose(tmp_path):
    path = film(kt.sample("kick-1"), tmp_path / "kick.png", poses=5, size=(500, 140))
    with Image.open(path) as picture:
        columns = _is_body(np.asarray(picture))[60:].any(axis=0)  # legs
    assert np.count_nonzero(np.diff(columns.astype(int)) == 1) >= 5


def test_characters_without_roles_and_single_frames_are_filmed(tmp_path):
    for number, clip in enumerate((making.walker(frames=1), making.pendulums())):
        path = film(clip, tmp_path / f"{number}.png", poses=2, size=SMALL)
        with Image.open(path) as picture:
            assert picture.size == SMALL


def test_bad_requests_are_refused_before_any_work(tmp_path):
    clip = making.walker(frames=2)
    with pytest.raises(UnknownFormatError, match=r"\.mp4, \.webm, \.gif, \.png"):
        film(clip, tmp_path / "walk.avi")
    with pytest.raises(ParameterError, match="size"):
        film(clip, tmp_path / "walk.mp4", size=(4, 4))
    with pytest.raises(ParameterError, match="fps"):
        film(clip, tmp_path / "walk.mp4", fps=0.0)
    with pytest.raises(ParameterError, match="view"):
        film(clip, tmp_path / "walk.mp4", view="below")
    with pytest.raises(FileError):
        film(clip, tmp_path / "nowhere" / "walk.mp4")
    assert not list(tmp_path.iterdir())


def test_progress_reaches_the_end_and_a_cancelled_film_leaves_nothing(tmp_path):
    clip = making.walker(frames=31, fps=30.0)
    seen = []
    with reporting(lambda share, text: seen.append(share)):
        film(clip, tmp_path / "walk.mp4", size=SMALL)
    shares = [share for share in seen if share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

    def stop(share, text):
        if share is not None and share > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled), reporting(stop):
        film(clip, tmp_path / "stopped.mp4", size=SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["walk.mp4"]


@pytest.mark.parametrize("name", ["gltf/Fox.glb", "gltf/RiggedFigure.glb", "fbx/own_bl52_two_takes.fbx"])
def test_every_vertex_of_a_skin_is_in_every_frame(name, shared_data):
    clip = kt.read(shared_data / name)[::5]
    scene = films._Scene(clip, None, clip.times, clip.fps, SMALL, "three-quarter", True)
    assert isinstance(scene.actors[0], SkinActor)
    for frame in range(len(clip)):
        lens = scene.camera.lens(frame)
        seen = scene.actors[0].pose(frame).points - lens.eye
        depth = seen @ lens.ahead
        assert (np.abs(lens.focal * (seen @ lens.right) / depth) < 0.5 * SMALL[0]).all()
        assert (np.abs(lens.focal * (seen @ lens.up) / depth) < 0.5 * SMALL[1]).all()


def test_a_skin_that_cannot_be_shown_is_reported_and_replaced(tmp_path):
    path, *_ = gltf_hero(tmp_path / "hero.glb", extensions={"KHR_draco_mesh_compression": {}})
    with pytest.warns(UserWarning, match="Draco"):
        frame = next(film_frames(kt.read(path), 30.0, SMALL))
    assert frame.shape == (64, 96, 3)
