"""A pair of legs that walks exactly as planned, so that tests know when each foot stands and that none slides.

The legs are solved in the sagittal plane. A stance rolls over the heel, the flat sole and the ball, each a point that
does not move; swings are smooth, and leave and land at speed, as feet do.
"""

from dataclasses import dataclass

import numpy as np

from kinetune import rotations as rot
from kinetune.body.clip import Clip
from kinetune.body.skeleton import EndSite, Skeleton

THIGH, SHANK, ANKLE = 0.43, 0.43, 0.07
LEG = THIGH + SHANK
HEEL_BEHIND, BALL_AHEAD, BALL_HEIGHT, TOES = 0.05, 0.13, 0.02, 0.06
SIDEWAYS = {"Left": 0.09, "Right": -0.09}
HIP_HEIGHT = 0.84


def skeleton(toes: bool = True, sites: bool = True) -> Skeleton:
    names, parents, offsets = ["Hips", "Spine", "Head"], [-1, 0, 1], [(0, 0, 0), (0, 0.2, 0), (0, 0.4, 0)]
    tips = [EndSite(2, (0.0, 0.2, 0.0))]
    for side, x in SIDEWAYS.items():
        first = len(names)
        names += [f"{side}UpLeg", f"{side}Leg", f"{side}Foot"]
        parents += [0, first, first + 1]
        offsets += [(x, 0, 0), (0, -THIGH, 0), (0, -SHANK, 0)]
        if toes:
            names.append(f"{side}ToeBase")
            parents.append(first + 2)
            offsets.append((0, BALL_HEIGHT - ANKLE, BALL_AHEAD))
        if sites:
            tip = (0.0, BALL_HEIGHT - ANKLE, BALL_AHEAD + TOES) if not toes else (0.0, -0.01, TOES)
            tips.append(EndSite(len(names) - 1, tip))
    return Skeleton(tuple(names), parents, np.array(offsets, dtype=float), tuple(tips))


def pose_legs(hips, ankles, pitches, bends, fps, figure=None) -> Clip:
    """A clip from hips (frames, 3), and for each side ankles (frames, 3), foot pitch and toe bend in radians.

    Pitch is positive with toes up. Ankles keep the side's distance from the hips along X.
    """
    figure = skeleton() if figure is None else figure
    rotations = rot.identity(len(hips), len(figure))
    for side in SIDEWAYS:
        thigh = figure.names.index(f"{side}UpLeg")
        reach = ankles[side] - hips
        length = np.hypot(reach[:, 1], reach[:, 2])
        assert length.max() < 0.999 * LEG, "the planned step is too long for the legs"
        ahead = np.arctan2(reach[:, 2], -reach[:, 1])
        at_hip = np.arccos((THIGH**2 + length**2 - SHANK**2) / (2 * THIGH * length))
        knee = np.pi - np.arccos((THIGH**2 + SHANK**2 - length**2) / (2 * THIGH * SHANK))
        # A turn about +X by a takes a hanging leg backwards, and toes down.
        turns = [-(ahead + at_hip), knee, ahead + at_hip - knee - pitches[side]]
        if f"{side}ToeBase" in figure.names:
            turns.append(-bends[side])
        for joint, turn in enumerate(turns, start=thigh):
            rotations[:, joint] = rot.from_axis_angle((1.0, 0.0, 0.0), turn)
    return Clip(figure, fps, hips, rotations)


def stand(frames=120, fps=60.0, figure=None) -> Clip:
    hips = np.tile([0.0, HIP_HEIGHT, 0.0], (frames, 1))
    still = np.zeros(frames)
    ankles = {side: np.tile([x, ANKLE, 0.0], (frames, 1)) for side, x in SIDEWAYS.items()}
    return pose_legs(hips, ankles, dict.fromkeys(SIDEWAYS, still), dict.fromkeys(SIDEWAYS, still), fps, figure)


