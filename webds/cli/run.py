"""`webds run`: plan, run with live progress, judge, report."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from webds import config as settings
from webds.cli import matrix, running
from webds.cli.ownfiles import choose_files
from webds.cli.planning import Wish, plan_new
from webds.cli.resuming import Again, again, caps_of_run, check_words
from webds.engines import check
from webds.errors import InputFault
from webds.runner import caps
from webds.runner.choosing import Selection, read_shard
from webds.runner.plan import ID, Plan, head, run_id
from webds.runner.status import MATRIX
from webds.store import RunFolder

app = typer.Typer()
WAIT = "endpoint_wait"
_Track = Annotated[str, typer.Option(help="How sites are served: dockerized, or live (the real web).")]
_Agent = Annotated[str, typer.Option(help="Agent by name: oracle, nop, scripted, replay, or an installed plug-in.")]
_Tasks = Annotated[
    list[str] | None,
    typer.Option(
        help="Ids, patterns, site:NAME, domain:NAME, difficulty:NAME, label:NAME=VALUE, with commas between: "
        "different names narrow each other, the same name adds up. May be given again, which adds up too. "
        "A FILE.toml holds tasks of your own."
    ),
]
_Capture = Annotated[bool, typer.Option("--capture", help="Live: keep what is loaded as an archive.")]
_Archive = Annotated[
    Path | None, typer.Option(metavar="RUN", help="Run a live run's tasks again, on what it captured.")
]
_Limit = Annotated[int, typer.Option(min=0, help="The first N tasks of those chosen; 0: all.")]
_Sample = Annotated[int, typer.Option(min=0, help="N tasks drawn from those chosen, stratified by difficulty; 0: all.")]
_Seed = Annotated[int, typer.Option(help="Of the sample: the same seed draws the same tasks anywhere.")]
_Shard = Annotated[
    str, typer.Option(metavar="I/N", help="Part I of N of the episodes, for one of N machines; see webds merge.")
]
_Suite = Annotated[str, typer.Option(help="Suite by name.")]
_Provider = Annotated[
    str, typer.Option(help="What the dockerized track runs its sites in: process or docker; default: the config's.")
]
_Repeat = Annotated[int, typer.Option(min=1, help="Episodes a task.")]
_Concurrency = Annotated[int, typer.Option(min=1, help="Worker slots.")]
_Engine = Annotated[
    str, typer.Option(help="Where workers run: local, or ray (extra webds\\[ray]); default: the config's, local.")
]
_Address = Annotated[str, typer.Option(help="Of the Ray cluster: auto, or HOST:PORT; default: one of this machine.")]
_Out = Annotated[Path | None, typer.Option(help="Run folder; default runs/<utc>-<agent>-<4 hex>.")]
_Resume = Annotated[Path | None, typer.Option(help="Go on with the run, or the matrix of runs, in this folder.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run and what it would cost; run nothing.")]
_Config = Annotated[
    Path | None, typer.Option(help="TOML file over the defaults; a table \\[matrix] in it makes a run a cell.")
]
_EndpointWait = Annotated[
    float | None, typer.Option(min=0, help="Seconds to wait for a model endpoint that is down; default: the config's.")
]
_Set = Annotated[list[str] | None, typer.Option("--set", help="One field, as a.b=value.")]
_Root = Annotated[str, typer.Option(help="Checkout that holds sites_docker; default: the nearest parent.")]
_StrictLock = Annotated[
    bool, typer.Option(help="Refuse archives that are not those of sites_docker/lock.toml (always so in CI).")
]
_Split = Annotated[str, typer.Option(help="public, or private: needs no key, and is scored where it is submitted.")]
_Reserved = Annotated[str, typer.Option(help="The run's id where one was reserved before.")]
_Json = Annotated[bool, typer.Option("--json", help="Print results.json's `run` part instead of tables.")]


_MaxCost = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CAP",
        help="Dollars that the run may cost, or NAME=NUMBER, with commas between; names: run. or episode. and "
        "dollars, tokens, steps, seconds. With --resume: new caps of the run.",
    ),
]
_RecordModel = Annotated[str, typer.Option(help="Write the agent's model calls to this file (docs/models.md).")]
_ReplayModel = Annotated[
    str, typer.Option(help="Answer the agent's model calls from such a file, without an endpoint.")
]


@app.command()
def run(
    context: typer.Context,
    track: _Track = "dockerized",
    agent: _Agent = "scripted",
    tasks: _Tasks = None,
    capture: _Capture = False,
    archive: _Archive = None,
    limit: _Limit = 0,
    sample: _Sample = 0,
    seed: _Seed = 0,
    shard: _Shard = "",
    suite: _Suite = "web",
    split: _Split = "public",
    provider: _Provider = "",
    repeat: _Repeat = 1,
    concurrency: _Concurrency = 1,
    engine: _Engine = "",
    address: _Address = "",
    reserved: _Reserved = "",
    out: _Out = None,
    resume: _Resume = None,
    dry_run: _DryRun = False,
    config: _Config = None,
    set_: _Set = None,
    endpoint_wait: _EndpointWait = None,
    max_cost: _MaxCost = None,
    record_model: _RecordModel = "",
    replay_model: _ReplayModel = "",
    root: _Root = "",
    strict_lock: _StrictLock = False,
    as_json: _Json = False,
) -> None:
    """Run tasks with an agent, judge the episodes, write the report."""
    where, limits, screen = settings.find_root(root), caps.words(max_cost or ()), Console(stderr=True, quiet=as_json)
    changes = _changes(engine, address, endpoint_wait)
    own = choose_files(track, tasks or (), capture=capture, archive=archive)
    more = (*own.sets, *_cassette(agent, record_model, replay_model), *limits)
    wish = Wish(
        suite=suite,
        track=track,
        agent=agent,
        selection=Selection(words=own.words, limit=limit, sample=sample, seed=seed),
        shard=read_shard(shard),
        repeat=repeat,
        concurrency=concurrency,
        strict_lock=strict_lock,
        sets=(*(set_ or ()), *_words(changes, provider, split), *more),
    )
    if resume is not None:
        check_words(context)
        how = Again(where, screen, {**changes, **caps_of_run(limits)}, strict_lock, dry_run, as_json)
        (matrix.again if (resume / MATRIX).is_file() else again)(resume, how)
    elif config is not None and matrix.TABLE in settings.read_toml(config):
        matrix.start(matrix.read(config, wish), where, out, screen, as_json=as_json, dry_run=dry_run)
    else:
        plan = plan_new(where, settings.resolve(config, wish.sets), wish)
        if dry_run:
            running.announce([plan], as_json)
        else:
            _begin(plan, reserved or run_id(agent), out, screen, as_json)


def _begin(plan: Plan, name: str, out: Path | None, screen: Console, as_json: bool) -> None:
    if not ID.fullmatch(name):
        raise InputFault(f"--reserved {name!r:.100}: no run's id: <utc>-<agent>-<hex>")
    running.finish(plan, RunFolder.create(out or running.RUNS / name, head(plan, name, {})), screen, as_json)


def _changes(engine: str, address: str, endpoint_wait: float | None) -> dict[str, dict[str, Any]]:
    """By table of the configuration, what flags say of it that may change when a run goes on. InputFault lists the
    known engines."""
    if address and not engine:
        raise InputFault("--address: is of an engine; say --engine ray too")
    return {
        "engine": {"name": check(engine), "address": address} if engine else {},
        "limits": {} if endpoint_wait is None else {WAIT: endpoint_wait},
    }


def _words(changes: Mapping[str, Mapping[str, Any]], provider: str, split: str) -> list[str]:
    """The same, and the provider where one is named and the split, as words of --set."""
    named = [*([f"provider={provider}"] if provider else []), *([f"split={split}"] if split != "public" else [])]
    more = [f"{name}.{field}={json.dumps(value)}" for name, table in changes.items() for field, value in table.items()]
    return [*named, *more]


def _cassette(agent: str, record: str, replay: str) -> list[str]:
    """The agent's settings for a recording; one at a time."""
    if record and replay:
        raise InputFault("--record-model and --replay-model: name one of them")
    named = {"record": record, "replay": replay}
    return [f"agents.{agent}.{name}={json.dumps(file)}" for name, file in named.items() if file]
