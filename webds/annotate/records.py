"""What the annotation pass keeps: the plan with its items, and the form that a person fills."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from webds.types import STRICT, Json
from webds_judge.agreement.labels import Failure, Label

FORMAT = 1
NOTE = 4000
"""Most characters of a note or a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One try that people look at. `id` says nothing of where it comes from."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    id: str
    training: bool = False
    run: str
    """`id` of run.json."""
    path: str
    """The try's folder, relative to the plan's folder where that is possible."""
    episode: str
    """<task>~<repeat>"""
    trajectory: str
    evidence: str
    tier: str
    site: str
    agent: str
    outcome: str
    prompt: str
    criteria: tuple[str, ...]
    reference: Json = None
    why: str
    """`sample`, `disagreement`, `ungraded` or `training`: why it is in the plan."""
    wanted: int = 1
    """Labels by different people, before one that contradicts the automatic outcome asks for a second."""
    repeat: str = ""
    """Under which other id it comes a second time to who labelled it; "" where it does not."""
    known: Literal["", "pass", "fail"] = ""
    known_why: str = ""
    names: tuple[str, ...] = ()
    """Names of agent and model, withheld from what is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """How many tries there were of one kind, and how many were drawn."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    tier: str
    outcome: str
    site: str
    agent: str
    there: int
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """plan.json: written once, before anyone looks, and never again."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    format: int = FORMAT
    made: str
    """ISO 8601, UTC."""
    tool: str
    seed: int
    per_stratum: int
    double: float
    """Share of the sample that is labelled twice."""
    lease: float
    """Seconds for which an item is held for who opened it."""
    gap: int
    """Labels between an item and its hidden repeat."""
    rubric: str
    """sha256 of the rubric that people work by."""
    criteria: Mapping[str, str]
    anchors: Mapping[str, str]
    items: tuple[Item, ...]
    strata: tuple[Stratum, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What a person says of an item. Stars 1 to 5; a criterion that was not answered is null or missing."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    label: Label
    stars: Literal[1, 2, 3, 4, 5] | None = None
    criteria: Mapping[str, bool | None] = field(default_factory=dict)
    failure: Failure = ""
    injection: bool = False
    flagged: bool = False
    note: str = ""
    reason: str = ""
    seconds: float = 0
