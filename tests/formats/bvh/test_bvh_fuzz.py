"""Any hierarchy with any channels: it comes back byte for byte, and an edit of everything survives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetune as kt
from kinetune import rotations as rot
from tests.formats.bvh.bvh_text import plain_world
from tests.formats.bvh.test_bvh_writer import again, read, turned


@st.composite
def bvh_texts(draw):
    count = draw(st.integers(1, 7))
    parents = [-1] + [draw(st.integers(-1 if draw(st.booleans()) else 0, k - 1)) for k in range(1, count)]
    names = draw(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="{}"), min_size=1),
            min_size=count,
            max_size=count,
        )
    )
    rotation = st.permutations(["Xrotation", "Yrotation", "Zrotation"])
    channels = []
    for _ in range(count):
        turns = draw(rotation)[: draw(st.integers(0, 3))]
        moves = ["Xposition", "Yposition", "Zposition"] if draw(st.booleans()) else []
        channels.append([*moves, *turns] if draw(st.booleans()) else [*turns, *moves])
    sites = [draw(st.booleans()) for _ in range(count)]
    number = st.floats(-200, 200).map(lambda v: f"{v:.3f}")
    lines = ["HIERARCHY"]

    def put(joint, depth):
        tab = "  " * depth
        lines.append(f"{tab}{'ROOT' if parents[joint] < 0 else 'JOINT'} {names[joint]}")
        lines.append(f"{tab}{{")
        lines.append(f"{tab}  OFFSET {draw(number)} {draw(number)} {draw(number)}")
        lines.append(f"{tab}  CHANNELS {len(channels[joint])} {' '.join(channels[joint])}".rstrip())
        order.append(joint)
        for child in (k for k in range(count) if parents[k] == joint):
            put(child, depth + 1)
        if sites[joint]:
            lines.extend(
                [f"{tab}  End Site", f"{tab}  {{", f"{tab}    OFFSET {draw(number)} 0.000 1.000", f"{tab}  }}"]
            )
        lines.append(f"{tab}}}")

    order: list[int] = []
    for joint in range(count):
        if parents[joint] < 0:
            put(joint, 0)
    width = sum(len(channels[joint]) for joint in order)
    frames = draw(st.integers(1, 4)) if width else 1
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.016667"]
    lines += [" ".join(draw(number) for _ in range(width)) for _ in range(frames)]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(bvh_texts())
def test_any_hierarchy_comes_back(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("fuzz")
    clip = read(folder, text, positions="absolute")
    assert kt.write(clip, folder / "out.bvh").read_text(encoding="utf-8") == text
    assert np.allclose(clip.positions(), plain_world(text), atol=1e-9)
    # An edit of everything survives too.
    edited = clip
    for joint in range(len(clip.skeleton)):
        edited = turned(edited, joint, [0.3, -0.2, 0.1])
    out = again(folder, edited.replace(root=edited.root + 1.0), positions="absolute")
    assert np.allclose(
        out.positions(), edited.positions() + (out.root - edited.root)[:, None] * _below_first(clip), atol=1e-3
    )
    assert rot.angle_between(out.rotations, edited.rotations).max() < 1e-6


def _below_first(clip):
    """1 for joints that hang below the first root, 0 for those of other roots."""
    below = np.zeros(len(clip.skeleton))
    below[list(clip.skeleton.subtree(0))] = 1.0
    return below[None, :, None]
