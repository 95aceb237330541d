"""The scoring worker: the only process of the server that holds the operator's key. `webds board score DB`.

It takes queued submissions one at a time: verify again, replay, judge with the unsealed keys, and write down what may
be told. Keys are in memory and, while they are parsed, in a scratch folder that only this user can enter and that the
next run or scorer sweeps where this one was killed.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from webds import __version__
from webds.errors import Fault, InfraFault, InputFault, blame
from webds.outcome import outcome
from webds.prices import read_usage
from webds.scratch import scratch
from webds.seal import sealed
from webds.stats import Share
from webds.store import Committed, RunFolder
from webds.submit import ladder
from webds.submit.book import Book, now, stamp
from webds.submit.bundle import Manifest
from webds.submit.flags import flags
from webds.submit.replay import Replayed, replay
from webds.submit.verify import verified
from webds.types import AnswerKey, Outcome, Ungraded, Verdict
from webds_judge.grade import TypedJudge
from webds_judge.keys import KeyRing, read_keys


@dataclass(frozen=True, slots=True)
class Keys:
    """Answer keys by task, and the secret canaries of what was sealed."""

    of: Mapping[str, AnswerKey]
    canaries: tuple[str, ...] = ()


def unsealed(root: Path, key: PrivateKey) -> Keys:
    """The keys of every sealed task. InputFault: a box that does not open."""
    found: dict[str, AnswerKey] = {}
    canaries = []
    for path in sealed.files(root):
        content = sealed.unseal(sealed.read(path), key)
        canaries.append(content.canary)
        with scratch() as folder:
            for name, data in content.files.items():
                if name == "keys.toml" or name.startswith("gold/"):
                    target = folder / name
                    target.parent.mkdir(exist_ok=True, parents=True)
                    target.write_bytes(data)
            found.update({item.task: item for item in read_keys(folder / "keys.toml")})
    return Keys(found, tuple(canaries))


def public_keys(root: Path) -> Keys:
    """The keys of the public tasks."""
    ring = KeyRing(root, strict=False)
    return Keys({task: ring.key(task) for task in ring.tasks()})


class Scorer:
    """Scores the submissions of one book, for the checkout `root`."""

    def __init__(self, book: Book, root: Path, key: PrivateKey | None) -> None:
        """`key` None: private submissions stay in the queue."""
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
                replayed = replay(self._root, folder, place / "replay", manifest) if _can(manifest) else None
                proved = replayed is not None and not replayed.wrong
                judged = graded(replayed.folder if replayed is not None and proved else folder, keys)
                marks = list(flags(folder, replayed, self._reserved(manifest.run)))
                usage = spent(folder)
            self._write(
                row, manifest, judged, "replayed" if proved else "reported", [*marks, *_left(replayed, manifest)], usage
            )

    def _reserved(self, run: str) -> str:
        found = self._book.rows("SELECT at FROM reservations WHERE run = ?", run)
        return str(found[0]["at"]) if found else ""

    def _write(
        self, row: Mapping[str, Any], manifest: Manifest, judged: Mapping[str, "Graded"], level: str,
        marks: list[tuple[str, str]], usage: Mapping[str, float | None],
    ) -> None:  # fmt: skip
        at = now()
        told = self._told(row, judged) if manifest.split == "private" else public_result(judged)
        with self._book.change() as db:
            db.execute(
                "INSERT OR REPLACE INTO results (submission, figure, low, high, n, strict_n, stars, cost, steps, judge,"
                " period, detail, behind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    row["id"], told["figure"], told["low"], told["high"], told["n"], told["strict_n"], told["stars"],
                    usage["cost"], usage["steps"], f"tier1 {__version__}", told["period"], json.dumps(told["detail"]),
                    told.get("behind"),
                ),
            )  # fmt: skip
            for kind, text in marks:
                values = (row["id"], kind, text[:500], stamp(at))
                db.execute("INSERT INTO flags (submission, kind, text, at) VALUES (?, ?, ?, ?)", values)
            query = "UPDATE submissions SET state = 'scored', why = '', level = ?, scored = ? WHERE id = ?"
            db.execute(query, (level, stamp(at), row["id"]))

    def _told(self, row: Mapping[str, Any], judged: Mapping[str, "Graded"]) -> dict[str, Any]:
        """Of a private result: the ladder's figure over this period's subset, or nothing new. No task, no cell."""
        name = ladder.period(now())
        counted = [judged[task].passed for task in ladder.drawn(judged, name, self._book.secret("subset"))]
        query = (
            "SELECT max(behind) AS best FROM results JOIN submissions ON id = submission"
            " WHERE team = ? AND split = 'private'"
        )
        best = self._book.rows(query, row["team"])[0]["best"]
        score = sum(counted) / len(counted)
        figure = ladder.figure(best, score, len(counted))
        # The score behind a figure is kept for the next comparison, and shown on no page and in no answer.
        return {"figure": figure, "behind": None if figure is None else score, "low": None, "high": None,
                "n": len(counted), "strict_n": len(counted), "stars": None, "period": name, "detail": {}}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graded:
    """One task's outcome; `stars` 1 to 5 where a judge gave them."""

    outcome: Outcome
    stars: float | None = None

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASS


def graded(folder: Path, keys: Keys) -> dict[str, Graded]:
    """Every task of a run folder under these keys. Nothing is written into it."""
    return {item.evidence.task: _word(item, keys) for item in RunFolder.view(folder).committed()}


def _word(item: Committed, keys: Keys) -> Graded:
    key = keys.of.get(item.evidence.task)
    if key is None:
        raise InfraFault(f"no key for task {item.evidence.task}", "score")
    said: Verdict | Ungraded = TypedJudge().judged(item.evidence, item.folder, key)
    return Graded(outcome(item.evidence, {"tier1": said}), said.stars if isinstance(said, Verdict) else None)


def public_result(judged: Mapping[str, Graded]) -> dict[str, Any]:
    """Rate over what was graded with its interval, the strict denominator, and the word on each task."""
    known = [item for item in judged.values() if item.outcome in (Outcome.PASS, Outcome.FAIL)]
    share = Share(sum(item.passed for item in known), len(known))
    stars = [item.stars for item in known if item.stars is not None]
    return {
        "figure": share.share, "low": share.low, "high": share.high, "n": len(known), "strict_n": len(judged),
        "stars": sum(stars) / len(stars) if stars else None, "period": "",
        "detail": {task: item.outcome.value for task, item in sorted(judged.items())},
    }  # fmt: skip


def spent(folder: Path) -> dict[str, float | None]:
    """Mean cost in dollars and mean steps a task, as the run says; cost None where any task's is unknown."""
    items = list(RunFolder.view(folder).committed())
    known = [cost for item in items if (cost := read_usage(item.evidence.usage).cost) is not None]
    cost = sum(known) / len(known) if known and len(known) == len(items) else None
    return {"cost": cost, "steps": sum(item.evidence.steps for item in items) / max(1, len(items))}


def _can(manifest: Manifest) -> bool:
    return manifest.head.get("track") == "dockerized"


def _left(replayed: Replayed | None, manifest: Manifest) -> list[tuple[str, str]]:
    track = str(manifest.head.get("track", ""))[:40]
    return [] if replayed is not None else [("level", f"track {track}: not replayed, so it stays reported")]
