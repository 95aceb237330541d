"""Label rows for the tests."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from webds.cli import main
from webds_judge.rubric.criteria import rubric_hash

SITES = ("grid-workbook", "contagion-ledger", "fever-line-list", "air-and-ice", "matchday-archive", "tent-watch")


def row(number: int, rater: str, label: str, **more: Any) -> dict[str, Any]:
    """A row on try `number`; tiers and sites go round."""
    return {
        "run": "r", "episode": f"t{number}~0", "trajectory": f"{number:064x}", "rubric": rubric_hash(), "rater": rater,
        "label": label, "tier": ("easy", "medium", "hard")[number % 3], "site": SITES[number % 6], **more,
    }  # fmt: skip


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of labels."""
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def pairs(both: int, first: int, second: int, neither: int) -> list[tuple[str, str]]:
    """Pairs of words by their counts: both pass, only the first, only the second, neither."""
    return (
        [("pass", "pass")] * both + [("pass", "fail")] * first + [("fail", "pass")] * second
        + [("fail", "fail")] * neither
    )  # fmt: skip


def webds(*words: object) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of `webds judge WORDS`."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main(["judge", *map(str, words)])
        except SystemExit as ended:
            return int(ended.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()
