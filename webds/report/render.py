"""The two kinds of page. Each is one HTML text without a script, under a Content-Security-Policy that allows none.

Styles stand in one <style> element whose hash the policy names, so that even an injected style attribute is dead.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup

from webds.html import engine, style_source
from webds.report.episode import Try
from webds.report.query import breakdown
from webds.report.rows import Row, RunView, agent_name, own_flags
from webds.report.stats import lenient, strict
from webds.report.tally import by_site, ledger, repeats, task_mean, unsteady
from webds.report.text import cut, finalize, fit, listed, shown
from webds.stats import percent
from webds.types import Params

OBSERVATION_LIMIT = 20_000
ANSWER_LIMIT = 2_000
ROWS_BYTES = 1_100_000
"""What the rows of report.html may take together: the page stays under 2 MB however long the texts are."""
_CLOSED = {"base-uri": "'none'", "form-action": "'none'"}
_GROUPS = 20
_LABELS = 24
_FACTS = 60
_WARNINGS = 100
OUTCOME_NAMES = {
    "pass": "pass",
    "fail": "fail",
    "blocked": "blocked",
    "infra": "infra fault",
    "ungraded": "ungraded",
    "not_run": "not run",
}


@cache
def _environment() -> Environment:
    filters = {"cut": cut, "fit": fit, "percent": percent, "shown": shown, "listed": listed, "duration": duration}
    env = engine(Path(__file__).parent / "templates", filters=filters, finalize=finalize)
    env.globals |= {"names": OUTCOME_NAMES}
    return env


@cache
def _style() -> tuple[Markup, str]:
    """The style sheet, and the source expression that allows it."""
    # Markup is right here: the text is our own file, and quotes in CSS must not be escaped.
    text = (Path(__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
    return Markup(text), style_source(text)  # noqa: S704 - see above


def _page(template: str, images: str, values: Mapping[str, Any]) -> bytes:
    style, source = _style()
    allowed = {"default-src": "'none'", "script-src": "'none'", "style-src": source, "img-src": images}
    policy = "; ".join(f"{name} {value}" for name, value in {**allowed, **_CLOSED}.items())
    html = _environment().get_template(template).render(style=style, policy=policy, **values)
    return html.encode("utf-8", "replace")


def duration(seconds: float | None) -> str:
    """`41 s`, `3 min 20 s`, or a dash where nothing was timed."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{int(seconds // 60):,} min {int(seconds % 60)} s"


