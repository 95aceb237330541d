"""Are the sealed files in order? Without the key: what lies there, heads, digests. With it: every box as well."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from nacl.public import PrivateKey

from webds.errors import InputFault
from webds.seal import box, sealed
from webds.seal.content import Content
from webds.suites.taskfiles import PRIVATE, SEALED
from webds.tracks.archives import site_digest
from webds.tracks.sites import all_sites

_CLEAR = ("README.md", sealed.PUBLIC_KEY)


def audit(root: Path, key: PrivateKey | None = None) -> list[str]:
    """One line a fault, with file or task; empty where all is well."""
    found = list(_strangers(root))
    heads: list[sealed.Sealed] = []
    for path in sealed.files(root):
        place = path.relative_to(root)
        try:
            item = sealed.read(path)
            found += (f"{place}: {why}" for why in _head_faults(root, path, item))
            heads.append(item)
        except InputFault as error:
            found.append(str(error).replace(f"{root}/", ""))
    names = [item.head.task.id for item in heads]
    found += (f"task {name}: sealed twice" for name in sorted({n for n in names if names.count(n) > 1}))
    return found + (list(_inside(heads, key)) if key is not None else [])


def _strangers(root: Path) -> Iterator[str]:
    """Files that are neither sealed nor said to be in clear."""
    folder = root / PRIVATE
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_dir() and not path.is_symlink():
            continue
        is_sealed = len(name.parts) == 2 and name.name.endswith(SEALED) and not path.is_symlink()
        if not is_sealed and str(name) not in _CLEAR:
            yield f"{PRIVATE}/{name}: not sealed; plaintext belongs outside of the checkout (WEBDS_PRIVATE_DIR)"


def _head_faults(root: Path, path: Path, item: sealed.Sealed) -> Iterator[str]:
    if path != sealed.path_of(root, item.head):
        yield f"belongs to {sealed.path_of(root, item.head).relative_to(root)}"
    if item.sealed_to != bytes(sealed.operator_key(root)).hex():
        yield f"field sealed_to: another key than that of {PRIVATE}/{sealed.PUBLIC_KEY}"
    if not box.looks_sealed(item.raw()):
        yield "field box: not sealed"
    if not item.head.verified.get("by"):
        yield "field head.verified: no verifier's stamp"
    yield from drifted(root, item.head.sites)


def drifted(root: Path, sites: Mapping[str, str]) -> Iterator[str]:
    """Sites that are not what the task was verified on."""
    known = all_sites(root)
    for name, wanted in sites.items():
        if name not in known:
            yield f"field head.sites: no site {name!r:.60}; known: {', '.join(known)}"
        elif (now := site_digest(root, known[name])) != wanted:
            yield (
                f"field head.sites: {name} is {now[:12]}, the task was verified on {wanted[:12]}: "
                "verify it again and seal it anew"
            )


def _inside(heads: list[sealed.Sealed], key: PrivateKey) -> Iterator[str]:
    seen: dict[str, str] = {}
    for item in heads:
        task = item.head.task.id
        try:
            content: Content = sealed.unseal(item, key)
        except InputFault as error:
            yield str(error)
            continue
        if content.canary in seen:
            yield f"task {task}: its secret canary is that of {seen[content.canary]} too"
        seen.setdefault(content.canary, task)
