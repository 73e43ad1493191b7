"""The check-up: nothing to say about a good clip, and one finding for each thing that was spoilt on purpose."""

import re
from pathlib import Path

import numpy as np
import pytest

from kinetune import diagnosis
from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import Skeleton
from kinetune.diagnosis.detectors import GAUGES
from kinetune.diagnosis.examination import examine_clip
from kinetune.findings import Finding
from tests.body.people import rolled

FRAMES = 120


def standing() -> Clip:
    """A figure that stands with its feet on the floor and sways: every joint above the legs turns, all of it slowly."""
    parts = [
        ("Hips", -1, (0, 0.93, 0)),
        ("Spine", 0, (0, 0.25, 0)),
        ("Neck", 1, (0, 0.3, 0)),
        ("Head", 2, (0, 0.12, 0)),
    ]
    for side, x in (("Left", 1), ("Right", -1)):
        arm = len(parts)
        parts += [
            (f"{side}Arm", 1, (0.18 * x, 0.25, 0)),
            (f"{side}ForeArm", arm, (0.3 * x, 0, 0)),
            (f"{side}Hand", arm + 1, (0.25 * x, 0, 0)),
            (f"{side}UpLeg", 0, (0.09 * x, 0, 0)),
            (f"{side}Leg", arm + 3, (0, -0.43, 0)),
            (f"{side}Foot", arm + 4, (0, -0.43, 0)),
            (f"{side}ToeBase", arm + 5, (0, -0.05, 0.14)),
        ]
    names, parents, offsets = zip(*parts, strict=True)
    skeleton = Skeleton(names, np.array(parents), np.array(offsets, dtype=float))
    time = np.arange(FRAMES) / 60.0
    vectors = np.zeros((FRAMES, len(names), 3))
    for joint, name in enumerate(names):
        size = 1e-3 if "Leg" in name or "Foot" in name or "Toe" in name or name == "Hips" else 0.2
        vectors[:, joint, 2] = size * np.sin(2.0 * time + joint)
    root = np.tile([0.0, 0.93, 0.0], (FRAMES, 1)) + 1e-3 * np.sin(3.0 * time)[:, None] * [1, 0, 0]
    return Clip(skeleton, 60.0, root, rot.exp(vectors))


def check_up(clip: Clip) -> tuple[Finding, ...]:
    return examine_clip(clip, physics=False)[0]


def subjects(clip: Clip) -> set[str]:
    return {finding.kind for finding in check_up(clip)}


def test_a_good_clip_passes() -> None:
    assert check_up(standing()) == ()


def with_rotations(clip: Clip, rotations: np.ndarray) -> Clip:
    return clip.replace(rotations=rotations)


def glued_pose(clip: Clip) -> Clip:
    rotations = np.array(clip.rotations)
    rotations[0, 4:] = rot.exp(np.array([0.0, 0.0, 1.3]))
    return with_rotations(clip, rotations)


def one_flip(clip: Clip) -> Clip:
    rotations = np.array(clip.rotations)
    rotations[60:, 5] = rot.multiply(rotations[60:, 5], rot.exp(np.array([0.0, 2.5, 0.0])))
    return with_rotations(clip, rotations)


def still_hand(clip: Clip) -> Clip:
    rotations = np.array(clip.rotations)
    rotations[:, clip.joint("LeftHand")] = [1.0, 0.0, 0.0, 0.0]
    return with_rotations(clip, rotations)


def renamed(clip: Clip) -> Clip:
    skeleton = clip.skeleton
    straight = np.zeros_like(skeleton.offsets)
    straight[1:, 1] = 0.1
    names = tuple(f"bone{joint}" for joint in range(len(skeleton)))
    return clip.replace(skeleton=Skeleton(names, skeleton.parents, straight))


def zero_bone(clip: Clip) -> Clip:
    offsets = np.array(clip.skeleton.offsets)
    offsets[clip.joint("Neck")] = 0.0
    return clip.replace(skeleton=Skeleton(clip.skeleton.names, clip.skeleton.parents, offsets))


def sinking(clip: Clip) -> Clip:
    """Goes down through the floor for a moment, hips and all."""
    root = clip.root.copy()
    root[50:60, 1] -= 0.05 * np.sin(np.linspace(0.0, np.pi, 10))
    return clip.replace(root=root)


def sliding(clip: Clip) -> Clip:
    moved = clip.root + np.linspace(0, 0.12, len(clip))[:, None] * [0, 0, 1]
    return clip.replace(root=moved)


def uphill(clip: Clip) -> Clip:
    lean = rot.exp(np.array([np.deg2rad(2.0), 0.0, 0.0]))
    rotations = np.array(clip.rotations)
    rotations[:, 0] = rot.multiply(lean, rotations[:, 0])
    steps = 0.5 * np.floor(np.arange(len(clip)) / 30)  # stands in four places on the slope
    path = steps[:, None] * np.array([0.0, np.tan(np.deg2rad(2.0)), 1.0])
    return clip.replace(rotations=rotations, root=clip.root + path)


def teleporting(clip: Clip) -> Clip:
    root = np.array(clip.root)
    root[70:, 0] += 2.0
    return clip.replace(root=root)


