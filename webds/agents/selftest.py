"""What `webds agents check` looks at in each of its three episodes: how an agent behaves, and apart from that what it
solves. The site, its tasks and their keys lie in `FIXTURE`, a small root of its own (docs/agents.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webds.outcome import outcome
from webds.prices import read_usage
from webds.store import Committed
from webds.types import Ending, Outcome
from webds_recorder.trajectory import check_chain

FIXTURE = Path(__file__).with_name("fixture")
"""A root with sites_docker and tasks_public, as a checkout is one."""
_OWN_END = (Ending.SUBMITTED, Ending.GAVE_UP, Ending.LIMIT)
_LEFT = "agent_left_running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One episode. `wrong`: what an agent has to mend, in sentences; empty where it behaved."""

    task: str
    ending: str
    solved: bool
    steps: int
    usage: str
    wrong: tuple[str, ...]


def examine(item: Committed) -> Row:
    """One episode's evidence, its trajectory and its verdict."""
    evidence = item.evidence
    return Row(
        task=evidence.task,
        ending=f"{evidence.ending}{f' ({evidence.why})' if evidence.why else ''}",
        solved=outcome(evidence, item.verdicts) is Outcome.PASS,
        steps=evidence.steps,
        usage=read_usage(evidence.usage).text,
        wrong=tuple(_wrong(item)),
    )


def _wrong(item: Committed) -> list[str]:
    evidence = item.evidence
    found = []
    if evidence.ending not in _OWN_END:
        found.append(f"ended as {evidence.ending}: {evidence.why}")
    if evidence.ending is Ending.SUBMITTED and not (evidence.answer or evidence.unachievable or evidence.files):
        found.append("submitted nothing: no answer, no file, no reason why it cannot be done")
    if evidence.ending is Ending.LIMIT and not evidence.steps:
        found.append("used up its budget without one recorded step: report each act with `act` or `acted`")
    if _LEFT in evidence.findings:
        found.append("went on after its time was up: end at once when a call says that the episode has ended")
    if broken := check_chain(item.folder, str(evidence.digests.get("trajectory", ""))):
        found.append(broken)
    if isinstance(flags := evidence.findings.get("flags"), list | tuple):
        found.extend(map(str, flags))
    return found


def plain(row: Row) -> Mapping[str, object]:
    """For --json."""
    return {name: getattr(row, name) for name in Row.__dataclass_fields__}