@dataclass(frozen=True)
class Gait:
    """A plan: cycle in seconds, share of the cycle in which a foot stands, metres a stride, radians of pitch."""

    cycle: float = 1.1
    stance: float = 0.62
    stride: float = 1.2
    strike: float = 0.35
    leave: float = -0.6
    lift: float = 0.12

    def stands(self, side: str, times) -> np.ndarray:
        return self._phase(side, times)[1] < self.stance

    def _phase(self, side, times):
        phase = np.asarray(times) / self.cycle + (0.5 if side == "Right" else 0.0)
        return np.floor(phase), phase % 1.0

    def foot(self, side, times):
        """Ankle (frames, 3), pitch and toe bend."""
        cycle, phase = self._phase(side, times)
        place = self.stride * (cycle - (0.5 if side == "Right" else 0.0)) + 0.5 * self.stance * self.stride
        share = phase / self.stance
        down, pitch, bend = self._roll(np.minimum(share, 1.0))
        swing = np.clip((phase - self.stance) / (1.0 - self.stance), 0.0, 1.0)
        # A foot leaves and lands at speed: half of its mean speed.
        ease = swing - 0.5 * np.sin(2 * np.pi * swing) / (2 * np.pi)
        start, start_pitch, start_bend = self._roll(np.array([1.0]))
        end, end_pitch, _ = self._roll(np.array([0.0]))
        end = end + np.array([0.0, 0.0, self.stride])
        up = start + ease[:, None] * (end - start)
        up[:, 1] += self.lift * np.sin(np.pi * swing)
        flying = phase >= self.stance
        ankle = np.where(flying[:, None], up, down) + place[:, None] * np.array([0.0, 0.0, 1.0])
        ankle[:, 0] = SIDEWAYS[side]
        pitch = np.where(flying, start_pitch + ease * (end_pitch - start_pitch), pitch)
        return ankle, pitch, np.where(flying, start_bend * (1.0 - ease), bend)

    def _roll(self, share):
        """Ankle relative to the point below it when flat, pitch and toe bend, from the share of the stance passed."""
        landing = self.strike * np.clip(1.0 - share / 0.18, 0.0, 1.0) ** 2
        leaving = self.leave * np.clip((share - 0.65) / 0.35, 0.0, 1.0) ** 2
        pitch = landing + leaving
        turn = rot.from_axis_angle((1.0, 0.0, 0.0), -pitch)
        on_heel = rot.rotate(turn, np.array([0.0, ANKLE, HEEL_BEHIND])) - np.array([0.0, 0.0, HEEL_BEHIND])
        on_ball = rot.rotate(turn, np.array([0.0, ANKLE, -BALL_AHEAD])) + np.array([0.0, 0.0, BALL_AHEAD])
        return np.where((pitch >= 0)[:, None], on_heel, on_ball), pitch, np.maximum(-pitch, 0.0)

    def clip(self, seconds=4.4, fps=120.0, figure=None) -> Clip:
        times = np.arange(round(seconds * fps)) / fps
        feet = {side: self.foot(side, times) for side in SIDEWAYS}
        hips = np.zeros((len(times), 3))
        hips[:, 1] = HIP_HEIGHT - 0.06
        hips[:, 2] = self.stride * times / self.cycle
        ankles, pitches, bends = ({side: feet[side][part] for side in SIDEWAYS} for part in range(3))
        return pose_legs(hips, ankles, pitches, bends, fps, figure)


WALK = Gait()
RUN = Gait(cycle=0.72, stance=0.31, stride=1.7, strike=0.1, leave=-0.6, lift=0.25)


def scaled(clip: Clip, factor: float) -> Clip:
    return clip.replace(skeleton=clip.skeleton.scaled(factor), root=clip.root * factor)


def moved(clip: Clip, offset, radians=0.0) -> Clip:
    turn = rot.about_y(radians)
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    return clip.replace(root=rot.rotate(turn, clip.root) + np.asarray(offset), rotations=rotations)
