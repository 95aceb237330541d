"""Start the real command line on the fixture root, as a user would."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

MINI = Path(__file__).parents[1] / "data" / "mini"
KILL = Path(__file__).parent / "kill"


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "COLUMNS": "200", **more}


def webds(*words: str, root: Path | None = MINI, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    rooted = ["--root", str(root)] if root is not None else []
    command = [sys.executable, "-m", "webds", *words, *rooted]
    return subprocess.run(command, capture_output=True, text=True, env=env or environment(), timeout=200)


def results(run: Path) -> dict[str, Any]:
    """results.json without what depends on the clock."""
    data: dict[str, Any] = json.loads((run / "results.json").read_text())
    for name in ("id", "created"):
        data["run"].pop(name, None)
    for row in data["episodes"]:
        row.pop("seconds", None)
    return data


def log(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
