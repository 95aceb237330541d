"""Faults, and the one place that attributes them.

    WebdsError
    |- InputFault        what a person typed or wrote is wrong: one line, exit 2
    |- Fault             something broke while an episode ran; decides the episode's ending
    |  |- InfraFault     browser, proxy, site server, harness: never the agent's zero, tried again
    |  |  |- DiskFull       stops the run at once: exit 3, resumable, no try is counted
    |  |- EndpointFault  the model endpoint is down: costs no try
    |  |- AgentFault     an exception out of the agent's own code: a fail
    |  |- TaskFault      the task or its key is broken: ungraded
    |  |- BlockedFault   the place that the task is on refuses robots: blocked (live track only)
    |- LimitReached      a budget ran out; `which` names it
    |- PortClosed        a session was used after it ended

Plug-ins raise plain Python errors; `blame` turns whatever escapes a block into the named fault. It is the only
broad `except` in the core: the caller says who is responsible, and a fault is never scored as a zero by accident.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class WebdsError(Exception):
    """Base of every error that webds raises on purpose."""


class InputFault(WebdsError):
    """Bad input by a person: `str()` is one line that names the file, the field and the accepted values."""


class Fault(WebdsError):
    """Something broke while an episode ran. `where` says during what; `str()` gives the reason."""

    def __init__(self, why: str, where: str = "") -> None:
        super().__init__(f"{where}: {why}" if where else why)
        self.why = why
        self.where = where


class InfraFault(Fault):
    """Browser, proxy, site server or harness broke."""


class DiskFull(InfraFault):
    """No space left. Nothing can be recorded, so the run stops; what is committed stays."""


class EndpointFault(Fault):
    """The model endpoint refused, failed or timed out beyond its retries."""


class AgentFault(Fault):
    """The agent's own code raised."""


class TaskFault(Fault):
    """The task or its key cannot be used."""


class BlockedFault(Fault):
    """The place that the task is on refuses robots, or cannot be reached."""


class LimitReached(WebdsError):
    """A budget ran out. `which` is one of steps, seconds, tokens, dollars."""

    def __init__(self, which: str) -> None:
        super().__init__(f"budget used up: {which}")
        self.which = which


class PortClosed(WebdsError):
    """A session was used after submit, after a limit, or after the harness closed it."""


@contextmanager
def blame(fault: type[Fault], where: str) -> Iterator[None]:
    """Attribute any error that escapes the block to `fault`. Faults, limits and bad input pass unchanged."""
    try:
        yield
    except WebdsError:
        raise
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        kind = DiskFull if full else fault
        raise kind(one_line(error), where) from error


def one_line(error: BaseException, limit: int = 400) -> str:
    """An exception as one readable line of at most `limit` characters."""
    text = " ".join(str(error).split()) or "no message"
    return f"{type(error).__name__}: {text}"[:limit]
