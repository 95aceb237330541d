"""The config table `rubric`: the model's endpoint (docs/models.md) and how the rubric asks it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from webds.codec import digest, load
from webds.errors import InputFault
from webds.models import settings
from webds.types import Json
from webds_judge.rubric.criteria import rubric_hash
from webds_judge.rubric.prompting import prompt_hash

MODES = ("text", "vision")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """samples: replies a try. attempts: calls for one readable reply. field: characters of one text.

    room: characters of reference, facts and evidence together. images: screenshots at most in mode vision. reasoning:
    show the agent's own. at_once: tries judged side by side. cache: folder for replies, default `judge` in the run.
    same_model: judge and agent may be one model.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}
    samples: int = 3
    attempts: int = 3
    mode: str = "text"
    reasoning: bool = False
    room: int = 60_000
    field: int = 6_000
    images: int = 12
    at_once: int = 4
    cache: str = ""
    same_model: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Both halves of the table, checked."""

    endpoint: settings.Endpoint
    asked: Asked

    @property
    def sampling(self) -> dict[str, Json]:
        """Temperature 0 unless the table says otherwise or leaves it out."""
        zero: dict[str, Json] = {} if "temperature" in self.endpoint.leave_out else {"temperature": 0}
        return {**zero, **self.endpoint.sampling}

    @property
    def identity(self) -> dict[str, Json]:
        """What makes two judges the same: never an address or a key."""
        how = {name: getattr(self.asked, name) for name in ("mode", "reasoning", "room", "field", "images")}
        stamps: dict[str, Json] = {"rubric": rubric_hash(), "prompts": prompt_hash()}
        if self.endpoint.leave_out:
            stamps["left_out"] = self.endpoint.leave_out
        return {"model": self.endpoint.model, "sampling": self.sampling, **how, **stamps}

    @property
    def stamp(self) -> str:
        """The settings hash of the verdicts."""
        return digest({**self.identity, "samples": self.asked.samples})


_OWN = frozenset(item.name for item in fields(Asked))


def read(table: Mapping[str, Any]) -> Table:
    """The table. InputFault names the field."""
    for name in sorted(set(table) - settings.FIELDS - _OWN):
        raise InputFault(f"rubric: field {name}: unknown; known: {', '.join(sorted(settings.FIELDS | _OWN))}")
    endpoint = settings.read(table, "rubric")
    asked = load(Asked, {name: value for name, value in table.items() if name in _OWN}, "rubric")
    if asked.mode not in MODES:
        raise InputFault(f"rubric: field mode: {asked.mode!r}; known: {', '.join(MODES)}")
    for name in ("samples", "attempts", "room", "field", "images", "at_once"):
        if getattr(asked, name) < 1:
            raise InputFault(f"rubric: field {name}: {getattr(asked, name)}; at least 1 is needed")
    return Table(endpoint, asked)
