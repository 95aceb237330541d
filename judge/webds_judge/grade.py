"""Grading one try: every check of the key is crossed off, and whatever goes wrong is Ungraded, never a zero."""

from collections.abc import Mapping
from pathlib import Path

import webds
from webds.codec import digest, sha256
from webds.errors import Fault, InputFault, TaskFault, blame
from webds.ports import CheckFunction
from webds.types import AnswerKey, Check, Evidence, JudgeStamp, Part, Ungraded, Verdict
from webds_judge import RULES, trail
from webds_judge.checks import answer, csv_file, picture, report, sql

NAME = "tier1"


def built_in() -> dict[str, CheckFunction]:
    """The check kinds of this package by name."""
    modules = {"answer": answer, "csv_file": csv_file, "picture": picture, "report": report, "sql": sql}
    return {kind: module.make({}) for kind, module in modules.items()}


class JudgeFault(Fault):
    """A check raised: the judge's fault, so the try is Ungraded."""


class TypedJudge:
    """Tier 1: typed references, no model. `checks` maps a check kind to its function (default: the built-in kinds)."""

    def __init__(self, checks: Mapping[str, CheckFunction] | None = None) -> None:
        self._checks = built_in() if checks is None else dict(checks)

    async def grade(self, evidence: Evidence, folder: Path, key: AnswerKey) -> Verdict | Ungraded:
        """A Verdict with one Part a check, or Ungraded with blame key, evidence or judge."""
        return self.judged(evidence, folder, key)

    def judged(self, evidence: Evidence, folder: Path, key: AnswerKey) -> Verdict | Ungraded:
        """The same without a loop: grading is a pure function of files on disk."""
        stamp = JudgeStamp(name=NAME, version=webds.__version__, settings=settings_of(key))
        seal = _seal(evidence, folder)
        waiting = [check.name for check in key.checks]
        blamed, why = self._unusable(evidence, folder, key)
        parts: list[Part] = []
        for check in key.checks if not blamed else ():
            try:
                parts.append(self._part(check, evidence, folder))
            except TaskFault as error:
                blamed, why = "key", str(error)
            except sql.Uncollected as error:
                blamed, why = "evidence", str(error)
            except JudgeFault as error:
                blamed, why = "judge", str(error)
            else:
                waiting.remove(check.name)
        if blamed:
            return Ungraded(judge=stamp, evidence=seal, blame=blamed, why=why, missing=tuple(waiting))
        passed = all(part.passed for part in parts)
        said = next((part for part in parts if not part.passed), parts[-1])
        return Verdict(judge=stamp, evidence=seal, passed=passed, parts=tuple(parts), why=f"{said.name}: {said.why}")

    def _unusable(self, evidence: Evidence, folder: Path, key: AnswerKey) -> tuple[str, str]:
        """(blame, why) where nothing can be graded, else two empty texts."""
        if key.task != evidence.task or key.revision != evidence.revision:
            ours, theirs = f"{key.task} revision {key.revision}", f"{evidence.task} revision {evidence.revision}"
            return "key", f"the key is for {ours}, the try was made on {theirs}"
        if not key.checks:
            return "key", "the key has no checks"
        unknown = [check.kind for check in key.checks if check.kind not in self._checks]
        if unknown:
            return "key", f"no check kind {unknown[0]!r}; known: {', '.join(sorted(self._checks))}"
        try:
            with blame(JudgeFault, "read the evidence"):
                why = trail.fault(evidence, folder)
        except JudgeFault as error:
            return "judge", str(error)
        return ("evidence", why) if why else ("", "")

    def _part(self, check: Check, evidence: Evidence, folder: Path) -> Part:
        """One check's word. TaskFault: the key is wrong. JudgeFault: the check raised."""
        try:
            with blame(JudgeFault, f"check {check.name}"):
                passed, why, parsed = self._checks[check.kind](evidence, folder, check.params)
        except InputFault as error:
            raise TaskFault(str(error), f"check {check.name}") from error
        return Part(name=check.name, passed=passed, why=why, weight=check.weight, parsed=parsed)


def settings_of(key: AnswerKey) -> str:
    """What a stamp says of the rules and the key that a verdict was made under."""
    return digest({"rules": RULES, "key": digest(key)})


def identity() -> str:
    """Hash of today's typed judge, name, version and rules without any key: whose figures of agreement may be shown."""
    return digest({"judge": NAME, "version": webds.__version__, "rules": RULES})


def without_key(evidence: Evidence, folder: Path, why: str) -> Ungraded:
    """The word on a try whose key cannot be had."""
    stamp = JudgeStamp(name=NAME, version=webds.__version__, settings=digest({"rules": RULES}))
    return Ungraded(judge=stamp, evidence=_seal(evidence, folder), blame="key", why=why)


def _seal(evidence: Evidence, folder: Path) -> str:
    """sha256 of evidence.json, or of what it would hold where it is not written yet."""
    path = folder / "evidence.json"
    return sha256(path.read_bytes()) if path.is_file() else digest(evidence)