def doubled(clip: Clip) -> Clip:
    twice = np.repeat(np.arange(len(clip)), 2)
    return clip.replace(root=clip.root[twice], rotations=clip.rotations[twice], fps=120.0)


@pytest.mark.parametrize(
    ("spoil", "subject"),
    [
        (uphill, "floor-lean"),
        (lambda c: rolled(c, ["right"]), "foot-upside-down"),
        (glued_pose, "stray-first-frame"),
        (one_flip, "flips"),
        (still_hand, "still-joints"),
        (renamed, "missing-roles"),
        (zero_bone, "zero-length-bones"),
        (sliding, "foot-slide"),
        (sinking, "below-floor"),
        (teleporting, "root-jumps"),
        (doubled, "repeated-frames"),
        (lambda c: c.replace(root=c.root + np.array([0, 0.2, 0])), "floor-height"),
        (lambda c: c.replace(root=c.root - np.array([0, 0.2, 0])), "floor-height"),
        (lambda c: c.replace(skeleton=c.skeleton.scaled(100), root=c.root * 100), "wrong-unit"),
        (lambda c: c.replace(fps=41.3), "unusual-rate"),
        (lambda c: c[5:6], "one-frame"),
    ],
)
def test_what_was_spoilt_is_found(spoil: object, subject: str) -> None:
    found = subjects(spoil(standing()))  # type: ignore[operator]
    assert subject in found


@pytest.mark.parametrize("fps", [20, 24, 29.97, 30, 59.94, 60, 119.88, 120, 160, 1 / 0.0083333, 1 / 0.0333333])
def test_usual_rates_pass(fps: float) -> None:
    assert "unusual-rate" not in subjects(standing().replace(fps=fps))


def test_nothing_moves() -> None:
    clip = standing()
    frozen = clip.replace(root=clip.root[[3] * 9], rotations=clip.rotations[[3] * 9])
    assert "no-motion" in subjects(frozen)


def test_messages_are_sentences() -> None:
    clip = glued_pose(one_flip(zero_bone(still_hand(teleporting(standing())))))
    findings = check_up(clip)
    assert len(findings) >= 5
    for finding in findings:
        assert finding.message[0].isupper() or finding.message[0].isdigit()
        assert finding.message.endswith(".")


def test_cmu_clips_begin_with_a_stray_pose(shared_data: Path) -> None:
    from kinetune.formats import read

    clip = read(shared_data / "cmu" / "07_01.bvh")
    assert {"stray-first-frame", "zero-length-bones"} <= subjects(clip)
    assert "stray-first-frame" not in subjects(clip[1:])


def test_every_finding_that_carries_a_step_is_measured() -> None:
    """What a step changes is shown before and after it, so each such kind has a gauge."""
    source = "".join(file.read_text(encoding="utf-8") for file in Path(diagnosis.__file__).parent.glob("*.py"))
    carrying = re.findall(r'Finding\(\s*"([\w-]+)"(?:(?!Finding\().)*?step=', source, re.DOTALL)
    assert len(carrying) > 8
    assert set(carrying) <= set(GAUGES)


def test_markers_that_leap_are_measured_in_centimetres() -> None:
    """A clip without rotations, as of markers: its first frame is elsewhere."""
    clip = standing()
    translations = np.tile(clip.skeleton.offsets, (FRAMES, 1, 1))
    translations[:, 0] = clip.root
    translations[0, 2:] += [0.0, 0.5, 0.0]
    still = np.broadcast_to(clip.skeleton.rest, clip.rotations.shape)
    markers = Clip(clip.skeleton, 60.0, clip.root, still, translations=translations)
    stray = next(finding for finding in check_up(markers) if finding.kind == "stray-first-frame")
    assert re.search(r"jumps by up to \d{2,3} cm from frame 0 to 1", stray.message)


def test_a_floor_is_measured_as_its_finding_says() -> None:
    """Its height and its lean each in their unit."""
    clip = uphill(standing())
    clip = clip.replace(root=clip.root + np.array([0.0, 0.046, 0.0]), contacts=None)
    found = {finding.kind: finding.message for finding in check_up(clip)}
    for kind, number in (("floor-height", r"([\d.]+) cm"), ("floor-lean", r"([\d.]+) degrees")):
        said = re.search(number, found[kind])
        read = GAUGES[kind].read(clip)
        assert said is not None
        assert read is not None
        assert float(said[1]) == pytest.approx(read, abs=0.51 if kind == "floor-height" else 0.051)


def test_messages_count_frames_as_the_findings_do() -> None:
    """A T-pose before the motion shifts both."""
    flipped = {finding.kind: finding for finding in check_up(glued_pose(one_flip(standing())))}["flips"]
    assert f"after frame {flipped.frame}." in flipped.message


def test_a_robot_whose_head_is_at_its_hips_does_not_lie() -> None:
    """As in the URDF files of Unitree: only the shape of the head is above."""
    clip = standing()
    skeleton = clip.skeleton
    offsets = np.array(skeleton.offsets)
    above = [j for j in skeleton.chain(skeleton.roles["head"]) if j not in skeleton.chain(skeleton.roles["hips"])]
    offsets[above] = 0.0
    flat = clip.replace(skeleton=Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.end_sites, skeleton.rest))
    assert "wrong-up" not in subjects(flat)
