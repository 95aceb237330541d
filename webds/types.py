"""The records that cross a process or file boundary. One meaning each: docs/architecture.md, section Nouns.

Every record is frozen and keyword-only. `__pydantic_config__` lets webds.codec validate them from JSON or TOML
without this module importing pydantic: unknown fields and non-finite numbers are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

type Json = None | bool | int | float | str | tuple[Json, ...] | Mapping[str, Json]
type Params = Mapping[str, Json]
"""A plug-in's own payload: the core carries it and never reads it."""

STRICT: dict[str, Any] = {"extra": "forbid", "allow_inf_nan": False}
"""`__pydantic_config__` of what is read from files: no unknown field, no NaN or infinity."""


class Ending(StrEnum):
    """How an episode stopped, not how good it was (design: outcome table)."""

    SUBMITTED = "submitted"
    GAVE_UP = "gave_up"
    LIMIT = "limit"
    AGENT_FAULT = "agent_fault"
    BLOCKED = "blocked"
    INFRA = "infra"
    TASK_FAULT = "task_fault"


class Outcome(StrEnum):
    """What a report counts, derived from ending and verdict by webds.outcome."""

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    FAIL = "fail"
    BLOCKED = "blocked"
    INFRA = "infra"
    UNGRADED = "ungraded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one episode; 0 means none. Steps count actions, seconds are wall-clock."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    steps: int = 0
    seconds: float = 0
    tokens: int = 0
    dollars: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """What the Environment saves once, after the agent has left."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    kind: str
    params: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """All that an agent may see of a task. It has no field that could hold an answer."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    id: str
    suite: str
    revision: int
    """Bumped when prompt, inputs, guard or key change."""
    prompt: str
    start: Params = field(default_factory=dict)
    """Where the episode begins; for suite `web`: {"url": "https://<site>.test/..."}"""
    inputs: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)
    collect: tuple[Collect, ...] = ()
    labels: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A pure function of Evidence, named by kind. Params of kind `answer`: type, reference, evidence, oracle."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    kind: str
    params: Params = field(default_factory=dict)
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """What only the judge, the validator and the oracle read."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    task: str
    revision: int
    checks: tuple[Check, ...] = ()
    gold: str = ""
    """Path of a gold file or folder, relative to the key's own folder; empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an agent saw. `image` is the sha256 of a blob, or empty. `refused` says why the last action did nothing."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    text: str = ""
    image: str = ""
    refused: str = ""
    view: Params = field(default_factory=dict)
    """The environment's structured part; for web: url, title, downloads, result, settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One act by name, with its arguments under the environment's schema for that name."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    args: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The triplet. `prev` is the hash of the step before it ("" for the first): WebDS paper, section Evaluation."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    index: int
    saw: Observation
    did: Action
    then: Observation
    by: str = "session"
    """`session` where the harness acted, `agent` where the agent reports an act of its own hands."""
    prev: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file kept with the evidence: `path` is relative to the try's folder, sha256 of its bytes."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that a judge may read about one try of one episode."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    format: int = 1
    task: str
    revision: int
    repeat: int
    attempt: int
    agent: str
    ending: Ending
    why: str = ""
    """One line: the limit's name, or the fault's reason. Empty for submitted."""
    blame: str = ""
    """For INFRA: `endpoint` where the model endpoint was down, which costs no try. Empty otherwise."""
    answer: str = ""
    unachievable: str = ""
    files: tuple[File, ...] = ()
    findings: Params = field(default_factory=dict)
    """What `Task.collect` named, plus counts of the proxy's log (requests, blocked, misses)."""
    steps: int = 0
    usage: Params = field(default_factory=dict)
    digests: Params = field(default_factory=dict)
    """trajectory: hash of the last step; requests: sha256 of the proxy's log; sites: data digests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStamp:
    """Which judge, at which version, with which settings hash."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    version: str
    settings: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One check's word. `parsed` holds what was read out of candidate and reference, as text."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    name: str
    passed: bool
    why: str
    weight: float = 1.0
    parsed: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One judge's word on one Evidence. `evidence` is the sha256 of evidence.json, `stars` 1-5 or None.

    `usage`: the judge's model calls behind it (webds.prices), with a table by role; empty where no model was asked.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    judge: JudgeStamp
    evidence: str
    passed: bool | None
    stars: float | None = None
    parts: tuple[Part, ...] = ()
    samples: tuple[Params, ...] = ()
    why: str = ""
    usage: Params = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungraded:
    """No verdict, and who is to blame: key, judge, evidence or endpoint. `missing` names the unscored checks.

    `usage` as in Verdict: what the calls cost that came to nothing.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    judge: JudgeStamp
    evidence: str
    blame: str
    why: str
    missing: tuple[str, ...] = ()
    usage: Params = field(default_factory=dict)
