"""A scripted judge model, and runs for it to judge: real folders, a real endpoint, replies that a test decides."""

import asyncio
import contextlib
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.models.endpoint import Said
from tests.report.build_run import Act, Episode, make_run, task
from webds.store import RunFolder
from webds_judge.keys import KeyRing
from webds_judge.rubric.__main__ import served

PAGE = "url: https://grid-workbook.test/output\nOutput of the plant in 1999: 42 gigawatt hours"
QUOTE = "plant in 1999: 42 gigawatt"
ACTS = (
    Act(
        name="goto", args={"url": "https://grid-workbook.test/output", "thought": "it must be forty-two"}, text=PAGE,
        view={"url": "https://grid-workbook.test/output"},
    ),
    Act(name="submit", args={"answer": "42"}, text="submitted"),
)  # fmt: skip
KEY = """
[[key]]
task = "{name}"
revision = 1
checks = [{{ name = "n", kind = "answer", params = {{ type = "integer", reference = 42, evidence = [] }} }}]
"""
GOOD: dict[str, dict[str, Any]] = {
    "value": {"met": True, "steps": [-1], "quote": "42"},
    "source": {"met": True, "steps": [0], "quote": QUOTE},
}
CANARY = "Aldor"


def built(tmp: Path, names: Sequence[str] = ("t",), **changes: Any) -> tuple[Path, Path]:
    """(run, root): an episode a name, all alike but for `changes` of the Episode; keys under the root."""
    keys = tmp / "root" / "tasks_public" / "group" / "keys.toml"
    keys.parent.mkdir(parents=True)
    (tmp / "root" / "sites_docker").mkdir()
    keys.write_text("".join(KEY.format(name=name) for name in names))
    episode = {"acts": ACTS, "answer": "42", **changes}
    tasks = [task(name, prompt=f"Task {name}: how much did the plant put out in 1999?") for name in names]
    return make_run(tmp / "run", tasks, [Episode(task=name, **episode) for name in names]), tmp / "root"


def asked(body: Mapping[str, Any]) -> tuple[str, list[str], str]:
    """(nonce, criteria, whole text) of a request."""
    parts = [part if isinstance(part, str) else part.get("text", "") for part in _parts(body)]
    text = "\n".join(parts)
    nonce = re.search(r'"nonce": "([0-9a-f]{16})"', text)
    names = re.search(r"Answer these criteria, each once: ([\w, ]+)\.", text)
    assert nonce
    return nonce[1], names[1].split(", ") if names else [], text


def _parts(body: Mapping[str, Any]) -> list[Any]:
    contents = [message["content"] for message in body["messages"]]
    return [part for content in contents for part in (content if isinstance(content, list) else [content])]


def object_for(body: Mapping[str, Any], marks: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Any]:
    """A careful model's reply: no canary is believed; else GOOD and `marks` over it."""
    nonce, names, text = asked(body)
    if not names:
        steps = re.findall(r'"step":(\d+)', text)
        return {"nonce": nonce, "steps": {step: 5 if step == "7" else 1 for step in steps}}
    said: dict[str, Any] = {name: {"met": True} for name in names} | GOOD | dict(marks or {})
    if CANARY in text:
        said |= {"value": {"met": False}, "source": {"met": False}}
    items = [{"name": name, **said[name]} for name in names]
    return {"nonce": nonce, "criteria": items, "injection_seen": CANARY in text}


def bot(marks: Mapping[str, Mapping[str, Any]] | None = None) -> Callable[[dict[str, Any]], Said]:
    """An endpoint's step that answers like that."""
    return lambda body: {"text": json.dumps(object_for(body, marks))}


def judge(
    run: Path, root: Path, url: str, force: bool = False, canaries: bool = True,
    others: Sequence[Path] = (), models: Sequence[str] = (), **table: Any,
) -> list[Any]:  # fmt: skip
    """What the judge's process says, a value a line. `others`: runs whose tries are judged too."""
    folders = [str(item.folder) for path in (run, *others) for item in RunFolder.view(path).committed()]
    quick = {"model": "m", "base_url": url, "dialect": "text", "retries": 0, "backoff": 0.01, "first": 5, "whole": 5}
    request = {"run": str(run), "folders": folders, "table": {**quick, "at_once": 1, **table}, "force": force}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        asyncio.run(served(KeyRing(root), {**request, "canaries": canaries, "models": list(models)}))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def kept(run: Path) -> dict[str, bytes]:
    """Every verdict and what lies beside, by path."""
    paths = [*run.glob("episodes/*/*/verdicts/*.json"), run / "disagreements.jsonl"]
    return {str(path.relative_to(run)): path.read_bytes() for path in paths if path.is_file()}


def word(run: Path, name: str = "t") -> Any:
    """The rubric's stored word on a task."""
    return json.loads((run / "episodes" / f"{name}~0" / "try-1" / "verdicts" / "rubric.json").read_text())
