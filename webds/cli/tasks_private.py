"""`webds tasks seal|unseal|audit --split private`: private tasks in and out of their sealed boxes (docs/sealing.md)."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from webds import __version__
from webds import config as settings
from webds.cli.hovering import pointer
from webds.codec import sha256
from webds.errors import InputFault
from webds.seal import box, proof, sealed
from webds.seal.audit import audit as find_faults
from webds.seal.content import Head, read_folder, write_folder
from webds.seal.leaks import looked_for
from webds.suites.taskfiles import sites_of
from webds.tracks.archives import site_digest
from webds.tracks.siteapps import fetch_from
from webds.tracks.sites import pick
from webds.types import Json, Task

Split = Annotated[str, typer.Option(help="private: the only split that is sealed.")]
Ids = Annotated[list[str] | None, typer.Argument(help="Tasks by id; default: all.")]
Root = Annotated[str, typer.Option(help="Checkout; default: the nearest parent.")]
_KEY = "WEBDS_PRIVATE_KEY_FILE: not set; wanted the file with the operator's secret key"


def seal(
    tasks: Ids = None,
    split: Split = "private",
    proofs: Annotated[list[Path] | None, typer.Option("--proof", help="Run of oracle or nop; give both.")] = None,
    reviews: Annotated[bool, typer.Option("--reviews/--no-reviews", help="Ask for an agreeing review a task.")] = True,
    tips: Annotated[bool, typer.Option("--tips/--no-tips", help="Look at tips, with a real pointer.")] = True,
    root: Root = "",
) -> None:
    """Verify private tasks of WEBDS_PRIVATE_DIR and seal them. On a fault nothing is sealed and the exit code is 1."""
    _only_private(split)
    where = settings.find_root(root)
    folder = settings.private_folder(where)
    wanted = _folders(folder, tasks or ())
    faults, settings_of = _verified(where, folder, {path.name for path in wanted}, reviews=reviews, tips=tips)
    words = proof.proofs(proofs or ())
    read = {path.name: read_folder(path) for path in wanted}
    if proofs:
        for name, (task, _, _) in read.items():
            faults += proof.faults(name, task.revision, settings_of.get(name, ""), words.get(name, {}))
    for line in faults:
        typer.echo(line)
    if faults:
        typer.echo(f"{len(faults)} faults: nothing was sealed", err=True)
        raise typer.Exit(1)
    stamp: dict[str, Json] = {"by": f"webds tasks seal {__version__}", "reviews": reviews, "tips": tips}
    to = sealed.operator_key(where)
    for name, (task, canary, plain) in read.items():
        proved = {agent: word["run"] for agent, word in words.get(name, {}).items() if isinstance(word, Mapping)}
        told: dict[str, Json] = {**stamp, "proofs": proved, "canary": sha256(canary.encode())}
        typer.echo(_seal_one(where, task, canary, plain, told, to))


def _seal_one(root: Path, task: Task, canary: str, plain: dict[str, bytes], stamp: dict[str, Json], to: Any) -> str:
    """Seal one task, unless its file holds this very plaintext, head and key already."""
    sites = {site.name: site_digest(root, site) for site in pick(root, sites_of(task))}
    head = Head(task=task, sites=sites, verified={**stamp, "at": datetime.now(UTC).isoformat(timespec="seconds")})
    path = sealed.path_of(root, head)
    if path.is_file():
        old = sealed.read(path)
        same = Head(task=task, sites=sites, verified={**stamp, "at": old.head.verified.get("at", "")})
        again = sealed.seal(same, canary, plain, to)
        if (again.content, again.sealed_to) == (old.content, old.sealed_to):
            return f"{path.relative_to(root)}: unchanged"
    return f"{sealed.write(root, sealed.seal(head, canary, plain, to)).relative_to(root)}: sealed"


def _verified(
    root: Path, private: Path, names: set[str], *, reviews: bool, tips: bool
) -> tuple[list[str], dict[str, str]]:
    """(faults of the named tasks, task -> settings that the judge stamps under today's key)."""
    validate: Callable[..., list[Any]] = import_module("webds_judge.validate").validate
    with proof.overlay(root, private) as place, pointer(root, None, wanted=tips) as hover:
        found = validate(place, fetch_from(root), hover=hover, with_reviews=reviews)
        ring = import_module("webds_judge.keys").KeyRing(place, strict=False)
        stamped = import_module("webds_judge.grade").settings_of
        words = {task: stamped(ring.key(task)) for task in ring.tasks()}
    here = [item for item in found if item.task in names or Path(item.file).parent.name in names]
    return [f"{Path(item.file).name}: {item.task}: {item.field}: {item.problem}" for item in here], words


def unseal(
    tasks: Ids = None,
    split: Split = "private",
    force: Annotated[bool, typer.Option(help="Write over plaintext that is there.")] = False,
    root: Root = "",
) -> None:
    """Write the plaintext of sealed tasks to WEBDS_PRIVATE_DIR, with the key of WEBDS_PRIVATE_KEY_FILE."""
    _only_private(split)
    where = settings.find_root(root)
    folder = settings.private_folder(where)
    file = settings.private_key_file()
    if file is None:
        raise InputFault(_KEY)
    key = box.private_key(file)
    for item in _picked([sealed.read(path) for path in sealed.files(where)], tasks or ()):
        target = folder / item.head.task.id
        if target.exists() and not force:
            raise InputFault(f"{target}: is there already; write over it with --force")
        write_folder(target, sealed.unseal(item, key))
        typer.echo(f"{target}: unsealed")


def audit(split: Split = "private", root: Root = "") -> None:
    """Check the sealed tasks; with WEBDS_PRIVATE_KEY_FILE also what is in their boxes. Exit 1 on a fault."""
    _only_private(split)
    where = settings.find_root(root)
    file = settings.private_key_file()
    faults = find_faults(where, box.private_key(file) if file is not None else None)
    for line in faults:
        typer.echo(line)
    looked = "heads and boxes" if file is not None else "heads; boxes need WEBDS_PRIVATE_KEY_FILE"
    typer.echo(f"{len(sealed.files(where))} sealed tasks, {len(faults)} faults ({looked})")
    if faults:
        raise typer.Exit(1)


def leaks(
    path: Annotated[Path, typer.Argument(help="Folder or file to look through.", exists=True)],
    root: Root = "",
) -> None:
    """Look for canaries out of place and, with WEBDS_PRIVATE_KEY_FILE, for sealed texts. Exit 1 if there are."""
    where = settings.find_root(root)
    file = settings.private_key_file()
    found = looked_for(path, where, box.private_key(file) if file is not None else None)
    for line in found.lines:
        typer.echo(line)
    for line in found.checked:
        typer.echo(line)
    if found.lines:
        raise typer.Exit(1)


def _only_private(split: str) -> None:
    if split != "private":
        raise InputFault(f"--split {split}: only private tasks are sealed; known: private")


def _folders(private: Path, names: list[str] | tuple[()]) -> list[Path]:
    every = {path.parent.name: path.parent for path in sorted(private.glob("*/tasks.toml"))}
    for name in names:
        if name not in every:
            raise InputFault(f"no task {name!r:.100} in {private}; known: {', '.join(every) or 'none'}")
    if not every:
        raise InputFault(f"WEBDS_PRIVATE_DIR: {private}: no <task id>/tasks.toml in it")
    return [every[name] for name in names] or list(every.values())


def _picked(items: list[sealed.Sealed], names: list[str] | tuple[()]) -> list[sealed.Sealed]:
    every = {item.head.task.id: item for item in items}
    for name in names:
        if name not in every:
            raise InputFault(f"no sealed task {name!r:.100}; known: {', '.join(every) or 'none'}")
    return [every[name] for name in names] or list(every.values())
