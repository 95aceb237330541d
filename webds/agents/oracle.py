"""Agent `oracle`: is given the key, reads every evidence value from the running site, and hands in the reference.

It proves that a task can be done on what the site serves: a cell, text or tip that is not there, or has another
value, ends its episode without an answer. No other agent can be given a key.
"""

from collections.abc import Mapping
from typing import Any

from webds.agents import made
from webds.agents.hand import Hand
from webds.agents.served import Mismatch as Mismatch
from webds.agents.served import Served, evidence
from webds.errors import InputFault
from webds.ports import Session
from webds.types import AnswerKey, Check, Params

_FILES = {"csv_file": made.table_code, "picture": made.picture_code, "report": made.report_code}
"""Check kinds that want a file: the code that makes it. A picture may need its table, so tables come first."""


class Oracle:
    """webds.ports.Agent. It works with the session's own actions, and reads downloads through the python tool."""

    def __init__(self, key: AnswerKey) -> None:
        self._key = key

    async def solve(self, session: Session) -> None:
        """Read all evidence, do what is to be done, make the files, then submit."""
        if self._key.task != session.task.id:
            raise InputFault(f"the key is for task {self._key.task}, not {session.task.id}")
        await session.observe()
        served = Served(session)
        await served.check(item for check in self._key.checks for item in evidence(check.params))
        files = [await _made(served, check) for check in sorted(self._key.checks, key=_order) if check.kind in _FILES]
        for check in self._key.checks:
            if check.kind == "sql":
                await _act(Hand(session), check.params)
        answers = [check.params for check in self._key.checks if check.kind == "answer"]
        answer, unachievable = _said(answers[0]) if answers else ("", "")
        await session.submit(answer, files, unachievable)


def _order(check: Check) -> bool:
    return check.kind == "picture"


async def _made(served: Served, check: Check) -> str:
    await served.python(_FILES[check.kind](check.params))
    return str(check.params["file"])


def _said(params: Params) -> tuple[str, str]:
    """(answer, unachievable): the value that evidence marks as the answer, else the reference."""
    marked = [str(item["value"]) for item in evidence(params) if item.get("answer")]
    value = marked[0] if marked else made.written(params.get("reference"))
    return ("", f"The site does not hold {value}.") if params.get("type") == "unachievable" else (value, "")


async def _act(hand: Hand, params: Params) -> None:
    """Do what the key's `act` says: lists of goto, click, fill or press with what the method of Hand takes."""
    steps = params.get("act")
    for step in steps if isinstance(steps, list | tuple) else ():
        verb, *words = [str(word) for word in step] if isinstance(step, list | tuple) else [str(step)]
        if verb not in ("goto", "click", "fill", "press"):
            raise InputFault(f"act: no verb {verb!r:.80}; known: goto, click, fill, press")
        await getattr(hand, verb)(*words)


def make(config: Mapping[str, Any]) -> Oracle:
    """Entry point webds.agents: oracle. config: key, which only the judge's process gives."""
    key = config.get("key")
    if not isinstance(key, AnswerKey):
        raise InputFault("agent oracle: needs the key of the task; it runs only through webds run --agent oracle")
    return Oracle(key)
