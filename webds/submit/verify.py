"""Is a bundle whole, of one mind, and of this checkout's tasks and sites? What anybody can check: *reported*."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webds.codec import canonical, digest, load, plain
from webds.difficulty import difficulty
from webds.errors import InputFault, blame
from webds.files import write_json
from webds.store import FORMAT
from webds.submit import bundle, captured, logs, secrets, strict
from webds.submit.bundle import LIVE, Manifest, base_of, is_closed
from webds.submit.texts import texts
from webds.submit.unpack import BadBundle, unpacked
from webds.suites import taskfiles
from webds.tracks.archives import site_digest
from webds.tracks.sites import all_sites
from webds.types import Ending, Evidence, Observation, Step, Task


@dataclass(frozen=True, slots=True)
class Expected:
    """What this checkout knows: its tasks of the split, its sites' digests, and texts that may appear nowhere."""

    tasks: Mapping[str, Task]
    sites: Mapping[str, str]
    canaries: tuple[str, ...] = ()


def expected(root: Path, split: str, canaries: Iterable[str] = ()) -> Expected:
    """Of the checkout under `root`. InputFault: no such split."""
    if split == "private":
        tasks = taskfiles.private(root)
    elif split == "public":
        tasks = [entry.task() for _, entry in taskfiles.entries(root)]
    else:
        raise InputFault(f"{bundle.MANIFEST}: field split: {split!r:.40}; known: public, private")
    sites = {name: site_digest(root, site) for name, site in all_sites(root).items()}
    return Expected({task.id: task for task in tasks}, sites, tuple(canaries))


@contextmanager
def verified(path: Path, into: Path, root: Path, canaries: Iterable[str] = ()) -> Iterator[Manifest]:
    """The bundle unpacked as a run folder under `into`, removed at the end. InputFault: the first reason against it."""
    with unpacked(path, into) as manifest:
        known = expected(root, manifest.split, canaries)
        try:
            with blame(BadBundle, "check"):
                _check(into, manifest, known)
        except BadBundle as fault:
            raise InputFault(f"{path.name}: cannot be read: {fault.why}") from fault
        yield manifest


def _check(into: Path, manifest: Manifest, known: Expected) -> None:
    _tasks(manifest, known)
    used: set[str] = set()
    for task, repeat in manifest.episodes:
        used |= _episode(into, task, repeat, manifest, known)
    _blobs(manifest, used)
    _texts(into, manifest, known)
    _run_head(into, manifest, known)


def _tasks(manifest: Manifest, known: Expected) -> None:
    if not manifest.tasks:
        raise InputFault(f"{bundle.MANIFEST}: field tasks: none")
    for name, revision in manifest.tasks.items():
        if name not in known.tasks:
            raise InputFault(f"task {name!r:.100}: no task of the {manifest.split} split")
        if revision != known.tasks[name].revision:
            raise InputFault(f"task {name}: revision {revision}; it is at revision {known.tasks[name].revision}")
        _sites(known.tasks[name], manifest, known)
    missing = sorted(set(known.tasks) - set(manifest.tasks))
    if missing and manifest.split == "private":
        raise InputFault(f"task {missing[0]}: missing; a submission has every task of the split")
    folders = {name.split("/")[1] for name in manifest.members if name.startswith("episodes/")}
    for folder in sorted(folders - {f"{name}~{repeat}" for name, repeat in manifest.episodes}):
        task, _, repeat = folder.rpartition("~")
        raise InputFault(f"task {task!r:.100}: has an episode (repeat {repeat}), and is not among the tasks")


def _sites(task: Task, manifest: Manifest, known: Expected) -> None:
    if manifest.split == "public" and manifest.track == LIVE and not manifest.sites:
        return  # no site of ours was there: what was loaded is in the archives, if it was captured
    for site in taskfiles.sites_of(task):
        if manifest.sites.get(site) != known.sites.get(site):
            theirs = str(manifest.sites.get(site, "none"))[:12]
            raise InputFault(f"site {site}: digest {theirs}; it is {known.sites.get(site, 'none')[:12]} here")


def _episode(into: Path, task: str, repeat: int, manifest: Manifest, known: Expected) -> set[str]:
    """Check one episode; the blobs that its steps name."""
    base = base_of(task, repeat)
    folder = into / base
    evidence = _evidence(folder, base)
    named = (("task", task), ("revision", known.tasks[task].revision), ("repeat", repeat), ("attempt", 1))
    for field, wanted in named:
        if getattr(evidence, field) != wanted:
            raise InputFault(f"{base}/evidence.json: field {field}: {getattr(evidence, field)!r:.100}, not {wanted!r}")
    steps = list(_steps(folder, base))
    if len(steps) != evidence.steps:
        raise InputFault(f"{base}: {len(steps)} steps, evidence.json says {evidence.steps}")
    last = digest(steps[-1]) if steps else ""
    if last != evidence.digests.get("trajectory", ""):
        raise InputFault(f"{base}: the hash of the last step is not the one that evidence.json names")
    _answer(evidence, steps, base)
    _budget(steps, known.tasks[task], base)
    images = {seen.image for step in steps for seen in (step.saw, step.then) if seen.image}
    for image in images:
        if f"blobs/{image[:2]}/{image}" not in manifest.members:
            raise InputFault(f"{base}: a step names blob {image[:12]}, which is missing")
    _attached(evidence, base, manifest, folder)
    _captured(base, manifest, folder)
    _tasks_collect(evidence, known.tasks[task], base)
    return images


