"""Few keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from kinetune.body.clip import Clip, Marker
from kinetune.body.curves.key_reduction import KeyedClip, reduce_keys
from kinetune.operations._motion_edits import mend
from kinetune.operations.base import Operation, parameter, report_result


class ReduceKeys(Operation):
    """Play a motion from as few keys as possible, every joint within a tolerance of where it was.

    Keys have tension and bias, and are set where the motion needs them. Between them the motion is as smooth as a
    hand-keyed one, without small jitter and single wrong frames. FBX and glTF files then contain only these keys,
    as cubic curves that a person can edit. In Python ``kt.reduce_keys`` gives the keys themselves.
    """

    op: Literal["reduce_keys"] = "reduce_keys"
    keeps_stance: ClassVar[bool] = True
    tolerance_mm: float = parameter(
        5.0,
        "How far any joint or tip may stray at any frame; 0 keeps every frame.",
        unit="mm",
        ge=0.0,
        le=1000.0,
    )
    keys: Literal["joint", "shared"] = parameter(
        "joint", "Separate keys for each joint (fewer keys), or whole poses (fewer key frames).", unit=""
    )
    mark: bool = parameter(False, 'Leave a marker called "key" at every key frame.', unit="")

    @classmethod
    def neutral(cls) -> Self:
        """Every frame as it is."""
        return cls(tolerance_mm=0.0)

    def apply(self, clip: Clip, inputs: Mapping[str, Clip]) -> Clip:
        """The motion that few keys make."""
        if self.tolerance_mm == 0.0:
            return clip
        keyed = reduce_keys(mend(clip), self.tolerance_mm, keys=self.keys)
        report_result(keyed)
        result = keyed.to_clip()
        if not self.mark:
            return result
        return result.replace(markers=(*clip.markers, *(Marker(frame, "key") for frame in keyed.key_frames())))

    def report(self, before: Clip, after: Clip, results: Sequence[Any]) -> Mapping[str, Any] | None:
        """How many keys were kept of how many, and how far any joint is from where it was."""
        keyed = next((result for result in results if isinstance(result, KeyedClip)), None)
        return None if keyed is None else keyed.summary()

    def describe(self, report: Mapping[str, Any]) -> Sequence[str]:
        """One sentence on what was kept."""
        keys, whole, times = f"{report['keys']:,}", f"{report['dense_keys']:,}", f"{report['times_fewer']:.1f}"
        return (f"Kept {keys} keys of {whole} ({times} times fewer), within {report['error_mm']:.2g} mm.",)
