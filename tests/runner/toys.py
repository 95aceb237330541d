"""Runs of the real command line on the toy suite: real processes, no browser."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.runs import environment, log, results

PLUGINS = Path(__file__).parent / "plugins"
KEY = """
[[key]]
task = "{task}"
revision = 1
checks = [{{ name = "answer", kind = "answer", params = {{ type = "integer", reference = 3 }} }}]
"""


class Toys:
    """A root with toy tasks and the runs in it."""

    def __init__(self, folder: Path, tasks: Mapping[str, Mapping[str, float]] | int) -> None:
        listed = {f"toy-{n}": {} for n in range(1, tasks + 1)} if isinstance(tasks, int) else tasks
        self.root = folder / "root"
        (self.root / "sites_docker").mkdir(parents=True)
        group = self.root / "tasks_public" / "toy"
        group.mkdir(parents=True)
        (self.root / "toy.json").write_text(json.dumps(listed))
        (group / "keys.toml").write_text("".join(KEY.format(task=name) for name in listed))
        self.run = folder / "run"
        self.state = folder / "state"
        (folder / "tmp").mkdir()
        self.temporary = folder / "tmp"

    def words(self, script: Mapping[str, Sequence[str]], *more: str) -> list[str]:
        words = ["--suite", "toy", "--track", "toy", "--agent", "toy", "--out", str(self.run), *more]
        words += ["--set", f'agents.toy.state="{self.state}"']
        for task, lines in script.items():
            words += ["--set", f"agents.toy.script.{task}={json.dumps(list(lines))}"]
        return words

    @contextmanager
    def start(self, script: Mapping[str, Sequence[str]], *more: str) -> "Iterator[subprocess.Popen[str]]":
        """A run under way; one that is still there at the end of the block is killed."""
        with self._popen(["run", *self.words(script, *more)]) as going:
            try:
                yield going
            finally:
                going.kill()

    def resume(self, *more: str) -> "subprocess.CompletedProcess[str]":
        return self.webds("run", "--resume", str(self.run), *more)

    def go(self, script: Mapping[str, Sequence[str]], *more: str) -> "subprocess.CompletedProcess[str]":
        return self.webds("run", *self.words(script, *more))

    def webds(self, *words: str) -> "subprocess.CompletedProcess[str]":
        process = self._popen(list(words))
        try:
            out, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def _popen(self, words: Sequence[str]) -> "subprocess.Popen[str]":
        env = environment(PYTHONPATH=str(PLUGINS), TMPDIR=str(self.temporary))
        rooted = ["--root", str(self.root)] if words[0] == "run" else []
        command = [sys.executable, "-m", "webds", *words, *rooted]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def outcomes(self) -> dict[str, str]:
        return {row["task"]: row["outcome"] for row in results(self.run)["episodes"]}

    def flags(self) -> dict[str, list[str]]:
        return {row["task"]: row["flags"] for row in results(self.run)["episodes"] if row["flags"]}

    def began(self, task: str, times: int) -> bool:
        """Whether the agent has begun this many tries of the task."""
        return len(list(self.state.glob(f"{task}.*"))) >= times

    def events(self, kind: str) -> list[dict[str, Any]]:
        if not (self.run / "log.jsonl").exists():
            return []
        return [event for event in log(self.run) if event["event"] == kind]


def eventually(what: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until it is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
