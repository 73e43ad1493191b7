"""All detectors, in the order in which what they find is mended, and what each measures.

==========  ==================================================================================================
DETECTORS   what looks for defects, each with the part of a cleaning that acts on it
Detector    one of them; calling it gives its findings
Case        how much of a defect is tolerated, and what has been done already
GAUGES      what a kind of finding measures, with its unit: the number before and after a step
measured    the measures of the motion of a clip, made once
==========  ==================================================================================================

The order matters. Lengths, the vertical and the clock come first, since all other thresholds are in metres and seconds;
stray poses and noise come before the floor and the feet, which are read from the motion; limits come before the feet,
since planting keeps knees in order by itself; the depth in the floor comes last, since planting moves the soles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from kinetune.body.clip import Clip
from kinetune.body.quality.glitches import find_jumps, find_motion
from kinetune.diagnosis import _pose_faults as poses
from kinetune.diagnosis import _skeleton_faults as skeletons
from kinetune.diagnosis import _stance_faults as stances
from kinetune.diagnosis import reading_faults as reading
from kinetune.diagnosis._physics_faults import find_wrong_rate
from kinetune.diagnosis._stance_faults import measured as measured
from kinetune.findings import Finding


class Case(NamedTuple):
    """How much of a defect is tolerated, in units of what good captures have, and whether the clip was denoised.

    first : the frame of the clip with which the motion begins, after a T-pose; messages count from there.
    """

    tolerance: float = 1.0
    denoised: bool = False
    first: int = 0


PLAIN = Case()
"""The case of a clip that nothing was done to."""


class Detector(NamedTuple):
    """What looks for one sort of defect.

    part : the part of a cleaning that takes the steps of its findings; "" where nothing does.
    find : the findings in a motion, at its frames.
    whole : whether it looks at a whole clip, stray poses included. physics : whether it asks for a verdict of physics.
    """

    part: str
    find: Callable[[Clip, Case], Iterable[Finding]]
    whole: bool = False
    physics: bool = False

    def __call__(self, clip: Clip, case: Case = PLAIN) -> list[Finding]:
        """The findings in a clip, at its frames."""
        if self.whole:
            return list(self.find(clip, case))
        start, stop, _ = find_motion(clip)
        motion = clip if (start, stop) == (0, len(clip)) else clip[start:stop]
        return [finding.moved(start) for finding in self.find(motion, case._replace(first=start))]


DETECTORS = (
    Detector("units", lambda clip, case: reading.find_wrong_size(clip)),
    Detector("units", lambda clip, case: reading.find_wrong_up(clip)),
    Detector("units", lambda clip, case: poses.find_repeats(clip)),
    Detector("units", lambda clip, case: find_wrong_rate(clip), physics=True),
    Detector("trim", lambda clip, case: poses.find_stray_poses(clip), whole=True),
    Detector("noise", lambda clip, case: poses.find_bad_samples(clip, case.tolerance, case.first)),
    Detector("floor", lambda clip, case: stances.find_floor_faults(clip, case.tolerance)),
    Detector("limits", lambda clip, case: stances.find_beyond_limits(clip, case.tolerance)),
    Detector("feet", lambda clip, case: stances.find_slide(clip, case.tolerance, case.denoised, case.first)),
    Detector("feet", lambda clip, case: stances.find_depth(clip, case.tolerance)),
    Detector("", lambda clip, case: poses.find_root_jumps(clip, case.first)),
    Detector("", lambda clip, case: skeletons.find_swapped_sides(clip)),
    Detector("", lambda clip, case: skeletons.find_stretching(clip)),
    Detector("", lambda clip, case: skeletons.find_rolled_feet(clip)),
    Detector("", lambda clip, case: skeletons.find_missing_roles(clip)),
    Detector("", lambda clip, case: reading.find_unusual_rate(clip)),
    Detector("", lambda clip, case: skeletons.find_still_joints(clip)),
    Detector("", lambda clip, case: skeletons.find_zero_bones(clip)),
)


class Gauge(NamedTuple):
    """What a kind of finding measures, in a unit; None where it cannot be measured."""

    unit: str
    read: Callable[[Clip], float | None]


GAUGES: dict[str, Gauge] = {
    "wrong-unit": Gauge("m tall", reading.body_height),
    "wrong-up": Gauge("degrees off the vertical", reading.trunk_lean_deg),
    "repeated-frames": Gauge("% repeated", poses.repeated_percent),
    "wrong-rate": Gauge("fps", lambda clip: clip.fps),
    "stray-first-frame": Gauge("frames", poses.stray_count),
    "stray-last-frame": Gauge("frames", poses.stray_count),
    "wrong-frames": Gauge("frames", lambda clip: float(len(find_motion(clip).wrong))),
    "flips": Gauge("jumps", lambda clip: float(len(find_jumps(clip)))),
    "spike": Gauge("spikes", lambda clip: float(len(poses.seen_spikes(clip)))),
    "noise": Gauge("mm", poses.noise_mm),
    "floor-height": Gauge("cm", stances.floor_cm),
    "floor-lean": Gauge("degrees", stances.floor_lean_deg),
    "beyond-limits": Gauge("degrees", stances.beyond_deg),
    "foot-slide": Gauge("mm", stances.slide_mm),
    "below-floor": Gauge("mm", stances.depth_mm),
}
