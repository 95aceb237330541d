"""Agent `nop`: looks once and leaves. It must score nothing on every task."""

from collections.abc import Mapping
from typing import Any

from webds.ports import Session


class Nop:
    """webds.ports.Agent."""

    async def solve(self, session: Session) -> None:
        """Observe, and leave without submit."""
        await session.observe()


def make(config: Mapping[str, Any]) -> Nop:  # noqa: ARG001 - the factory's signature
    """Entry point webds.agents: nop."""
    return Nop()
