"""Sealed files, tasks_private/<group>/<task id>.sealed.json: a head in clear and a box for the operator.

    {"format": 1, "head": {task, sites, verified}, "content": sha256, "sealed_to": public key, "box": base64}

`content` is the sha256 of the sealed content: the same plaintext is not sealed twice, and an opened box is compared.
"""

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from nacl.public import PrivateKey, PublicKey

from webds.codec import load, sha256
from webds.errors import InputFault
from webds.files import read_json, write_json
from webds.seal import box
from webds.seal.content import Content, Head, group_of, head_digest, read_packed
from webds.suites.taskfiles import PRIVATE, SEALED
from webds.types import STRICT

PUBLIC_KEY = "operator.pub"
"""In tasks_private: the public half, 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """One sealed file."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    format: int = 1
    head: Head
    content: str
    sealed_to: str
    box: str

    def raw(self) -> bytes:
        """The box's bytes. InputFault: not base64."""
        try:
            return base64.b64decode(self.box, validate=True)
        except binascii.Error as error:
            raise InputFault(f"task {self.head.task.id}: field box: not base64") from error


def operator_key(root: Path) -> PublicKey:
    """The public key that this checkout seals to."""
    return box.public_key(root / PRIVATE / PUBLIC_KEY)


def files(root: Path) -> list[Path]:
    """Every sealed file of the checkout."""
    return sorted((root / PRIVATE).glob(f"*/*{SEALED}"))


def path_of(root: Path, head: Head) -> Path:
    """Where the task's sealed file lies."""
    return root / PRIVATE / group_of(head.task) / f"{head.task.id}{SEALED}"


def read(path: Path) -> Sealed:
    """One sealed file. InputFault names file and field."""
    found = load(Sealed, read_json(path), str(path))
    if found.format != 1:
        raise InputFault(f"{path}: field format: {found.format}; this webds reads format 1")
    if path.name != f"{found.head.task.id}{SEALED}":
        raise InputFault(f"{path}: field head.task.id: {found.head.task.id!r:.100} is not what the file is named after")
    return found


def seal(head: Head, canary: str, plain: dict[str, bytes], to: PublicKey) -> Sealed:
    """Head and box of one task."""
    packed = Content(canary=canary, head=head_digest(head), files=plain).packed()
    shut = base64.b64encode(box.shut(packed, to)).decode()
    return Sealed(head=head, content=sha256(packed), sealed_to=bytes(to).hex(), box=shut)


def write(root: Path, sealed: Sealed) -> Path:
    """Keep it in its place."""
    path = path_of(root, sealed.head)
    write_json(path, sealed)
    return path


def unseal(sealed: Sealed, key: PrivateKey) -> Content:
    """The content. InputFault: another key, damaged, or the head is not the one that it was sealed with."""
    where = f"task {sealed.head.task.id}"
    try:
        packed = box.opened(sealed.raw(), key)
    except InputFault as error:
        raise InputFault(f"{where}: {error}") from error
    content = read_packed(packed, where)
    if sha256(packed) != sealed.content:
        raise InputFault(f"{where}: field content: the box holds something else than the head says")
    if content.head != head_digest(sealed.head):
        raise InputFault(f"{where}: field head: was changed after the task was sealed")
    return content
