"""A maintainer's decision on a submission, kept with its reason."""

from webds.errors import InputFault
from webds.submit.book import Book, now, stamp

DECISIONS = ("keep", "hide", "show", "re-run", "requeue")
"""keep: looked at, stays. hide and show: off the board and back. re-run: maintainers ran the agent themselves. requeue:
score again what broke."""

REGISTER = "register"
"""How a person's run came in (webds.submit.human), kept like a decision."""


def decide(book: Book, submission: int, decision: str, reason: str, who: str) -> None:
    """Keep the decision and carry it out. InputFault: unknown, no such submission, or no reason."""
    if decision not in DECISIONS:
        raise InputFault(f"decision {decision!r:.40}; known: {', '.join(DECISIONS)}")
    _reasoned(reason, who)
    with book.change() as db:
        row = db.execute("SELECT state FROM submissions WHERE id = ?", (submission,)).fetchone()
        if row is None:
            raise InputFault(f"no submission {submission}")
        wanted = {"requeue": ("broken",), "re-run": ("scored",)}.get(decision)
        if wanted and row["state"] not in wanted:
            raise InputFault(f"submission {submission} is {row['state']}; {decision} is for what is {wanted[0]}")
        values = (submission, decision, reason.strip(), who.strip(), stamp(now()))
        db.execute("INSERT INTO decisions (submission, decision, reason, who, at) VALUES (?, ?, ?, ?, ?)", values)
        if decision == "re-run":
            db.execute("UPDATE submissions SET level = 're-run' WHERE id = ?", (submission,))
        if decision == "requeue":
            db.execute("UPDATE submissions SET state = 'queued', why = '' WHERE id = ?", (submission,))


def revoke(book: Book, table: str, name: str, reason: str, who: str) -> None:
    """End the token of a team or maintainer, with the sessions that it opened, and keep the reason.

    What was handed in or decided with it stays. InputFault: nobody of that name has a token, or no reason.
    """
    assert table in ("teams", "maintainers")
    _reasoned(reason, who)
    with book.change() as db:
        ended = f"UPDATE {table} SET revoked = ? WHERE name = ? AND revoked IS NULL"  # noqa: S608 - one of two names
        if not db.execute(ended, (stamp(now()), name)).rowcount:
            raise InputFault(f"{table}: {name!r:.60}: not there, or revoked already")
        if table == "maintainers":
            db.execute("DELETE FROM entered WHERE maintainer = ?", (name,))
        values = (table, name, reason.strip(), who.strip(), stamp(now()))
        db.execute("INSERT INTO revocations (kind, name, reason, who, at) VALUES (?, ?, ?, ?, ?)", values)


def _reasoned(reason: str, who: str) -> None:
    if not reason.strip() or len(reason) > 2000 or not who.strip():
        raise InputFault("a decision needs a reason (at most 2000 letters) and who decides")


HIDDEN = """submissions.id IN (
    SELECT submission FROM decisions AS d WHERE decision IN ('hide', 'show') AND decision = 'hide' AND id = (
        SELECT max(id) FROM decisions WHERE submission = d.submission AND decision IN ('hide', 'show')))"""
"""SQL: the last word on showing it was `hide`."""
REGISTERED = f"submissions.id IN (SELECT submission FROM decisions WHERE decision = '{REGISTER}')"  # noqa: S608 - no input
"""SQL: maintainers registered it as a person's run."""