def _evidence(folder: Path, base: str) -> Evidence:
    path = folder / "evidence.json"
    if not path.is_file() or not (folder / "trajectory.jsonl").is_file():
        raise InputFault(f"{base}: evidence.json or trajectory.jsonl is missing")
    evidence = load(Evidence, strict.read(path.read_bytes(), f"{base}/evidence.json"), f"{base}/evidence.json")
    if evidence.ending is Ending.INFRA:
        raise InputFault(f"{base}: ended as {evidence.ending}; such an episode is run again, not handed in")
    return evidence


def _steps(folder: Path, base: str) -> Iterator[Step]:
    last = ""
    for number, (_, row) in enumerate(strict.lines(folder / "trajectory.jsonl", f"{base}/trajectory.jsonl")):
        step = load(Step, row, f"{base}/trajectory.jsonl: step {number}")
        if step.index != number or step.prev != last:
            raise InputFault(f"{base}: the hash chain is broken at step {number}")
        last = digest(step)
        yield step


def _answer(evidence: Evidence, steps: list[Step], base: str) -> None:
    """What was handed in is what the last step says; without a submit there is no answer."""
    submits = [step for step in steps if step.did.name == "submit"]
    if evidence.ending is Ending.SUBMITTED and not (submits and submits[-1] is steps[-1]):
        raise InputFault(f"{base}: ended as submitted, and the last step is no submit")
    said = submits[-1].did.args if submits else {}
    for field in ("answer", "unachievable"):
        if getattr(evidence, field) != str(said.get(field) or ""):
            raise InputFault(f"{base}: field {field} of evidence.json is not what the submit step says")


def _budget(steps: list[Step], task: Task, base: str) -> None:
    most = task.budget.steps
    if most and sum(step.did.name != "submit" for step in steps) > most:
        raise InputFault(f"{base}: {len(steps)} steps, the task allows {most}")
    if steps and steps[-1].did.name == "submit" and steps[-1].then != Observation(text="submitted"):
        raise InputFault(f"{base}: what follows a submit is not what a session writes")


def _attached(evidence: Evidence, base: str, manifest: Manifest, folder: Path) -> None:
    named: dict[str, tuple[object, object]] = {file.path: (file.size, file.sha256) for file in evidence.files}
    found = evidence.findings.get("collected")
    for entry in found.values() if isinstance(found, Mapping) else ():
        if isinstance(entry, Mapping):
            named[str(entry.get("path"))] = (entry.get("size"), entry.get("sha256"))
    for path, wanted in named.items():
        if manifest.members.get(f"{base}/{path}") != wanted:
            raise InputFault(f"{base}: file {path!r:.100} is missing, or is not what evidence.json says")
    for name in manifest.members:
        inner = name.removeprefix(f"{base}/")
        if inner != name and inner.startswith(("files/", "collected/")) and inner not in named:
            raise InputFault(f"{base}: {inner!r:.100} is in no evidence")
    logs.check(evidence, base, folder)


def _captured(base: str, manifest: Manifest, folder: Path) -> None:
    inner = {name.removeprefix(f"{base}/") for name in manifest.members if name.startswith(f"{base}/archive/")}
    if inner and manifest.track != LIVE:
        raise InputFault(f"{base}: an archive in a run on track {manifest.track!r:.40}; only a live run has them")
    if inner:
        captured.check(folder, base, inner)


def _tasks_collect(evidence: Evidence, task: Task, base: str) -> None:
    entries = evidence.findings.get("collected")
    there = set(entries) if isinstance(entries, Mapping) else set()
    wanted = {item.name for item in task.collect}
    if evidence.ending in (Ending.SUBMITTED, Ending.GAVE_UP, Ending.LIMIT) and there != wanted:
        raise InputFault(f"{base}: collected {sorted(there)}, the task names {sorted(wanted)}")


def _blobs(manifest: Manifest, used: set[str]) -> None:
    for name, (_, sha) in manifest.members.items():
        if name.startswith("blobs/") and name != f"blobs/{sha[:2]}/{sha}":
            raise InputFault(f"{name}: a blob that is not what its name says")
    for name in manifest.members:
        if name.startswith("blobs/") and name.rpartition("/")[2] not in used:
            raise InputFault(f"{name}: a blob that no step names")


def _texts(into: Path, manifest: Manifest, known: Expected) -> None:
    canaries = [canary.lower().encode() for canary in known.canaries]
    _clean(bundle.MANIFEST, [canonical(manifest)], canaries)
    for name in manifest.members:
        if not is_closed(name):
            _clean(name, texts(into / name), canaries)


def _clean(name: str, found: Iterable[bytes], canaries: list[bytes]) -> None:
    for text in found:
        if kind := secrets.found(text):
            raise InputFault(f"{name}: holds what looks like {kind}")
        small = text.lower() if canaries else b""
        if any(canary in small for canary in canaries):
            raise InputFault(f"{name}: holds a secret canary: sealed text got out")


def _run_head(into: Path, manifest: Manifest, known: Expected) -> None:
    """run.json, so that everything that reads runs reads this one too. The tasks are this checkout's own."""
    tasks = [_head_row(known.tasks[name]) for name in manifest.tasks]
    told = manifest.head.get("config")
    config = {**(told if isinstance(told, Mapping) else {}), "split": manifest.split}
    head = {**manifest.head, "format": FORMAT, "id": manifest.run, "tasks": tasks, "repeat": manifest.repeat}
    plan = tuple(manifest.episodes)
    write_json(into / "run.json", {**head, "config": config, "key_given": False, "plan": plan})


def _head_row(task: Task) -> dict[str, Any]:
    row = plain(task)
    assert isinstance(row, dict)
    return {**row, "difficulty": difficulty(task.labels)}
