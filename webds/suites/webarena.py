"""Tasks in the WebArena shape as tasks and keys of one's own, and what of them could not be mapped. Pure.

Fields (WebArena, config_files/test.raw.json): sites, task_id, require_login, storage_state, start_url, geolocation,
intent_template, instantiation_dict, intent, require_reset, intent_template_id, eval {eval_types, reference_answers
{exact_match, must_include, fuzzy_match}, reference_url, program_html, string_note, reference_answer_raw_annotation}.
The published WebDS tasks most likely have this shape too, which nobody outside has seen.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from webds.errors import InputFault

BUDGET = {"steps": 30, "seconds": 900}
"""WebArena's own default of steps; seconds are ours."""
AND = " |AND| "
_PLACEHOLDER = re.compile(r"__[A-Z_]+__")
_PLAIN = ("sites", "task_id", "start_url", "intent", "intent_template_id", "eval")
_IMPLIED = {
    "intent_template": "the prompt is the template filled in",
    "instantiation_dict": "the prompt has these values",
}
_LOST = {
    "require_login": "no log-in is made: the task starts signed out",
    "storage_state": "no stored session is loaded",
    "geolocation": "the browser's place is not set",
    "require_reset": "a live site is not reset",
}
_EVAL = ("eval_types", "reference_answers", "reference_url", "program_html", "string_note",
         "reference_answer_raw_annotation", "url_note", "reference_answer")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Something of one task that has no place here. `lost`: it changes what is asked or how it is judged."""

    task: str
    field: str
    why: str
    lost: bool


@dataclass(slots=True)
class Imported:
    """`tasks` and `keys` are tables as tasks.toml and keys.toml hold them."""

    tasks: list[dict[str, Any]] = field(default_factory=list)
    keys: list[dict[str, Any]] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)
    skipped: list[Lack] = field(default_factory=list)


def convert(rows: Iterable[tuple[str, Any]], hosts: Mapping[str, str], prefix: str) -> Imported:
    """`rows`: (where it stands, JSON value). `hosts`: placeholder -> address. InputFault: a row has not this shape."""
    made = Imported()
    seen: set[str] = set()
    for where, row in rows:
        name = f"{prefix}{_number(where, row)}"
        if name in seen:
            raise InputFault(f"{where}: field task_id: {row['task_id']} stands twice")
        seen.add(name)
        _one(made, name, row, hosts)
    return made


def _number(where: str, row: Any) -> str:
    if not isinstance(row, Mapping):
        raise InputFault(f"{where}: wanted an object in the WebArena shape")
    for name, kinds in (("task_id", int | str), ("intent", str), ("start_url", str), ("eval", Mapping | None)):
        if not isinstance(row.get(name), kinds) or row.get(name) == "":
            raise InputFault(f"{where}: field {name}: missing or malformed; wanted the WebArena shape")
    number = str(row["task_id"])
    if not re.fullmatch(r"[a-z0-9.-]{1,40}", number):
        raise InputFault(f"{where}: field task_id: {number!r:.60}; wanted a number or small letters, digits, - and .")
    return number


def _one(made: Imported, name: str, row: Mapping[str, Any], hosts: Mapping[str, str]) -> None:
    starts = [_filled(part.strip(), hosts) for part in row["start_url"].split(AND.strip())]
    if open_names := _PLACEHOLDER.findall(" ".join(starts)):
        why = f"{open_names[0]} stands for a server; name it with --map {open_names[0]}=https://..."
        made.skipped.append(Lack(task=name, field="start_url", why=why, lost=True))
        return
    made.lacks += _lacks(name, row, starts)
    sites = row.get("sites")
    labels: dict[str, Any] = {"sites": [str(site) for site in sites] if isinstance(sites, list) else []}
    if isinstance(row.get("intent_template_id"), int | str):
        labels["template"] = str(row["intent_template_id"])
    made.tasks.append(
        {
            "id": name,
            "suite": "web",
            "revision": 1,
            "prompt": row["intent"].strip(),
            "start": {"url": starts[0]},
            "budget": dict(BUDGET),
            "labels": labels,
        }
    )
    check, lack = _check(name, row.get("eval") or {})
    if lack is not None:
        made.lacks.append(lack)
    if check is not None:
        made.keys.append(
            {"task": name, "revision": 1, "checks": [{"name": "answer", "kind": "answer", "params": check}]}
        )


def _filled(url: str, hosts: Mapping[str, str]) -> str:
    for placeholder, address in hosts.items():
        url = url.replace(placeholder, address.rstrip("/"))
    return url


def _lacks(name: str, row: Mapping[str, Any], starts: list[str]) -> list[Lack]:
    found = [Lack(task=name, field=key, why=why, lost=False) for key, why in _IMPLIED.items() if row.get(key)]
    found += [Lack(task=name, field=key, why=why, lost=True) for key, why in _LOST.items() if row.get(key)]
    if len(starts) > 1:
        why = f"only the first of {len(starts)} pages is opened"
        found.append(Lack(task=name, field="start_url", why=why, lost=True))
    known = {*_PLAIN, *_IMPLIED, *_LOST}
    strange = [key for key in row if key not in known and row[key] not in (None, "", [], {})]
    strange += [f"eval.{key}" for key in row.get("eval") or {} if key not in _EVAL]
    return found + [Lack(task=name, field=key, why="a field that is not known here", lost=True) for key in strange]


def _check(name: str, judged: Mapping[str, Any]) -> tuple[dict[str, Any] | None, Lack | None]:
    """(params of an `answer` check or None: no key then, what is lost)."""
    kinds = [str(kind) for kind in judged.get("eval_types") or ()]
    others = [kind for kind in kinds if kind != "string_match"]
    if others or not kinds:
        what = others[0] if others else "none"
        where = {"url_match": "reference_url", "program_html": "program_html"}.get(what, "eval_types")
        why = f"no check here does what {what} does: the task has no key"
        return None, Lack(task=name, field=f"eval.{where}", why=why, lost=True)
    answers = judged.get("reference_answers")
    answers = answers if isinstance(answers, Mapping) else {}
    wanted = [key for key in ("exact_match", "must_include", "fuzzy_match") if answers.get(key)]
    if wanted == ["exact_match"]:
        return _typed(str(answers["exact_match"])), None
    if wanted == ["must_include"]:
        return _included(name, answers["must_include"])
    why = "wants a model that compares texts: the task has no key" if "fuzzy_match" in wanted else "no reference answer"
    return None, Lack(task=name, field=f"eval.reference_answers.{wanted[-1] if wanted else ''}", why=why, lost=True)


def _included(name: str, texts: Any) -> tuple[dict[str, Any] | None, Lack | None]:
    """One text that must be said is an answer; several are a list, which is stricter: an item too many fails."""
    items = [str(text) for text in texts] if isinstance(texts, list) else [str(texts)]
    if len(items) == 1:
        return _typed(items[0]), None
    why = "stricter here: the answer must be these items and no others"
    return {"type": "list", "reference": items}, Lack(
        task=name, field="eval.reference_answers.must_include", why=why, lost=True
    )


def _typed(text: str) -> dict[str, Any]:
    """A reference with the type that it looks like."""
    if re.fullmatch(r"-?\d{1,15}", text):
        return {"type": "integer", "reference": int(text)}
    if re.fullmatch(r"-?\d{1,15}\.\d{1,10}", text):
        return {"type": "number", "reference": float(text)}
    return {"type": "string", "reference": text}
