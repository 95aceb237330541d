"""A checkout with two sealed tasks under a throw-away key, and runs of them that were made by hand."""

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from nacl.public import PrivateKey

from webds.codec import canonical, digest, plain, sha256
from webds.seal import sealed
from webds.seal.content import Head
from webds.store import RunFolder, append_line, commit, write_atomic
from webds.submit.bundle import MANIFEST
from webds.tracks.archives import site_digest
from webds.tracks.sites import all_sites, data_of
from webds.types import Action, Budget, Collect, Ending, Evidence, Json, Observation, Step, Task

CANARY = {"ask": "0d1f3c34-4a10-4d0c-8a51-2f6a9f4d1b01", "post": "0d1f3c34-4a10-4d0c-8a51-2f6a9f4d1b02"}
ASK = Task(
    id="ask", suite="web", revision=2, prompt="How many?", start={"url": "https://air-and-ice.test/"},
    budget=Budget(steps=20, seconds=600.0), labels={"kind": "qa", "sites": ("air-and-ice",)},
)  # fmt: skip
POST = Task(
    id="post", suite="web", revision=1, prompt="Post it.", start={"url": "https://tent-watch.test/"},
    budget=Budget(steps=20, seconds=600.0), labels={"kind": "action", "sites": ("tent-watch",)},
    collect=(Collect(name="forum", kind="state", params={"site": "tent-watch"}),),
)  # fmt: skip
KEYS = {
    "ask": 'type = "number"\nreference = 734512',
    "post": 'collect = "forum"\nquery = "SELECT body FROM posts"\ntype = "number"\nreference = 12.5',
}
KIND = {"ask": "answer", "post": "sql"}
RUN = "20991130T101010Z-hand-ab12"
"""To come: whenever a test reserves it, that is before the run."""
HOME = "/home/" + "somebody"
PICTURE = b"\x89PNG\r\n\x1a\n not much of a picture"


