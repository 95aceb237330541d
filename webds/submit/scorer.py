"""The scoring worker: the only process of the server that holds the operator's key. `webds board score DB`.

It takes queued submissions one at a time: verify again, replay, judge with the unsealed keys, and write down what may
be told. Keys are in memory and, while they are parsed, in a scratch folder that only this user can enter and that the
next run or scorer sweeps where this one was killed.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from webds import __version__
from webds.errors import Fault, InfraFault, InputFault, blame
from webds.runner.rubric import Rubric
from webds.scratch import scratch
from webds.submit import ladder, reservation
from webds.submit.book import Book, now, stamp
from webds.submit.bundle import LIVE, Manifest
from webds.submit.decide import HIDDEN
from webds.submit.flags import flags
from webds.submit.grading import Graded, Replays, graded, public_keys, public_result, public_tasks, spent, unsealed
from webds.submit.replay import hindrance, replay
from webds.submit.stars import PRIVATE, Stars, starred
from webds.submit.verify import verified
from webds_judge.grade import NAME, identity

OWN_CAPTURE = "replayed from the team's own capture: that proves the steps on it, and not that the web was so"


class Scorer:
    """Scores the submissions of one book, for the checkout `root`."""

    def __init__(
        self, book: Book, root: Path, key: PrivateKey | None, rubric: Mapping[str, Any] | None = None
    ) -> None:  # fmt: skip
        """`key` None: private submissions stay in the queue. `rubric`: the config table, of public stars; else none."""
        self._rubric: Rubric | None = None
        if rubric:  # force: nothing that a bundle may have brought stands for a verdict
            kept = {**rubric, "cache": rubric.get("cache") or str(book.folder / "judge")}
            self._rubric = Rubric(root=root, table=kept, force=True)
        self._book = book
        self._root = root
        self._keys = {"public": public_keys(root)}
        if key is not None:
            self._keys["private"] = unsealed(root, key)

    def one(self) -> int:
        """Score the oldest queued submission that there is a key for; its number, or 0 where there is none."""
        row = self._claim()
        if row is None:
            return 0
        try:
            with blame(InfraFault, "score"):
                self._score(row)
        except InputFault as error:
            self._end(row, "refused", str(error))
        except Fault as fault:
            self._end(row, "broken", str(fault))
        return int(row["id"])

    def _claim(self) -> dict[str, Any] | None:
        with self._book.change() as db:
            query = "SELECT * FROM submissions WHERE state = 'queued' ORDER BY id"
            row = next((row for row in db.execute(query) if row["split"] in self._keys), None)
            if row is None:
                return None
            db.execute("UPDATE submissions SET state = 'scoring' WHERE id = ?", (row["id"],))
        return dict(row)

    def again(self) -> None:
        """Back into the queue with what a killed scorer had begun."""
        with self._book.change() as db:
            db.execute("UPDATE submissions SET state = 'queued' WHERE state = 'scoring'")

    def _end(self, row: Mapping[str, Any], state: str, why: str) -> None:
        with self._book.change() as db:
            db.execute("UPDATE submissions SET state = ?, why = ? WHERE id = ?", (state, why[:500], row["id"]))
        if state == "refused":
            with suppress(FileNotFoundError):
                (self._book.bundles / f"{row['sha']}.zip").unlink()

    def _score(self, row: Mapping[str, Any]) -> None:
        keys = self._keys[str(row["split"])]
        path = self._book.bundles / f"{row['sha']}.zip"
        with scratch() as place:
            folder = place / "bundle"
            with verified(path, folder, self._root, keys.canaries) as manifest:
                why = hindrance(folder, manifest)
                replayed = replay(self._root, folder, place / "replay", manifest) if not why else None
                proved = replayed is not None and not replayed.wrong
                judged, stars = self._judged(row, folder, replayed.tries if replayed is not None and proved else None)
                known = reservation.of(self._book, manifest.run)
                marks = list(flags(folder, replayed, str(known["at"]) if known else ""))
                usage = spent(folder)
            late = reservation.fault(known, manifest)
            marks += [("reservation", f"the run's id {late}")] if late else []
            told = why or (OWN_CAPTURE if manifest.track == LIVE and proved else "")
            marks += [("level", told)] if told else []
            marks += [("stars", stars.detail)] if stars.detail else []
            self._write(row, manifest, judged, stars, "replayed" if proved else "reported", marks, usage)

    def _judged(
        self, row: Mapping[str, Any], folder: Path, replays: Replays | None
    ) -> tuple[dict[str, Graded], Stars]:  # fmt: skip
        """The typed judge's word on every task, and the rubric's stars of a public run."""
        keys = self._keys[str(row["split"])]
        if row["split"] == "private":
            return graded(folder, keys, replays), Stars(why=PRIVATE)
        judged = graded(folder, keys, replays, keep=self._rubric is not None)
        # A bundle's run.json has no agent's table, and a replay's own another agent's: the books know the model.
        asked = replace(self._rubric, models=(row["model"],)) if self._rubric is not None else None
        return judged, starred(folder, replays, asked)

    def _write(
        self, row: Mapping[str, Any], manifest: Manifest, judged: Mapping[str, Graded], stars: Stars, level: str,
        marks: list[tuple[str, str]], usage: Mapping[str, float | None],
    ) -> None:  # fmt: skip
        at = now()
        tasks = {} if manifest.split == "private" else public_tasks(self._root)
        told = self._told(row, judged, level) if manifest.split == "private" else public_result(judged, tasks)
        with self._book.change() as db:
            db.execute(
                "INSERT OR REPLACE INTO results (submission, figure, low, high, n, strict_n, stars, cost, steps, judge,"
                " stamp, period, detail, tasks, behind, second)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row["id"], told["figure"], told["low"], told["high"], told["n"], told["strict_n"], stars.mean,
                    usage["cost"], usage["steps"], f"{NAME} {__version__}", identity(), told["period"],
                    json.dumps(told["detail"]), json.dumps(tasks), told.get("behind"), json.dumps(stars.record()),
                ),
            )  # fmt: skip
            for kind, text in marks:
                values = (row["id"], kind, text[:500], stamp(at))
                db.execute("INSERT INTO flags (submission, kind, text, at) VALUES (?, ?, ?, ?)", values)
            query = "UPDATE submissions SET state = 'scored', why = '', level = ?, scored = ? WHERE id = ?"
            db.execute(query, (level, stamp(at), row["id"]))

    def _told(self, row: Mapping[str, Any], judged: Mapping[str, Graded], level: str) -> dict[str, Any]:
        """Of a private result: the ladder's figure over this period's subset, or nothing new. No task, no cell."""
        name = ladder.period(now())
        counted = [judged[task].strict for task in ladder.drawn(judged, name, self._book.secret("subset"))]
        query = (
            "SELECT level, behind FROM results JOIN submissions ON submissions.id = submission"  # noqa: S608 - no input
            f" WHERE team = ? AND split = 'private' AND behind IS NOT NULL AND NOT {HIDDEN}"
        )
        # Of every track: on which one a run was made is its own word, and must not begin a ladder anew.
        had = [had["behind"] for had in self._book.rows(query, row["team"]) if ladder.beside(level, had["level"])]
        best = max(had, default=None)
        score = sum(counted) / len(counted)
        figure = ladder.figure(best, score, len(counted))
        # The score behind a figure is kept for the next comparison, and shown on no page and in no answer.
        return {"figure": figure, "behind": None if figure is None else score, "low": None, "high": None,
                "n": len(counted), "strict_n": len(counted), "period": name, "detail": {}}  # fmt: skip
