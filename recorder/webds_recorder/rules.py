"""Level `rule`: what a manifest declares about URLs, as keys; and rules read from and written to plain JSON values."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from webds.errors import InputFault
from webds_recorder.exchange import PORTS, Request
from webds_recorder.match import (
    Move,
    Rule,
    Rules,
    Script,
    canonical_body,
    canonical_query,
    key,
    normal_host,
    normal_path,
)

BODIES = ("canonical", "ignore")


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A rule's URL pattern: `**` is anything, `*` anything but a slash."""
    parts = re.split(r"(\*\*|\*)", text)
    kinds = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(kinds.get(part, re.escape(part)) for part in parts))


def covers(rule: Rule, request: Request) -> bool:
    """Whether a rule speaks about this request."""
    port = "" if PORTS.get(request.scheme) == request.port else f":{request.port}"
    address = f"{request.scheme}://{normal_host(request.host)}{port}{normal_path(request.path)}"
    return rule.method.upper() == request.method.upper() and pattern(rule.url).fullmatch(address) is not None


def rule_key(rule: Rule, request: Request, rules: Rules) -> str:
    """What is left of a request under a rule; equal keys are equal requests."""
    where = rule.name if rule.merge else f"{request.scheme}://{request.host}:{request.port}{normal_path(request.path)}"
    query = request.query
    if rule.keep is not None:
        query = urlencode([pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] in rule.keep])
    body = "" if rule.body == "ignore" else canonical_body(request, rules)
    return key("rule", rule.name, where, canonical_query(query, rules.volatile() | set(rule.drop)), body)


def read_rules(value: Mapping[str, Any], where: str) -> Rules:
    """Rules from a manifest's plain values. InputFault names the file and the field."""
    try:
        rules = tuple(Rule(**_tuples(item)) for item in value.get("rules", ()))
        scripts = tuple(_script(item) for item in value.get("scripts", ()))
        found = Rules(
            query=tuple(map(str, value.get("query", ()))),
            json=tuple(map(str, value.get("json", ()))),
            rules=rules,
            scripts=scripts,
        )
    except (TypeError, KeyError, AttributeError) as error:
        raise InputFault(f"{where}: field match: {error}") from error
    unknown = sorted(set(value) - {"query", "json", "rules", "scripts"})
    if unknown:
        raise InputFault(f"{where}: field match.{unknown[0]}: unknown; known: json, query, rules, scripts")
    bad = [rule.name for rule in rules if rule.body not in BODIES]
    if bad:
        raise InputFault(f"{where}: field match.rules: rule {bad[0]!r}: body; known: {', '.join(BODIES)}")
    return found


def _tuples(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in item.items()}


def _script(item: Mapping[str, Any]) -> Script:
    return Script(**{**item, "moves": tuple(Move(**move) for move in item["moves"])})


def plain_rules(rules: Rules) -> dict[str, Any]:
    """Rules as JSON values, without what is empty."""
    return {name: value for name, value in asdict(rules).items() if value}