class Checkout:
    """`root`: sealed tasks and the sites' heads; `key`: the file with the secret half."""

    def __init__(self, folder: Path, real: Path) -> None:
        self.root = folder / "checkout"
        (self.root / "tasks_private").mkdir(parents=True)
        (self.root / "tasks_public").mkdir()
        for name in ("lock.toml", "air_and_ice/site.toml", "tent_watch/site.toml", "tent_watch/seed.toml"):
            (self.root / "sites_docker" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(real / "sites_docker" / name, self.root / "sites_docker" / name)
        secret = PrivateKey.generate()
        self.key = folder / "secret.hex"
        self.key.write_text(bytes(secret).hex())
        (self.root / "tasks_private" / sealed.PUBLIC_KEY).write_text(bytes(secret.public_key).hex())
        self.sites = all_sites(self.root)
        for task in (ASK, POST):
            self.seal(task, secret)

    def seal(self, task: Task, secret: PrivateKey) -> None:
        names = task.labels["sites"]
        assert isinstance(names, tuple)
        sites = {str(name): site_digest(self.root, self.sites[str(name)]) for name in names}
        key = f'# Canary {CANARY[task.id]}\n[[key]]\ntask = "{task.id}"\nrevision = {task.revision}\n[[key.checks]]\n'
        key += f'name = "it"\nkind = "{KIND[task.id]}"\n[key.checks.params]\n{KEYS[task.id]}\n'
        head = Head(task=task, sites=sites, verified={"by": "a test"})
        sealed.write(self.root, sealed.seal(head, CANARY[task.id], {"keys.toml": key.encode()}, secret.public_key))

    def facts(self) -> dict[str, Any]:
        found = {name: data_of(site) for name, site in self.sites.items()}
        archives = {"air-and-ice": site_digest(self.root, self.sites["air-and-ice"])}
        return {
            "provider": "process",
            "isolation": "namespace",
            "sandbox": "none",
            "sites": found,
            "archives": archives,
        }


def run_of(checkout: Checkout, to: Path, *, said: str = "734512", posted: str = "12.5", page: str = "a page") -> Path:
    """A finished run of both tasks by an agent `hand`."""
    tasks = [ASK, POST]
    config = {"split": "private", "chromium": f"{HOME}/chrome"}
    head = {
        "id": RUN, "created": "2099-11-30T10:10:10+00:00", "suite": "web", "track": "dockerized", "agent": "hand",
        "repeat": 1, "concurrency": 1, "tasks": [{**_dict(task), "difficulty": "easy"} for task in tasks],
        "plan": [[task.id, 0] for task in tasks], "facts": checkout.facts(), "key_given": False,
        "versions": {"webds": "0.1.0"}, "config": config, "declares": {"model": "a-model"},
    }  # fmt: skip
    run = RunFolder.create(to, head)
    episode(run, ASK, said, page, "")
    episode(run, POST, "done", page, posted)
    run.release()
    return to


def _dict(value: object) -> dict[str, Json]:
    found = plain(value)
    assert isinstance(found, dict)
    return found


def episode(run: RunFolder, task: Task, answer: str, page: str, posted: str) -> None:
    folder = run.new_try(task.id, 0)
    name = sha256(PICTURE)
    write_atomic(run.path / "blobs" / name[:2] / name, PICTURE)
    request = {"url": str(task.start["url"]), "method": "GET", "at": 0.0, "outcome": "served"}
    write_atomic(folder / "requests.jsonl", canonical(request) + b"\n")
    acts = [Action(name="goto", args={"url": "/x"}), Action(name="scroll", args={"y": 100})]
    seen = [Observation(text=f"{page} {n}", image=name, view={"url": f"/{n}"}) for n in range(3)]
    submit = Action(name="submit", args={"answer": answer, "files": (), "unachievable": ""})
    last = ""
    triples = [*zip(seen, acts, seen[1:], strict=False), (seen[-1], submit, Observation(text="submitted"))]
    for index, (saw, did, then) in enumerate(triples):
        step = Step(index=index, saw=saw, did=did, then=then, prev=last)
        append_line(folder / "trajectory.jsonl", step)
        append_line(
            folder / "timings.jsonl", {"index": index, "at": "2026-11-30T10:11:00+00:00", "seconds": 2.5, "usage": {}}
        )
        last = digest(step)
    findings: dict[str, Json] = {"requests": {"served": 1}}
    if posted:
        findings["collected"] = {"forum": _forum(folder, posted)}
    requests = sha256((folder / "requests.jsonl").read_bytes())
    commit(
        folder,
        Evidence(
            task=task.id, revision=task.revision, repeat=0, attempt=1, agent="hand", ending=Ending.SUBMITTED,
            answer=answer, findings=findings, steps=len(triples), digests={"trajectory": last, "requests": requests},
        ),
    )  # fmt: skip


def _forum(folder: Path, posted: str) -> dict[str, Json]:
    path = folder / "collected" / "forum.sqlite"
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE posts (body TEXT)")
        database.execute("INSERT INTO posts VALUES (?)", (posted,))
    database.close()
    data = path.read_bytes()
    return {"path": "collected/forum.sqlite", "sha256": sha256(data), "size": len(data)}


def members(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(bundle: Path, to: Path, change: Callable[[dict[str, bytes]], None], *, listed: bool = True) -> Path:
    """The bundle with other members; `listed`: its manifest says so, as a forger would make it."""
    found = members(bundle)
    change(found)
    if listed and MANIFEST in found:
        value = json.loads(found[MANIFEST])
        value["members"] = {n: [len(d), sha256(d)] for n, d in found.items() if n != MANIFEST}
        found[MANIFEST] = json.dumps(value).encode()
    with zipfile.ZipFile(to, "w") as archive:
        for name, data in found.items():
            archive.writestr(name, data)
    return to


def relinked(data: bytes, change: Callable[[int, dict[str, Any]], None]) -> tuple[bytes, str]:
    """A trajectory whose steps were changed, with a consistent chain."""
    last, out = "", []
    for number, line in enumerate(data.splitlines()):
        row = json.loads(line)
        change(number, row)
        row["prev"] = last
        out.append(canonical(row) + b"\n")
        last = digest(row)
    return b"".join(out), last


def with_evidence(found: dict[str, bytes], name: str, **fields: Any) -> None:
    value = json.loads(found[name])
    for field, item in fields.items():
        value[field] = {**value[field], **item} if isinstance(item, Mapping) else item
    found[name] = canonical(value) + b"\n"


__all__ = [
    "ASK",
    "POST",
    "Checkout",
    "episode",
    "members",
    "relinked",
    "replace",
    "rewritten",
    "run_of",
    "with_evidence",
]
