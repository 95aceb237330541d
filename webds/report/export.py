"""results.json and episodes.parquet: what other programs read of a run."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from webds.report.query import episodes
from webds.report.rows import Row, RunView, agent_name
from webds.report.stats import lenient, strict
from webds.store import write_json


def results(view: RunView) -> dict[str, Any]:
    """The body of results.json: `run` and `episodes`, sorted by task and repeat.

    It holds no try number and no digest: a run that was killed and resumed must give the same results but for times.
    """
    counted = view.counts
    graded = lenient(counted)
    run = {name: view.head.get(name) for name in ("id", "track", "created", "repeat", "key_given", "facts")}
    run |= {
        "agent": agent_name(view.head),
        "planned": len(view.rows),
        "counts": counted,
        "score": graded.share,
        "lenient": graded.plain(),
        "strict": strict(counted).plain(),
        "warnings": view.warnings,
    }
    return {"run": run, "episodes": [_plain(row) for row in view.rows]}


def write_results(view: RunView, path: Path) -> None:
    """Write results.json."""
    write_json(path, results(view))


def write_parquet(view: RunView, path: Path) -> None:
    """Write episodes.parquet, one row an episode, replacing what was there in one go."""
    beside = path.with_name(f".{path.name}.part")
    pq.write_table(episodes(view.rows), beside, compression="zstd")
    beside.replace(path)


def _plain(row: Row) -> dict[str, Any]:
    fields = ("task", "repeat", "agent", "ending", "outcome", "passed", "score", "steps", "seconds")
    more = ("labels", "difficulty", "why", "answer")
    return {name: getattr(row, name) for name in fields + more}
