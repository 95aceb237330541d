"""A scoring server's books over a checkout, and real runs of the fixture site's public tasks to hand in."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from tests.e2e.runs import MINI, webds
from webds.submit import intake
from webds.submit.book import Book, add_person, now
from webds.submit.pack import pack
from webds.submit.scorer import Scorer
from webds.submit.words import read, tried

TEAM = "team-a"
RUN = "20991130T090000Z-{agent}-ab{number:02d}"


class Board:
    """Reserve, hand in and score, as the server does."""

    def __init__(self, folder: Path, root: Path, key: PrivateKey | None = None) -> None:
        self.root = root
        self._secret = key
        self.book = Book(folder / "board")
        add_person(self.book, "teams", TEAM)

    def reserve(self, name: str, split: str = "private", agent: str = "scripted") -> None:
        intake.reserve(self.book, TEAM, {"run": name, "agent": agent, "split": split}, now())

    def score(self, bundle: Path, rubric: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The submission's row with its flags, once it was handed in and scored; `rubric`: the table."""
        data = bundle.read_bytes()
        sha = hashlib.sha256(data).hexdigest()
        intake.begin(self.book, TEAM, sha, len(data))
        intake.part(self.book, TEAM, sha)[0].write_bytes(data)
        made = intake.take(self.book, self.root, TEAM, sha, self.book.folder / "scratch")
        assert Scorer(self.book, self.root, self._secret, rubric).one() == made
        row = self.book.rows("SELECT * FROM submissions LEFT JOIN results ON id = submission WHERE id = ?", made)[0]
        flags = self.book.rows("SELECT kind, text FROM flags WHERE submission = ?", made)
        return {**row, "flags": [(flag["kind"], flag["text"]) for flag in flags]}


class Mini(Board):
    """The fixture checkout with scripts of the test's own."""

    def __init__(self, folder: Path) -> None:
        root = folder / "checkout"
        root.mkdir()
        (root / "sites_docker").symlink_to(MINI / "sites_docker")
        shutil.copytree(MINI / "tasks_public", root / "tasks_public")
        super().__init__(folder, root)
        self._folder = folder
        self._runs = 0

    def script(self, task: str, *lines: str) -> None:
        """Another solution of a task, over a `hand` that has looked."""
        body = "".join(f"    {line}\n" for line in lines)
        head = "from webds.agents.hand import Hand\n\n\nasync def solve(session):\n    hand = Hand(session)\n"
        file = self.root / "tasks_public" / "mini" / "solutions" / f"{task.replace('-', '_')}.py"
        file.write_text(f"{head}    await hand.look()\n{body}")

    def run(self, *words: str, agent: str = "scripted") -> Path:
        """A reserved run; words as those of `webds run`."""
        self._runs += 1
        name = RUN.format(agent=agent, number=self._runs)
        self.reserve(name, "public", agent)
        out = self._folder / f"run{self._runs}"
        given = ["--agent", agent, "--reserved", name, "--out", str(out), *words]
        done = webds("run", *given, root=self.root)
        assert done.returncode == 0, done.stderr
        return out

    def pack(self, run: Path) -> Path:
        """The run's bundle."""
        to = run.with_suffix(".zip")
        pack(run, TEAM, to)
        return to


def said(row: dict[str, Any], kind: str) -> list[str]:
    """The texts of the flags of one kind."""
    return [text for name, text in row["flags"] if name == kind]


def detail(row: dict[str, Any]) -> dict[str, list[str]]:
    """Task -> the outcome of each repeat, of the tasks that were run."""
    found = read(row["detail"])
    return {task: list(words) for task, words in found.items() if tried(words)}
