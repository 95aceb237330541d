"""How long an episode took, from its timings: thinking counts, and a clock that was set back takes nothing away."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from webds.files import append_line
from webds.report import rows

BEGAN = datetime.fromisoformat("2026-11-30T01:00:00+00:00")


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([(0.5, 0.5), (60.0, 1.0), (300.0, 2.0)], 300.0),
        ([(0.5, 0.5), (-3600.0, 1.0)], 1.5),
        ([], None),
    ],
)
def test_seconds_run_from_the_first_step_to_the_last(
    tmp_path: Path, steps: list[tuple[float, float]], wanted: float | None
) -> None:
    """`steps`: when each ended, in seconds after the beginning, and what its own action took."""
    (tmp_path / "timings.jsonl").touch()
    for index, (end, own) in enumerate(steps):
        at = (BEGAN + timedelta(seconds=end)).isoformat()
        append_line(tmp_path / "timings.jsonl", {"index": index, "at": at, "seconds": own, "usage": {}})
    warnings: list[str] = []
    assert rows._seconds(tmp_path, "try-1", warnings) == wanted
    assert warnings == []
