"""The judge's process as the runner sees it: grades a committed try, hands out keys to the oracle's worker."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webds.errors import InfraFault, InputFault
from webds.runner.children import Child
from webds.store import Committed, RunFolder
from webds.types import Ending

GRADED = (Ending.SUBMITTED, Ending.GAVE_UP, Ending.LIMIT)
"""Endings whose outcome a verdict decides."""


class Judging:
    """One judge process, started at the first question and again if it dies."""

    def __init__(
        self, root: Path, run: RunFolder, config: Mapping[str, Any], keyed: bool, log: Path, env: Mapping[str, str]
    ) -> None:
        """`keyed`: it may hand out keys. `log`: where its stderr goes. `env`: its environment."""
        words = ["webds_judge", "--root", str(root), *keys_beside(config), *(["--key-given"] if keyed else [])]
        self._run = run
        self._seconds = float(config["limits"]["judge"])
        self._child = Child(words, log, env)
        self.complaints: list[str] = []
        """Why the judge gave no verdict, one line an episode."""

    async def grade(self, item: Committed) -> None:
        """Have a try judged that a verdict decides and that has none yet."""
        if item.evidence.ending not in GRADED or "tier1" in item.verdicts:
            return
        answer = await self._ask({"grade": str(item.folder.resolve())})
        word = {key: answer[key] for key in ("kind", "passed", "error") if key in answer}
        if "error" in answer:
            self.complaints.append(f"{item.evidence.task}: {answer['error']}")
        self._run.log("verdict", task=item.evidence.task, repeat=item.evidence.repeat, **word)

    async def key(self, task: str) -> Any:
        """The key of a task. InputFault: it is missing or malformed."""
        answer = await self._ask({"key": task})
        if "error" in answer:
            raise InputFault(str(answer["error"]))
        return answer["key"]

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The judge's answer. A judge that dies is started again once; an outage leaves the episode ungraded."""
        for _ in range(2):
            try:
                if not self._child.alive:
                    await self._child.start()
                return await self._child.ask(question, self._seconds)
            except InfraFault as fault:
                why = str(fault)
        return {"error": f"the judge gave no answer: {why}"}

    async def stop(self) -> None:
        """End the process."""
        await self._child.stop()


def keys_beside(config: Mapping[str, Any]) -> list[str]:
    """The judge's words for keys of a user's own tasks: keys.toml beside each task file, and no others."""
    files = [Path(name).with_name("keys.toml") for name in config.get("task_files", ())]
    return [word for file in files for word in ("--keys", str(file))]
