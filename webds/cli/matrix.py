"""A matrix of runs: each agent with each model, one run folder a cell, resumable, one summary.

    [matrix]
    agents = ["llm", "browser-use"]
    models = ["small", "large"]
    baselines = ["nop"]               # run once, without a model

    [matrix.model.small]              # settings of the agent in each cell of this model; without: model = "small"
    model = "some-model"

The rest of the file is configuration as without a matrix.

    DIR/matrix.json                   the cells with their resolved configuration, and what was asked for
    DIR/<agent>~<model>/              a run each
    DIR/summary.json, summary.md      the cells' scores, and every two of them compared, p adjusted by Holm
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import typer
from rich.console import Console

from webds import config as settings
from webds.cli import running
from webds.cli.planning import Wish, plan_new
from webds.cli.resuming import Again, left
from webds.codec import load
from webds.errors import InputFault
from webds.report.matrix import summarize
from webds.runner.plan import Plan, head, run_id
from webds.runner.status import MATRIX
from webds.store import RunFolder, read_json, write_json

TABLE = "matrix"
FORMAT = 1
_STRICT: dict[str, Any] = {"extra": "forbid"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The table [matrix]."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    agents: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    model: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run of the matrix: its folder's name, its agent, and its resolved configuration."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    name: str
    agent: str
    config: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """matrix.json. `wish` holds what the cells share; its agent is not read."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    format: int = FORMAT
    wish: Wish
    cells: tuple[Cell, ...]


def read(file: Path, wish: Wish) -> Matrix:
    """The matrix of a configuration file. InputFault names the file and field."""
    kept = settings.read_toml(file)
    table = load(_Table, kept.pop(TABLE), f"{file}: {TABLE}")
    for name in (*table.models, *table.model):
        if not _NAME.fullmatch(name):
            raise InputFault(f"{file}: {TABLE}: field models: {name!r}; wanted letters, digits, . _ and -")
    unknown = sorted(set(table.model) - set(table.models))
    if unknown:
        raise InputFault(f"{file}: {TABLE}: field model.{unknown[0]}: not in models; known: {', '.join(table.models)}")
    wanted = [(agent, model) for agent in table.agents for model in table.models or ("",)]
    wanted += [(agent, "") for agent in table.baselines]
    if not wanted:
        raise InputFault(f"{file}: {TABLE}: field agents: no cell; name agents, or baselines")
    cells = [_cell(agent, model, table, kept, file, wish) for agent, model in dict.fromkeys(wanted)]
    return Matrix(wish=wish, cells=tuple(cells))


def _cell(agent: str, model: str, table: _Table, kept: Mapping[str, Any], file: Path, wish: Wish) -> Cell:
    config = settings.resolve_table(kept, str(file), wish.sets)
    if model:
        given = table.model.get(model, {"model": model})
        config["agents"] = {**config["agents"], agent: {**config["agents"].get(agent, {}), **given}}
    return Cell(name=f"{agent}~{model}" if model else agent, agent=agent, config=config)


def start(matrix: Matrix, root: Path, out: Path | None, screen: Console, *, as_json: bool, dry_run: bool) -> None:
    """Plan every cell before the first one runs, so that bad input in the last is told at once; then run them."""
    plans = [plan_new(root, dict(cell.config), replace(matrix.wish, agent=cell.agent)) for cell in matrix.cells]
    if dry_run:
        running.announce(plans, as_json)
        return
    folder = out or running.RUNS / run_id(TABLE)
    if (folder / MATRIX).exists():
        raise InputFault(f"{folder}: already holds a matrix; go on with --resume {folder}, or choose another --out")
    write_json(folder / MATRIX, asdict(matrix))
    _carry_out(matrix, folder, Again(root=root, screen=screen, as_json=as_json))


def again(folder: Path, how: Again) -> None:
    """Go on with the matrix in `folder`, or say what is left of it: cells that are done are left as they are."""
    kept = read_json(folder / MATRIX)
    found = kept.get("format") if isinstance(kept, dict) else None
    if found != FORMAT:
        raise InputFault(f"{folder / MATRIX}: field format: {found!r}; this webds reads format {FORMAT}")
    matrix = load(Matrix, kept, str(folder / MATRIX))
    if not how.dry_run:
        _carry_out(matrix, folder, how)
        return
    plans, rest = [], []
    for cell in matrix.cells:
        if (folder / cell.name / "run.json").is_file():
            plan, run = how.open(folder / cell.name)
            episodes = left(plan, run)
        else:
            plan = _plan(cell, matrix.wish, how)
            episodes = plan.episodes
        plans.append(plan)
        rest.append(episodes)
    running.announce(plans, how.as_json, rest)


def _carry_out(matrix: Matrix, folder: Path, how: Again) -> None:
    views, screen = {}, how.screen
    for number, cell in enumerate(matrix.cells, start=1):
        screen.print(f"cell {number} of {len(matrix.cells)}: {cell.name}", markup=False, highlight=False)
        plan, run = _open(cell, matrix.wish, folder / cell.name, how)
        paths, stopped = running.carry_out(plan, run, screen)
        views[cell.name] = paths.view
        if stopped:
            running.stop(folder, stopped, screen)
    summary = summarize(views)
    summary.write(folder)
    typer.echo(summary.json_text if how.as_json else f"{summary.markdown}\nsummary: {folder / 'summary.md'}")


def _open(cell: Cell, wish: Wish, path: Path, how: Again) -> tuple[Plan, RunFolder]:
    """The cell's plan and its run folder, begun or begun again."""
    if (path / "run.json").is_file():
        return how.open(path)
    plan = _plan(cell, wish, how)
    return plan, RunFolder.create(path, head(plan, f"{path.parent.name}/{cell.name}", {}))


def _plan(cell: Cell, wish: Wish, how: Again) -> Plan:
    return plan_new(how.root, how.changed(cell.config), replace(wish, agent=cell.agent))
