"""The rubric's process as those see it who have tries judged: `webds judge run` and a board's scoring worker."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.config import child_environment
from webds.errors import InputFault
from webds.runner.children import Child
from webds.store import Committed


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """How it is asked. `root`: checkout with the keys; `keys`: the process's words for those of a user's own tasks."""

    root: Path
    table: Mapping[str, Any]
    """The config table `rubric`."""
    keys: Sequence[str] = ()
    force: bool = False
    """What has a verdict as well."""
    canaries: bool = True
    """Ask them before the first uncached call; without them verdicts are unsound."""
    models: Sequence[str] = ()
    """The agent's, beside those that the runs name: the judge must be another one."""

    def judged(self, run: Path, items: Sequence[Committed]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """(a row a try, what holds for all), verdicts beside the tries, which may lie in other runs than `run`.

        `run` has the log, and the cache where the table names none. InputFault: a wrong table, or the agent's model.
        InfraFault: the process ended.
        """
        return asyncio.run(self._judged(run, items))

    async def _judged(self, run: Path, items: Sequence[Committed]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        words = ("webds_judge.rubric", "--root", str(self.root), *self.keys)
        (run / "logs").mkdir(exist_ok=True)
        child = Child(words, run / "logs" / "judge.log", child_environment())
        request = {
            "run": str(run), "folders": [str(item.folder) for item in items], "table": dict(self.table),
            "canaries": self.canaries, "force": self.force, "models": list(self.models),
        }  # fmt: skip
        await child.start()
        try:
            rows = [await child.ask(request, None)]
            while "done" not in rows[-1]:
                if "error" in rows[-1]:
                    raise InputFault(str(rows[-1]["error"]))
                rows.append(await child.answer())
        finally:
            await child.stop()
        return rows[:-1], rows[-1]
