"""A stranger's zip into a folder of ours. Nothing is believed that the zip says of itself."""

import hashlib
import shutil
import stat
import unicodedata
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webds.errors import Fault, InputFault, blame
from webds.submit import bundle
from webds.submit.bundle import MANIFEST, Manifest

_CHUNK = 1 << 16


class BadBundle(Fault):
    """Reading the zip raised: the bundle is damaged."""


@contextmanager
def unpacked(path: Path, into: Path) -> Iterator[Manifest]:
    """The manifest, with everything that it lists under `into`, which is made here and removed at the end.

    InputFault: one line with the first reason why this is no bundle.
    """
    into.mkdir(parents=True)
    try:
        try:
            with blame(BadBundle, "read"):
                manifest = _unpack(path, into)
        except BadBundle as fault:
            raise InputFault(f"{path.name}: not a readable zip: {fault.why}") from fault
        yield manifest
    finally:
        shutil.rmtree(into, ignore_errors=True)


def _unpack(path: Path, into: Path) -> Manifest:
    if path.stat().st_size > bundle.MOST_BYTES:
        raise InputFault(f"{path.name}: larger than {bundle.MOST_BYTES >> 20} MB")
    with zipfile.ZipFile(path) as archive:
        infos = _listed(archive)
        if MANIFEST not in infos:
            raise InputFault(f"{path.name}: {MANIFEST} is missing")
        manifest = bundle.read_manifest(b"".join(_bytes(archive, infos[MANIFEST])))
        _same_members(infos, manifest)
        for name, (size, digest) in manifest.members.items():
            _extract(archive, infos[name], into / name, size, digest)
    return manifest


def _listed(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    if len(infos) > bundle.MOST_MEMBERS:
        raise InputFault(f"{len(infos)} members; a bundle has at most {bundle.MOST_MEMBERS}")
    found: dict[str, zipfile.ZipInfo] = {}
    folded: dict[str, str] = {}
    for info in infos:
        if info.orig_filename in found:
            raise InputFault(f"member {info.orig_filename!r:.200}: stands twice")
        if why := _member_fault(info):
            raise InputFault(f"member {info.orig_filename!r:.200}: {why}")
        fold = unicodedata.normalize("NFC", info.filename).casefold()
        if fold in folded:
            raise InputFault(f"member {info.filename!r:.200}: differs from {folded[fold]!r:.200} in case only")
        found[info.filename], folded[fold] = info, info.filename
    if sum(info.file_size for info in infos) > bundle.MOST_UNPACKED:
        raise InputFault(f"unpacks to more than {bundle.MOST_UNPACKED >> 20} MB")
    return found


def _member_fault(info: zipfile.ZipInfo) -> str:
    if why := bundle.path_fault(info.orig_filename):
        return why
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "a link" if kind == stat.S_IFLNK else "not a plain file"
    if info.flag_bits & 1:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"packed by method {info.compress_type}; known: stored, deflated"
    if info.file_size > bundle.MOST_MEMBER:
        return f"larger than {bundle.MOST_MEMBER >> 20} MB"
    if info.file_size > 1 << 20 and info.file_size > bundle.MOST_RATIO * max(1, info.compress_size):
        return f"unpacks to more than {bundle.MOST_RATIO} times its size"
    return ""


def _same_members(infos: dict[str, zipfile.ZipInfo], manifest: Manifest) -> None:
    for name in manifest.members:
        if name not in infos:
            raise InputFault(f"member {name!r:.200}: listed, but missing")
    for name in infos:
        if name != MANIFEST and name not in manifest.members:
            raise InputFault(f"member {name!r:.200}: not listed in {MANIFEST}")


def _bytes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The member's bytes, stopped where there are more than it said."""
    left = info.file_size
    with archive.open(info) as file:
        while chunk := file.read(min(_CHUNK, left + 1)):
            left -= len(chunk)
            if left < 0:
                raise InputFault(f"member {info.filename!r:.200}: longer than it says")
            yield chunk


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, size: int, digest: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    hasher, count = hashlib.sha256(), 0
    with target.open("xb") as file:
        for chunk in _bytes(archive, info):
            hasher.update(chunk)
            count += len(chunk)
            file.write(chunk)
    if count != size or hasher.hexdigest() != digest:
        raise InputFault(f"member {info.filename!r:.200}: does not match the sha256 of {MANIFEST}")
