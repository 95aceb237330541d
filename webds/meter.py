"""What model calls of one episode used, step by step and role by role, against the episode's budget.

The episode puts its meter where every call made on its behalf finds it (`current`): the agent's own calls and those
that a relay forwards for an agent in the sandbox. Dollars are charged only where a price is known (webds.prices).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from webds.errors import LimitReached
from webds.prices import TOKENS, read_usage
from webds.types import Budget

_CURRENT: ContextVar["Meter | None"] = ContextVar("webds_meter", default=None)


class Meter:
    """Counts of one episode. `scope` names it: `<task>~<repeat>/<attempt>`."""

    def __init__(self, budget: Budget, scope: str = "") -> None:
        self.scope = scope
        self.failure: LimitReached | None = None
        self._budget = budget
        self._whole: dict[str, Any] = {}
        self._step: dict[str, Any] = {}

    def check(self) -> None:
        """Before a call: LimitReached if tokens or dollars are used up."""
        used = read_usage(self._whole)
        spent = sum(used.count(name) for name in TOKENS if name != "reasoning")
        for which, limit, have in (
            ("tokens", self._budget.tokens, spent),
            ("dollars", self._budget.dollars, used.dollars),
        ):
            if limit and have >= limit:
                self.failure = LimitReached(which)
                raise self.failure

    def charge(self, role: str, record: Mapping[str, Any]) -> None:
        """After a call: add its usage record (webds.prices) under `role`, e.g. act, probe, plan."""
        for into in (self._whole, self._step):
            _add(into, record)
            _add(into.setdefault("roles", {}).setdefault(role, {}), record)

    def take(self) -> dict[str, Any]:
        """What was used since the last take: a step's usage record; empty where no call was made."""
        step, self._step = self._step, {}
        return step

    @property
    def total(self) -> dict[str, Any]:
        """What the whole episode used, with a table by role."""
        return self._whole


def _add(into: dict[str, Any], record: Mapping[str, Any]) -> None:
    more = read_usage(record)
    old = read_usage(into)
    for name in TOKENS:
        if old.count(name) + more.count(name):
            into[name] = old.count(name) + more.count(name)
    into["calls"] = old.calls + more.calls
    if more.unpriced or (old.calls and old.unpriced):
        into.pop("dollars", None)  # a sum with an unknown part is unknown
    else:
        into["dollars"] = old.dollars + more.dollars
    if record.get("estimated"):
        into["estimated"] = True


def current() -> Meter | None:
    """The meter of the episode that this call belongs to."""
    return _CURRENT.get()


@contextmanager
def metering(meter: Meter) -> Iterator[Meter]:
    """Every model call inside the block is charged to `meter`."""
    token = _CURRENT.set(meter)
    try:
        yield meter
    finally:
        _CURRENT.reset(token)
