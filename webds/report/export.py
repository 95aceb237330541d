"""results.json, ledger.json and episodes.parquet: what other programs read of a run."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from webds.report.query import episodes
from webds.report.rows import Row, RunView, agent_name
from webds.report.tally import ledger, scores
from webds.store import write_json


def results(view: RunView) -> dict[str, Any]:
    """The body of results.json: `run` and `episodes`, sorted by task and repeat.

    It holds no try number and no digest: a run that was killed and resumed must give the same results but for times.
    """
    counted = view.counts
    run = {name: view.head.get(name) for name in ("id", "track", "created", "repeat", "key_given", "facts")}
    run |= {
        "agent": agent_name(view.head),
        "planned": len(view.rows),
        "counts": counted,
        **scores(view.rows, counted),
        "warnings": view.warnings,
    }
    return {"run": run, "episodes": [_plain(row) for row in view.rows]}


def write_results(view: RunView, path: Path) -> None:
    """Write results.json."""
    write_json(path, results(view))


def write_ledger(view: RunView, path: Path) -> None:
    """Write ledger.json: tries and usage, in all and by episode. Beside the results, since a kill leaves a try more."""
    rows = [
        {
            "task": row.task,
            "repeat": row.repeat,
            "tries": row.spent.tries,
            "cut_off": row.spent.cut_off,
            "counted": row.spent.counted.plain(),
            "lost": row.spent.lost.plain(),
        }
        for row in view.rows
    ]
    write_json(path, {**ledger(view.rows).plain(), "by_episode": rows})


def write_parquet(view: RunView, path: Path) -> None:
    """Write episodes.parquet, one row an episode, replacing what was there in one go."""
    beside = path.with_name(f".{path.name}.part")
    pq.write_table(episodes(view.rows), beside, compression="zstd")
    beside.replace(path)


def _plain(row: Row) -> dict[str, Any]:
    fields = ("task", "repeat", "agent", "ending", "outcome", "passed", "score", "steps", "seconds")
    more = ("labels", "difficulty", "why", "answer", "flags")
    return {name: getattr(row, name) for name in fields + more}
