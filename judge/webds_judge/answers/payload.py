"""Where the answer stands in what was handed in: fenced code, a JSON object's field `answer`, or plain text."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from webds_judge.answers.cleaning import TooMuchMarkup, drop_comments, drop_invisible, visible
from webds_judge.answers.limits import JSON_DEPTH

_FENCE = re.compile(
    r"(?m)^[ \t]*(`{3,9}(?!`)|~{3,9}(?!~))[ \t]*([\w+-]*)[^\n`]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL
)
_PROGRAM = {"python", "py", "sql", "js", "javascript", "bash", "sh", "shell", "r", "java", "c", "cpp", "ts"}
NOTHING = object()


@dataclass(frozen=True, slots=True)
class Payload:
    """`text` to read, or the parsed JSON `value`; `problem` says why there is nothing to read."""

    text: str = ""
    value: Any = NOTHING
    problem: str = ""


class _TwoAnswers(ValueError):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = [value for key, value in pairs if key.strip().casefold() == "answer"]
    if any(value != found[0] for value in found):
        raise _TwoAnswers
    return dict(pairs)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def too_deep(text: str) -> bool:
    """Whether brackets nest deeper than limits.JSON_DEPTH (a bound: brackets in strings count too)."""
    depth = 0
    for found in re.finditer(r"[\[\]{}]", text):
        depth += 1 if found[0] in "[{" else -1
        if depth > JSON_DEPTH:
            return True
    return False


def parse_json(text: str) -> Any:
    """The JSON value, numbers exact; NOTHING where it is not JSON. Raises _TwoAnswers."""
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_object)
    except _TwoAnswers:
        raise
    except (ValueError, RecursionError, ArithmeticError):
        return NOTHING


def _without_fences(text: str) -> str:
    """Fence marks dropped; the body of a fence in a programming language is code, not an answer."""
    if "```" not in text and "~~~" not in text:
        return text
    return _FENCE.sub(lambda found: "\n" if found[2].lower() in _PROGRAM else f"\n{found[3]}\n", text)


def unwrap(candidate: str) -> Payload:
    """The candidate's payload; JSON with a field `answer` counts as that field alone (rule 11)."""
    text = _without_fences(drop_comments(drop_invisible(candidate))).strip()
    if text[:1] not in ("{", "[", '"') and not text.endswith("}"):
        return Payload(text=text)
    if too_deep(text):
        return Payload(problem=f"nested deeper than {JSON_DEPTH} levels")
    try:
        value = parse_json(text)
        if value is NOTHING and text.endswith("}") and '"answer"' in text:
            value = parse_json(text[text.index("{") :])
    except _TwoAnswers:
        return Payload(problem="two different fields named answer")
    if value is NOTHING:
        return Payload(text=text)
    return _of_json(value)


def _of_json(value: Any) -> Payload:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key.strip().casefold() == "answer":
                return Payload(text=item) if isinstance(item, str) else Payload(value=item)
        return Payload(value=value, problem="a JSON object without a field named answer")
    return Payload(text=value) if isinstance(value, str) else Payload(value=value)


def scalar_text(candidate: str) -> tuple[str, str]:
    """(text, problem) where one value is expected. A list of one counts as that one; deeper structure never does."""
    payload = unwrap(candidate)
    if payload.problem:
        return "", payload.problem
    value = payload.value
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is NOTHING:
        return visible_text(payload.text)
    if value is None:
        return "", "null is no answer"
    if isinstance(value, list | Mapping):
        return "", "a structure where one value is expected"
    return visible_text(item_text(value))


def item_text(value: Any) -> str:
    """A JSON scalar as the text a person would write."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def visible_text(text: str) -> tuple[str, str]:
    """(what a reader sees, problem)."""
    try:
        seen = visible(text)
    except (TooMuchMarkup, RecursionError) as error:
        return "", f"markup not read: {error}"
    return (seen, "") if seen.strip("\"'“”‘’ ") else ("", "empty")
