"""A person's run into the books: packed, verified and queued like a team's, and shown in the human row.

Maintainers register it, so that nobody else calls a program a person. It needs no reservation and has no weekly limit.
"""

from pathlib import Path

from webds import scratch
from webds.annotate.people import check_alias
from webds.errors import InputFault
from webds.store import RunFolder
from webds.submit import intake
from webds.submit.book import HUMAN, Book
from webds.submit.pack import pack
from webds_judge.agreement.labels import PERSON


def register(book: Book, root: Path, run: Path, *, alias: str, who: str, reason: str) -> int:
    """Queue the run of the person `alias`, and keep who registered it and why. Returns the submission's number.

    InputFault: a run of another agent, not complete, of other tasks than the checkout's, or registered already.
    """
    if not who.strip() or not reason.strip():
        raise InputFault("--who and --reason: wanted who registers the run, and what is known of how it was made")
    agent = str(RunFolder.view(run).head.get("agent", ""))
    if agent != HUMAN:
        raise InputFault(f"{run}: field agent: {agent!r:.60}; the human row takes runs of agent {HUMAN}")
    person = f"{PERSON}{check_alias(alias)}"
    scratch.sweep(book.folder)
    with scratch.scratch(book.folder) as place:
        bundle = place / "run.zip"
        pack(run, person, bundle)
        return intake.enrol(book, root, bundle, person, (who.strip(), reason.strip()))