def report_page(view: RunView) -> bytes:
    """report.html of a run: one file, no pictures from outside, no script."""
    counted = view.counts
    size = max(80, min(900, ROWS_BYTES // max(len(view.rows), 1) - 600))
    labels = list(breakdown(view.rows).items())
    values = {
        "view": view,
        "title": shown(view.head.get("id")),
        "agent": agent_name(view.head),
        "banners": banners(view),
        "counted": counted,
        "stack": _stack(counted),
        "lenient": lenient(counted),
        "strict": strict(counted),
        "labels": [(fit(label, 120), groups[:_GROUPS], groups[_GROUPS:]) for label, groups in labels[:_LABELS]],
        "more_labels": len(labels[_LABELS:]),
        "by_site": by_site(view.rows),
        "by_task": task_mean(view.rows),
        "repeats": repeats(view.rows),
        "unsteady": unsteady(view.rows),
        "ledger": ledger(view.rows),
        "rows": [_row(view, row, size) for row in view.rows],
        "facts": facts(view),
        "warnings": [fit(line, 600) for line in view.warnings[:_WARNINGS]],
        "more_warnings": len(view.warnings[_WARNINGS:]),
        "repeated": len({row.task for row in view.rows}) < len(view.rows),
        "config": cut(shown(view.head.get("config")), 8_000),
    }
    return _page("report.html.j2", "data:", values)


def episode_page(view: RunView, row: Row, page: Try, others: list[Try]) -> bytes:
    """The page of one try, to lie in the episode's folder. `others` are the episode's further committed tries."""
    task = view.tasks.get(row.task, {})
    values = {
        "view": view,
        "row": row,
        "title": f"{row.task} ~ {row.repeat}",
        "prompt": shown(task.get("prompt")),
        "task": task,
        "page": page,
        "flags": own_flags(page.item) if page.item else (),
        "others": [(other, page_name(other, others)) for other in others],
        "observation_limit": OBSERVATION_LIMIT,
        "answer_limit": ANSWER_LIMIT,
    }
    # file: because Chromium does not count a file beside the page as 'self'.
    return _page("episode.html.j2", "'self' file: data:", values)


def page_name(page: Try, tries: list[Try]) -> str:
    """`index.html` for the try that counts, `try-<k>.html` for an earlier one."""
    return "index.html" if page.name == tries[-1].name else f"{page.name}.html"


def banners(view: RunView) -> list[tuple[str, str]]:
    """What nobody who reads the score may overlook: (headline, explanation)."""
    found = []
    if view.head.get("key_given"):
        found.append(("Key given", "The agent was handed the answers (oracle): these figures are no score."))
    if _facts(view.head).get("sandbox") == "none":
        found.append(
            ("Sandbox: none", "The agent's code ran unconfined: it could read this machine's files, keys too.")
        )
    if _facts(view.head).get("isolation") == "none":
        found.append(("Isolation: none", "The browser ran outside a network namespace; only the proxy held it back."))
    return found


def facts(view: RunView) -> list[tuple[str, list[tuple[str, str]]]]:
    """Run facts in groups, each a list of (name, value)."""
    head, world = view.head, _facts(view.head)
    run = [(name, head.get(name)) for name in ("id", "created", "track", "repeat")]
    given = head.get("key_given")
    own = [("agent", agent_name(head)), *run, ("key given", given if given is None else bool(given))]
    kept = ("isolation", "sandbox")
    place = [(name, world.get(name)) for name in kept]
    place += [(name, value) for name, value in world.items() if name not in (*kept, "sites")]
    groups = [("Run", own), ("Declared", _declared(head)), ("World", place), ("Sites", _pairs(world.get("sites")))]
    groups.append(("Versions", _pairs(head.get("versions"))))
    return [
        (name, [(fit(str(key), 200), fit(shown(value), 600)) for key, value in pairs[:_FACTS]])
        for name, pairs in groups
        if pairs
    ]


def _declared(head: Params) -> list[tuple[str, Any]]:
    """What run.json declares; what is not there is left out, not called unknown: nothing is made up."""
    declares = head.get("declares")
    kept = {name: head[name] for name in ("selection", "shard") if name in head}
    pairs = [*(declares.items() if isinstance(declares, Mapping) else ()), *kept.items()]
    return [(name, _told(value)) for name, value in pairs if value not in ("", None, (), [], {})]


def _told(value: Any) -> str:
    """A declared value: a table as its names and values, a pair of limits as a span."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(item)}" for name, item in value.items())
    match value:
        case [int() | float() as least, int() | float() as most]:
            return f"{least:g}" if least == most else f"{least:g} to {most:g}"
    return listed(value)


def _pairs(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    return [("", value)]


def _facts(head: Params) -> Mapping[str, Any]:
    world = head.get("facts")
    return world if isinstance(world, Mapping) else {}


def _stack(counted: Mapping[str, int]) -> list[tuple[str, float, float]]:
    """(outcome, x, width) in per cent, for the stacked bar."""
    total, at, parts = sum(counted.values()), 0.0, []
    for name, count in counted.items():
        if count:
            width = 100 * count / total
            parts.append((name, round(at, 3), round(width, 3)))
            at += width
    return parts


def _row(view: RunView, row: Row, size: int) -> dict[str, Any]:
    """What a line of the table of episodes shows, at most about `size` bytes of free text."""
    prompt = view.tasks.get(row.task, {}).get("prompt")
    has_page = row.ending is not None or row.outcome != "not_run"
    return {
        "task": fit(row.task, size // 4),
        "repeat": row.repeat,
        "href": f"episodes/{quote(row.folder, safe='')}/index.html" if has_page and row.folder else "",
        "outcome": row.outcome,
        "ending": (row.ending or "–").replace("_", " "),
        "difficulty": fit(row.difficulty, 40),
        "prompt": fit(shown(prompt), size // 4) if prompt else "",
        "why": fit(row.why, size // 2),
        "steps": row.steps,
        "seconds": row.seconds,
        "flags": [fit(flag, 160) for flag in row.flags[:3]],
        "tries": row.spent.tries + row.spent.cut_off,
    }
