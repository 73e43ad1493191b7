"""Which findings fail a pipeline: a small file of limits.

# kinetune.limits.yaml
fail: [error, physics-glide, foot-slide]   # severities and kinds
ignore: [floor-lean]
checks: {loop_seam_mm: 20, root_drift_m: 0.05, gait_phase: 0.1}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetune.diagnosis.pipeline_checks import CHECKS
from kinetune.errors import FileError, MalformedFileError
from kinetune.findings import Finding
from kinetune.input_files import read_input, reading

_MOST_BYTES = 100_000
_LARGEST = 1e12


@dataclass(frozen=True)
class CheckLimits:
    """What fails a pipeline.

    fail : severities and kinds of findings that fail it; errors and warnings of the motion by default.
    ignore : kinds that are left out.
    checks : more checks with their limits, see :data:`kinetune.diagnosis.pipeline_checks.CHECKS`.
    """

    fail: tuple[str, ...] = ("error", "warning")
    ignore: tuple[str, ...] = ()
    checks: dict[str, float] = field(default_factory=dict)

    def failing(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings that fail a pipeline."""
        return tuple(
            finding
            for finding in findings
            if finding.kind not in self.ignore and (finding.severity in self.fail or finding.kind in self.fail)
        )

    @classmethod
    def read(cls, path: Path) -> CheckLimits:
        """Limits from a YAML or JSON file."""
        from kinetune.input_files.plain_yaml import parse_yaml

        with reading(path):
            try:
                text = read_input(path, largest=_MOST_BYTES, what="a file of limits").decode()
            except UnicodeDecodeError:
                raise MalformedFileError(path, "it is not text in UTF-8.") from None
            return cls._of(path, parse_yaml(text, str(path)) or {})

    @classmethod
    def _of(cls, path: Path, content: Any) -> CheckLimits:
        if not isinstance(content, dict) or set(content) - {"fail", "ignore", "checks"}:
            raise FileError(path, "limits have the entries fail, ignore and checks, and no others.")
        checks = content.get("checks") or {}
        if not isinstance(checks, dict) or set(checks) - set(CHECKS):
            raise FileError(path, f"the checks are {', '.join(CHECKS)}.")
        if not all(isinstance(limit, int | float) and 0 <= limit <= _LARGEST for limit in checks.values()):
            raise FileError(path, "each check has a number, its limit.")
        lists = [content.get(name, default) for name, default in (("fail", ["error", "warning"]), ("ignore", []))]
        if not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists):
            raise FileError(path, "fail and ignore are lists of severities and kinds of findings.")
        return cls(tuple(lists[0]), tuple(lists[1]), {name: float(limit) for name, limit in checks.items()})
