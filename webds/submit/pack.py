"""A run folder as a bundle: complete, scrubbed, and linked anew where something was scrubbed."""

import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from webds.codec import canonical, digest, load, plain, sha256
from webds.errors import InputFault
from webds.runner.plan import read_tasks
from webds.store import Committed, RunFolder, read_lines
from webds.submit import bundle, captured, secrets
from webds.submit.bundle import FORMAT, MANIFEST, Manifest, base_of, is_closed
from webds.submit.texts import texts
from webds.types import Ending, Evidence, Step

_HEAD = ("id", "created", "suite", "track", "agent", "repeat", "versions", "declares")
_FACTS = ("provider", "isolation", "sandbox", "sites", "archives", "layers")
_CONFIG = ("viewport", "device_scale", "colour_scheme", "screenshot", "locale", "zone", "sandbox", "split")
_STAMP = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, team: str, to: Path, told: Callable[[str], None] = lambda _: None) -> Manifest:
    """Write the bundle of the run in `folder`. `told` hears of each member that keeps a home path.

    InputFault: not complete, made with the key, it holds too much, or a key where nothing can be scrubbed.
    """
    run = RunFolder.view(folder)
    tries = list(_tries(run))
    counts: Counter[str] = Counter()
    members: dict[str, bytes] = {}
    for item in tries:
        members |= _try_members(item, counts, told)
    for name in sorted({image for data in _trajectories(members) for image in images(data)}):
        members[f"blobs/{name[:2]}/{name}"] = _blob(run.path, name)
    if sum(map(len, members.values())) > bundle.MOST_UNPACKED or len(members) >= bundle.MOST_MEMBERS:
        raise InputFault(f"{folder}: more than a bundle holds: {len(members)} files")
    manifest = _manifest(run, team, counts, members)
    if to.exists():
        raise InputFault(f"{to}: is there already; choose another --to")
    _write(to, manifest, members)
    if to.stat().st_size > bundle.MOST_BYTES:
        to.unlink()
        raise InputFault(f"{folder}: its bundle is larger than {bundle.MOST_BYTES >> 20} MB")
    return manifest


def _tries(run: RunFolder) -> Iterator[Committed]:
    """The counted try of every task and repeat. InputFault names what is not there."""
    head, where = run.head, str(run.path)
    if head.get("key_given"):
        raise InputFault(f"{where}: the key was given to this run (agent {head.get('agent')}); it is no score")
    repeat = int(head.get("repeat", 1))
    if head.get("shard"):
        raise InputFault(f"{where}: one shard of a run; put its shards together first: webds merge")
    if repeat > bundle.MOST_REPEATS:
        raise InputFault(f"{where}: --repeat {repeat}; a submission has at most {bundle.MOST_REPEATS} repeats")
    if run.in_use():
        raise InputFault(f"{where}: is still running")
    found = {item.key: item for item in run.committed()}
    for key in ((task.id, number) for number in range(repeat) for task in read_tasks(head, where)):
        if key not in found or found[key].evidence.ending is Ending.INFRA:
            again = f" (repeat {key[1]})" if repeat > 1 else ""
            say = f"go on with: webds run --resume {where}"
            raise InputFault(f"{where}: task {key[0]} has no finished episode{again}; {say}")
        yield found[key]


def _try_members(item: Committed, counts: Counter[str], told: Callable[[str], None]) -> dict[str, bytes]:
    """Path -> bytes of one try, with the chain and the evidence's digests made anew over what was scrubbed."""
    base = base_of(*item.key)
    steps, last = _linked(item.folder / "trajectory.jsonl", counts)
    log = _scrubbed_lines(item.folder / "requests.jsonl", counts)
    whole = plain(item.evidence)
    assert isinstance(whole, dict)
    value = {**secrets.scrub(whole, counts), "files": whole["files"]}  # a file's name and digest are its own
    sums = {**value["digests"], "trajectory": last, "requests": sha256(log) if log else ""}
    files = [file for file in item.evidence.files if (item.folder / file.path).is_file()]
    evidence = load(Evidence, {**value, "digests": sums, "attempt": 1}, base)
    out = {f"{base}/evidence.json": canonical(evidence) + b"\n", f"{base}/trajectory.jsonl": steps}
    out[f"{base}/timings.jsonl"] = _scrubbed_lines(item.folder / "timings.jsonl", counts)
    if log:
        out[f"{base}/requests.jsonl"] = log
    for path in (*(file.path for file in files), *collected(item.evidence), *_archive(item.folder)):
        _as_it_is(item.folder, path, f"{base}/{path}", told)
        out[f"{base}/{path}"] = (item.folder / path).read_bytes()
    for path in out:
        if why := bundle.path_fault(path):
            raise InputFault(f"{path!r:.200}: {why}; a bundle cannot hold it")
    return out


