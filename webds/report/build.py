"""A report from a run folder and from nothing else: the same folder gives the same bytes."""

from dataclasses import dataclass
from pathlib import Path

from webds.errors import InputFault
from webds.report.episode import tries
from webds.report.export import write_ledger, write_parquet, write_results
from webds.report.render import episode_page, page_name, report_page
from webds.report.rows import Row, RunView, read_run
from webds.store import write_atomic


@dataclass(frozen=True, slots=True)
class ReportPaths:
    """What `build` wrote."""

    html: Path
    results: Path
    episodes: Path
    """episodes.parquet"""
    pages: tuple[Path, ...]
    """index.html of each episode that has a committed try, sorted by task and repeat."""
    view: RunView


def build(run: Path) -> ReportPaths:
    """Write report.html, results.json, episodes.parquet and the episodes' pages into the run folder.

    InputFault: no run in `run`, a run of another format, or a folder that cannot be written (the reason is named).
    """
    view = read_run(run)
    try:
        return _write(view)
    except OSError as error:
        raise InputFault(f"{error.filename or run}: the report cannot be written: {error.strerror}") from error


def _write(view: RunView) -> ReportPaths:
    run = view.path
    pages = tuple(page for row in view.rows if (page := _write_pages(view, row)) is not None)
    write_results(view, run / "results.json")
    write_ledger(view, run / "ledger.json")
    write_parquet(view, run / "episodes.parquet")
    write_atomic(run / "report.html", report_page(view))
    return ReportPaths(run / "report.html", run / "results.json", run / "episodes.parquet", pages, view)


def _write_pages(view: RunView, row: Row) -> Path | None:
    """A page for each committed try; the path of the one that counts, or None where there is none."""
    found = tries(view, row)
    index = None
    for page in found:
        # Not flushed to disk one by one: a report can be built again, and a run has hundreds of pages.
        index = view.path / "episodes" / row.folder / page_name(page, found)
        beside = index.with_name(f".{index.name}.part")
        beside.write_bytes(episode_page(view, row, page, found))
        beside.replace(index)
    return index
