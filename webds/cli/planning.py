"""What a run has to know before it starts, checked so that bad input is one line and no run folder is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from webds import config as settings
from webds import engines, jail, plugins
from webds.errors import InputFault
from webds.ports import Suite, Track
from webds.runner.attempt import KEYED
from webds.runner.caps import budget, lowered
from webds.runner.choosing import Selection, Shard, choose, draw, read_shard
from webds.runner.plan import Plan, able, declared, read_tasks
from webds.store import RunFolder
from webds.tracks import archives, docker
from webds.tracks.sites import Site, data_of, pick
from webds.tracks.world import choose_isolation
from webds.types import Task

LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the command line asks for, by name."""

    suite: str
    track: str
    agent: str
    selection: Selection = field(default_factory=Selection)
    shard: Shard = field(default_factory=Shard)
    repeat: int = 1
    concurrency: int = 1
    strict_lock: bool = False
    sets: tuple[str, ...] = ()
    """`--set` words."""


def plan_new(root: Path, config: dict[str, Any], wish: Wish) -> Plan:
    """Check everything that can be checked before a run folder is made. InputFault for the first thing wrong."""
    track, agent = wish.track, wish.agent
    plugins.find("webds.tracks", track)
    plugins.find("webds.agents", agent)
    engines.check(str(config["engine"]["name"]))
    if agent != KEYED:
        plugins.make("webds.agents", agent, {"root": root, **config["agents"].get(agent, {})})
    _find_browser(config)
    suited = plugins.make("webds.suites", wish.suite, {**config, "root": root})
    chosen = tuple(lowered(task, budget(config, "episode")) for task in _tasks(root, tuple(suited.tasks()), wish))
    isolation, warning = _open_web() if track == LIVE else _isolate(config, config["isolation"])
    elsewhere = track == LIVE or bool(config["archive"])
    sites = [] if elsewhere else _sites(root, suited, chosen)
    drifted = _archives(root, sites, wish.strict_lock or settings.in_ci())
    kept = {name: config[name] for name in ("live", "archive", "provider")}
    _check_sites(plugins.make("webds.tracks", track, {"root": root, "isolation": isolation, **kept}), suited, chosen)
    sandbox = jail.mechanism()
    warnings = [f"sandbox: none ({jail.mechanism_reason()})"] if sandbox == "none" else []
    warnings += [
        line for line in (warning, _unpriced(config, agent, chosen), _short(wish, len(chosen)), *drifted) if line
    ]
    return Plan(
        root=root,
        suite=wish.suite,
        track=track,
        agent=agent,
        tasks=chosen,
        repeat=wish.repeat,
        concurrency=wish.concurrency,
        config=config,
        isolation=isolation,
        sandbox=sandbox,
        warnings=tuple(warnings),
        selection=wish.selection,
        shard=wish.shard,
        declares=declared(suited, agent, config["agents"].get(agent, {}), price_file(config, agent)),
    )


def _unpriced(config: Mapping[str, Any], agent: str, tasks: tuple[Task, ...]) -> str:
    """A warning where dollars are capped and no price is known."""
    capped = bool(budget(config, "run").dollars) or any(task.budget.dollars for task in tasks)
    if not capped or config["agents"].get(agent, {}).get("prices"):
        return ""
    return f"a cap in dollars, but agents.{agent}.prices names no price table: what has no known price does not count"


def price_file(config: Mapping[str, Any], agent: str) -> str:
    """The price table of the agent's own table, else the configuration's; "" where there is none."""
    return str(config["agents"].get(agent, {}).get("prices") or config.get("prices", ""))


def _tasks(root: Path, every: tuple[Task, ...], wish: Wish) -> tuple[Task, ...]:
    """The tasks that are named and that the agent can try; one named in full has to be among them.

    The sample is drawn before it is asked what the agent can try: every agent gets the same one.
    """
    words = wish.selection.words
    named = draw(choose(every, words), wish.selection)
    chosen = able(wish.agent, {"root": root}, named)
    full = {word for given in words for word in given.split(",")}
    for task in named:
        if task.id in full and task not in chosen:
            raise InputFault(f"task {task.id}: agent {wish.agent!r} cannot try it: it has no script for this task")
    if not chosen:
        known = ", ".join(task.id for task in every) or "none"
        raise InputFault(f"agent {wish.agent!r}: no task that it can try; known tasks: {known}")
    return chosen[: wish.selection.limit] if wish.selection.limit else chosen