def _as_it_is(folder: Path, path: str, name: str, told: Callable[[str], None]) -> None:
    """InputFault where the member's name or bytes, which are not scrubbed, hold what looks like a key."""
    said = secrets.scrub(name, Counter())
    if kind := secrets.found(name.encode("utf-8", "replace")):
        raise InputFault(f"{said}: its name holds what looks like {kind}; names are not scrubbed")
    homely = secrets.is_homely(name.encode("utf-8", "replace"))
    for text in () if is_closed(name) else texts(folder / path):
        if kind := secrets.found(text):
            raise InputFault(f"{said}: holds what looks like {kind}; a file that has a digest is not scrubbed")
        homely = homely or secrets.is_homely(text)
    if homely:
        told(said)


def _archive(folder: Path) -> list[str]:
    """What a live episode captured; none where it did not. InputFault: a secret was sent to a site."""
    if not captured.there(folder):
        return []
    if kind := captured.kept_secret(folder):
        raise InputFault(f"{folder}/archive: what was sent to a site looks like {kind}; it cannot be scrubbed there")
    return captured.members(folder)


def collected(evidence: Evidence) -> list[str]:
    """Paths of what was collected, relative to the try's folder."""
    found = evidence.findings.get("collected")
    entries = found.values() if isinstance(found, Mapping) else ()
    return [str(entry["path"]) for entry in entries if isinstance(entry, Mapping) and "path" in entry]


def _linked(path: Path, counts: Counter[str]) -> tuple[bytes, str]:
    """(lines, hash of the last): every step scrubbed, and linked to the scrubbed one before it."""
    last, out = "", []
    for row in read_lines(path):
        step = load(Step, {**secrets.scrub(row, counts), "prev": last}, str(path))
        out.append(canonical(step) + b"\n")
        last = digest(step)
    return b"".join(out), last


def _scrubbed_lines(path: Path, counts: Counter[str]) -> bytes:
    return b"".join(canonical(secrets.scrub(row, counts)) + b"\n" for row in read_lines(path))


def _trajectories(members: Mapping[str, bytes]) -> Iterator[bytes]:
    return (data for name, data in members.items() if name.endswith("/trajectory.jsonl"))


def images(trajectory: bytes) -> set[str]:
    """Blobs that the steps of a trajectory name."""
    rows = (json.loads(line) for line in trajectory.splitlines())
    return {seen["image"] for row in rows for seen in (row["saw"], row["then"]) if seen["image"]}


def _blob(run: Path, name: str) -> bytes:
    path = run / "blobs" / name[:2] / name
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputFault(f"{path}: cannot be read: {error.strerror}") from error


def site_digests(facts: Mapping[str, Any]) -> dict[str, str]:
    """Site -> digest, of a run's facts: what webds.tracks.archives.site_digest says of the checkout that made it."""
    archives, data = facts.get("archives") or {}, facts.get("sites") or {}
    return {str(name): str(archives.get(name) or digest(files)) for name, files in data.items()}


def _manifest(run: RunFolder, team: str, counts: Counter[str], members: Mapping[str, bytes]) -> Manifest:
    head = {name: run.head[name] for name in _HEAD if name in run.head}
    facts = {name: run.head.get("facts", {}).get(name) for name in _FACTS if name in run.head.get("facts", {})}
    config = {name: run.head.get("config", {}).get(name) for name in _CONFIG if name in run.head.get("config", {})}
    scrubbed = secrets.scrub({**head, "facts": facts, "config": config}, counts)
    return Manifest(
        format=FORMAT,
        team=team,
        run=str(run.head["id"]),
        split=str(run.head.get("config", {}).get("split", "public")),
        tasks={task.id: task.revision for task in read_tasks(run.head, str(run.path))},
        sites=site_digests(facts),
        head=scrubbed,
        scrubbed={kind: times for kind, times in sorted(counts.items()) if times},
        members={name: (len(data), sha256(data)) for name, data in sorted(members.items())},
    )


def _write(to: Path, manifest: Manifest, members: Mapping[str, bytes]) -> None:
    """The same run makes the same bytes: members in order, with one date."""
    part = to.with_name(f".{to.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ((MANIFEST, canonical(manifest)), *sorted(members.items())):
            archive.writestr(zipfile.ZipInfo(name, _STAMP), data, zipfile.ZIP_DEFLATED)
    part.replace(to)
