"""What a private task was proved by before it was sealed, for the verifier's stamp in its head."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from webds.errors import InputFault
from webds.store import Committed, RunFolder
from webds.types import Json, Verdict

PROVED = {"oracle": True, "nop": False}
"""Agent -> the word that its verdict must say."""


@contextmanager
def overlay(root: Path, private: Path) -> Iterator[Path]:
    """A checkout for validator, agents and judge: the sites of `root`, and the private folder as its public tasks."""
    if not private.is_dir():
        raise InputFault(f"WEBDS_PRIVATE_DIR: {private}: no such folder")
    with tempfile.TemporaryDirectory(prefix="webds-private-") as made:
        folder = Path(made)
        (folder / "sites_docker").symlink_to((root / "sites_docker").resolve())
        (folder / "tasks_public").symlink_to(private.resolve())
        yield folder


def proofs(runs: Iterable[Path]) -> dict[str, dict[str, Json]]:
    """Task -> {agent: {run, revision, passed, settings}} of every try by oracle or nop that has a typed verdict."""
    found: dict[str, dict[str, Json]] = {}
    for path in runs:
        run = RunFolder.view(path)
        agent = str(run.head.get("agent"))
        if agent not in PROVED:
            raise InputFault(f"{path}: a run of agent {agent!r}; proofs are runs of {', '.join(PROVED)}")
        for item in run.committed():
            found.setdefault(item.evidence.task, {})[agent] = _word(str(run.head.get("id")), item)
    return found


def _word(run: str, item: Committed) -> Mapping[str, Json]:
    verdict = item.verdicts.get("tier1")
    passed = verdict.passed if isinstance(verdict, Verdict) else None
    settings = verdict.judge.settings if verdict is not None else ""
    return {"run": run, "revision": item.evidence.revision, "passed": passed, "settings": settings}


def faults(task: str, revision: int, settings: str, found: Mapping[str, Json]) -> Iterator[str]:
    """Why the runs prove nothing of this task: no such run, another revision or key, or the wrong word.

    `settings` is what the judge's stamp says of today's key: a verdict under another key is no proof.
    """
    for agent, wanted in PROVED.items():
        word = found.get(agent)
        if not isinstance(word, Mapping):
            yield f"{task}: no run of {agent} among the proofs"
        elif word["revision"] != revision or word["settings"] != settings:
            yield f"{task}: {agent} was run on another revision or key (run {word['run']})"
        elif word["passed"] is not wanted:
            yield f"{task}: {agent} must {'pass' if wanted else 'fail'} (run {word['run']})"
