"""What model calls of one episode used, step by step and role by role, against the episode's budget.

The episode puts its meter where every call made on its behalf finds it (`current`): the agent's own calls and those
that a relay forwards for an agent in the sandbox. Dollars are charged only where a price is known (webds.prices).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from webds.errors import LimitReached
from webds.prices import BILLED, Usage, read_usage, total
from webds.types import Budget

_CURRENT: ContextVar["Meter | None"] = ContextVar("webds_meter", default=None)


class Meter:
    """Counts of one episode. `scope` names it: `<task>~<repeat>/<attempt>`."""

    def __init__(self, budget: Budget, scope: str = "") -> None:
        self.scope = scope
        self.failure: LimitReached | None = None
        self._budget = budget
        self._whole = _Used()
        self._step = _Used()

    def check(self) -> None:
        """Before a call: LimitReached if tokens or dollars are used up."""
        used = total(self._whole.roles.values())
        for which, limit, have in (
            ("tokens", self._budget.tokens, sum(map(used.count, BILLED))),
            ("dollars", self._budget.dollars, used.dollars),  # what is known binds, though some call has no price
        ):
            if limit and have >= limit:
                self.failure = LimitReached(which)
                raise self.failure

    def charge(self, role: str, record: Mapping[str, Any]) -> None:
        """After a call: add its usage record (webds.prices) under `role`, e.g. act, probe, plan."""
        for into in (self._whole, self._step):
            into.add(role, record)

    def take(self) -> dict[str, Any]:
        """What was used since the last take: a step's usage record; empty where no call was made."""
        step, self._step = self._step, _Used()
        return step.record()

    @property
    def total(self) -> dict[str, Any]:
        """What the whole episode used, with a table by role."""
        return self._whole.record()


class _Used:
    """Usage by role. `estimated`: the roles with a call whose tokens were told by its length."""

    def __init__(self) -> None:
        self.roles: dict[str, Usage] = {}
        self._estimated: set[str] = set()

    def add(self, role: str, record: Mapping[str, Any]) -> None:
        self.roles[role] = self.roles.get(role, Usage()) + read_usage(record)
        if record.get("estimated"):
            self._estimated.add(role)

    def record(self) -> dict[str, Any]:
        if not self.roles:
            return {}
        roles = {role: self._marked(used, role in self._estimated) for role, used in self.roles.items()}
        return {**self._marked(total(self.roles.values()), bool(self._estimated)), "roles": roles}

    def _marked(self, used: Usage, estimated: bool) -> dict[str, Any]:
        return {**used.record(), **({"estimated": True} if estimated else {})}


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