def _short(wish: Wish, chosen: int) -> str:
    """A warning where the agent cannot try all of the sample."""
    drawn = wish.selection.sample
    if wish.selection.limit or chosen >= drawn:
        return ""
    return f"{drawn - chosen} of the {drawn} tasks drawn cannot be tried by agent {wish.agent}"


def _sites(root: Path, suite: Suite, tasks: tuple[Task, ...]) -> list[Site]:
    """The sites that these tasks need. InputFault names the task that needs one which is not there."""
    found: dict[str, Site] = {}
    for task in tasks:
        names = suite.needs([task]).get("sites", ())
        assert isinstance(names, list | tuple)
        try:
            found.update({site.name: site for site in pick(root, map(str, names))})
        except InputFault as wrong:
            raise InputFault(f"task {task.id}: {wrong}") from wrong
    return list(found.values())


def _archives(root: Path, sites: list[Site], strict: bool) -> list[str]:
    """Build what is missing or stale; warnings where an archive is not the pinned one: an error if `strict`."""
    return [item.warning for item in _built(root, sites, strict) if item.warning]


def _built(root: Path, sites: list[Site], strict: bool) -> list[archives.Built]:
    built = archives.ensure(root, sites, lambda line: typer.echo(f"webds: {line}", err=True), whole=strict)
    warnings = [item.warning for item in built if item.warning]
    if warnings and strict:
        raise InputFault(warnings[0])
    return built


def _same_sites(root: Path, sites: list[Site], facts: Mapping[str, Any], file: str, strict: bool) -> None:
    """InputFault where a site or its archive is another than the one that the run in `file` began with."""
    here: dict[str, dict[str, Any]] = {
        "archives": {item.site: item.digest for item in _built(root, sites, strict)},
        "sites": {site.name: data_of(site) for site in sites},
    }
    for kind, served in here.items():
        then = facts.get(kind)
        changed = [name for name, now in served.items() if isinstance(then, Mapping) and then.get(name, now) != now]
        if changed:
            raise InputFault(
                f"{file}: field facts.{kind}.{changed[0]}: the run began on other data of this site than is here; "
                "go on from a checkout with the same site, or start a new run"
            )


def _find_browser(config: dict[str, Any]) -> None:
    """Settle field chromium; with provider docker the browser is the image's."""
    if config.get("provider") != "docker":
        config["chromium"] = settings.find_chromium(config["chromium"])


def _isolate(config: dict[str, Any], wanted: str) -> tuple[str, str]:
    """(isolation, warning). With provider docker an engine must answer, and its image is built here if need be."""
    if config.get("provider") != "docker":
        return choose_isolation(wanted)
    docker.prepare(config["docker"], lambda line: typer.echo(f"webds: {line}", err=True))
    return "container", ""


def _open_web() -> tuple[str, str]:
    """(isolation, warning) of the live track."""
    return "none", "live track: browser and proxy share the host's network; the proxy refuses private addresses"


def _check_sites(track: Track, suite: Suite, tasks: tuple[Task, ...]) -> None:
    """Say at once, with the task's name, that a task needs what the track does not have."""
    for task in tasks:
        try:
            track.serve(suite.needs([task]))
        except InputFault as wrong:
            raise InputFault(f"task {task.id}: {wrong}") from wrong


def plan_again(folder: RunFolder, root: Path, *, strict: bool = False) -> Plan:
    """The plan of an interrupted run, from its run.json. InputFault where its archives are not here any more.

    `strict`: they have to be the pinned ones too.
    """
    kept, file = folder.head, str(folder.path / "run.json")
    try:
        names = {name: str(kept[name]) for name in ("suite", "track", "agent")}
        facts, config = kept["facts"], kept["config"]
        repeat, slots = int(kept["repeat"]), int(kept["concurrency"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputFault(f"{file}: field {error}: missing or malformed; this run cannot be resumed") from error
    _find_browser(config)
    isolation, _ = _isolate(config, str(facts["isolation"]))
    tasks = read_tasks(kept, file)
    if names["track"] != LIVE and not config.get("archive"):
        suited = plugins.make("webds.suites", names["suite"], {**config, "root": root})
        _same_sites(root, _sites(root, suited, tasks), facts, file, strict or settings.in_ci())
    return Plan(
        root=root,
        suite=names["suite"],
        track=names["track"],
        agent=names["agent"],
        tasks=tasks,
        repeat=repeat,
        concurrency=slots,
        config=config,
        isolation=isolation,
        sandbox=jail.mechanism(),
        warnings=tuple(kept.get("warnings", ())),
        shard=read_shard(str(kept.get("shard", ""))),
        declares=kept.get("declares", {}),
    )
