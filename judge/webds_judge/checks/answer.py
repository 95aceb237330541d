"""Check kind `answer`: the submitted text against a typed reference. Params: type, reference (oracle, evidence unread).

An episode that ended with a reason why the task is impossible, and no answer text, has not answered; for type
`unachievable` that reason is what is compared, or the answer text where no reason was given.
"""

from collections.abc import Mapping
from pathlib import Path

from webds.errors import InputFault
from webds.ports import CheckFunction
from webds.types import Evidence, Json, Params
from webds_judge.answers import compare, unachievable
from webds_judge.answers.limits import SHOWN

FIELDS = ("type", "reference", "oracle", "evidence")


def make(config: Params) -> CheckFunction:
    """The check; it takes no settings."""
    if config:
        raise InputFault(f"check answer: unknown setting {min(config)}; it takes none")
    return check


def check(evidence: Evidence, folder: Path, params: Params) -> tuple[bool, str, Mapping[str, Json]]:  # noqa: ARG001 - port
    """(passed, why, {candidate, reference}). Raises InputFault where the key is wrong."""
    if "type" not in params or "reference" not in params:
        raise InputFault("check answer: needs params type and reference")
    if params["type"] == "unachievable":
        return _finding(evidence, params["reference"])
    if not evidence.answer.strip() and evidence.unachievable.strip():
        return False, "the task was called impossible, and it has an answer", {"candidate": "", "reference": ""}
    result = compare(str(params["type"]), params["reference"], evidence.answer)
    return result.passed, result.why, result.parsed


def _finding(evidence: Evidence, reference: Json) -> tuple[bool, str, Mapping[str, Json]]:
    """The reason must name what is missing, and no answer may stand beside it."""
    result = compare("unachievable", reference, evidence.unachievable.strip() or evidence.answer)
    if result.passed and evidence.unachievable.strip() and not unachievable.agrees(evidence.answer, reference):
        return False, "an answer is given beside the reason", {**result.parsed, "candidate": evidence.answer[:SHOWN]}
    return result.passed, result.why, result.parsed
