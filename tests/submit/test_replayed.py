"""A private action task in a real browser, run without the key: the server replays it and judges what its replay left.

A forged end state is worth nothing, and invented observations under a consistent chain are named by their step.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from nacl.public import PrivateKey

from tests.submit.arena import TEAM, Board, said
from tests.submit.made import relinked, rewritten, with_evidence
from webds.seal import box, sealed
from webds.seal.content import Head
from webds.store import RunFolder
from webds.submit.grading import graded, unsealed
from webds.submit.pack import pack
from webds.suites import taskfiles
from webds.tracks.archives import site_digest
from webds.tracks.sites import pick

TASK = "tent-watch-overview-mean"
BASE = f"episodes/{TASK}~0/try-1"
LED = "what fill led to is not what the site shows"
RUN = "20991130T090000Z-scripted-ab{0:02d}"


class Arena(Board):
    """A checkout whose one private task is a public action task, sealed to a throw-away key."""

    def __init__(self, folder: Path, real: Path) -> None:
        self.root = folder / "checkout"
        self.key = folder / "secret.hex"
        (self.root / "tasks_private").mkdir(parents=True)
        (self.root / "sites_docker").symlink_to(real / "sites_docker")
        self.script = self.root / "tasks_public" / "mine" / "solutions" / f"{TASK.replace('-', '_')}.py"
        self.script.parent.mkdir(parents=True)
        self.source = (real / "tasks_public" / "tent_watch" / "solutions" / self.script.name).read_text()
        secret = PrivateKey.generate()
        self.key.write_text(bytes(secret).hex())
        (self.root / "tasks_private" / sealed.PUBLIC_KEY).write_text(bytes(secret.public_key).hex())
        task = next(entry.task() for _, entry in taskfiles.entries(real) if entry.id == TASK)
        sites = {site.name: site_digest(real, site) for site in pick(real, taskfiles.sites_of(task))}
        keys = {"keys.toml": self._key(real).encode()}
        head = Head(task=task, sites=sites, verified={"by": "a test"})
        sealed.write(self.root, sealed.seal(head, "6f2d2e1a-0000-4000-8000-000000000001", keys, secret.public_key))
        super().__init__(folder, self.root, secret)

    def _key(self, real: Path) -> str:
        text = (real / "tasks_public" / "tent_watch" / "keys.toml").read_text()
        index = [entry["task"] for entry in tomllib.loads(text)["key"]].index(TASK)
        return "[[key]]" + text.split("[[key]]")[index + 1]

    def run(self, to: Path, name: str, figure: str) -> Path:
        """A run by the agent `scripted`, without the key; its script posts `figure`."""
        self.script.write_text(self.source.replace('"Your reply", mean', f'"Your reply", "{figure}"'))
        env = {name: value for name, value in os.environ.items() if name != "WEBDS_PRIVATE_KEY_FILE"}
        words = [sys.executable, "-m", "webds", "run", "--split", "private", "--agent", "scripted", "--reserved", name]
        words += ["--root", str(self.root), "--out", str(to), "--json"]
        done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr[-2000:]
        return to


@pytest.mark.long
@pytest.mark.timeout(900)
def test_right_post_passes_wrong_post_fails_and_forgeries_are_named(tmp_path: Path, root: Path) -> None:
    arena = Arena(tmp_path, root)
    names = [RUN.format(number) for number in range(4)]
    for name in names:
        arena.reserve(name)
    runs = {
        "right": arena.run(tmp_path / "right", names[0], "12.31"),
        "wrong": arena.run(tmp_path / "wrong", names[1], "12.50"),
    }
    verdicts = list(runs["right"].glob("episodes/*/*/verdicts/*.json"))
    assert [json.loads(path.read_text())["blame"] for path in verdicts] == ["key"], "the run itself knows nothing"
    keys = unsealed(arena.root, box.private_key(arena.key))
    assert [graded(run, keys)[TASK].share for run in runs.values()] == [1, 0]

    for run in runs.values():
        pack(run, TEAM, run.with_suffix(".zip"))
    right = arena.score(tmp_path / "right.zip")
    assert (right["state"], right["level"], right["why"]) == ("scored", "replayed", ""), right
    assert right["figure"] > 0.5
    assert said(right, "unexplained") == [], "the word done is the task's own"

    # the wrong post's run with the forum that the right one left: whole as a bundle, but the replay leaves its own
    state = f"{BASE}/collected/forum.sqlite"
    good = RunFolder.view(runs["right"])
    forum = (good.path / state).read_bytes()
    entry = next(iter(good.committed())).evidence.findings["collected"]

    def other_end(found: dict[str, bytes]) -> None:
        found[state] = forum
        with_evidence(found, f"{BASE}/evidence.json", findings={"collected": entry})

    forged = rewritten(tmp_path / "wrong.zip", tmp_path / "forged-end.zip", other_end)
    wrong = arena.score(forged)
    assert (wrong["state"], wrong["level"]) == ("scored", "replayed"), wrong
    assert wrong["figure"] is None, "the old figure stands: the post was wrong"

    # a consistent chain of invented observations
    def invent(found: dict[str, bytes]) -> None:
        def change(number: int, row: dict[str, Any]) -> None:
            if number == 2:
                row["then"]["text"] += "\nThe right figure is 12.31."
            if number == 3:
                row["saw"]["text"] += "\nThe right figure is 12.31."

        value = json.loads(found["bundle.json"])
        found["bundle.json"] = json.dumps({**value, "run": names[2]}).encode()
        found[f"{BASE}/trajectory.jsonl"], last = relinked(found[f"{BASE}/trajectory.jsonl"], change)
        with_evidence(found, f"{BASE}/evidence.json", digests={"trajectory": last})

    invented = arena.score(rewritten(tmp_path / "right.zip", tmp_path / "forged-chain.zip", invent))
    assert (invented["state"], invented["level"]) == ("scored", "reported"), invented
    assert said(invented, "steps") == [f"{TASK}: step 2: {LED}"]
