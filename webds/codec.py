"""Records to and from JSON: validated reading, canonical writing, and the hash over canonical bytes.

Canonical JSON here is UTF-8, keys sorted, no white space, no NaN: content is hashed, provenance is not.
"""

import dataclasses
import hashlib
import json
from collections.abc import Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from webds.errors import InputFault
from webds.types import Json


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def load[T](kind: type[T], data: object, where: str) -> T:
    """`data` (from JSON or TOML) as a `kind`. Raises InputFault: one line with `where`, the field and the reason."""
    try:
        value: T = _adapter(kind).validate_python(data)  # type: ignore[arg-type] # mypy: type[T] is hashable
    except ValidationError as error:
        field, why = _reasons(error)[0]
        raise InputFault(f"{where}: field {field}: {why}") from error
    return value


def faults(kind: type, data: object) -> list[tuple[str, str]]:
    """(field, reason) of all that keeps `data` from being a `kind`, one for each field of a field."""
    try:
        _adapter(kind).validate_python(data)
    except ValidationError as error:
        return _reasons(error)
    return []


def _reasons(error: ValidationError) -> list[tuple[str, str]]:
    found: dict[tuple[int | str, ...], tuple[str, str]] = {}
    for item in error.errors(include_url=False):
        field = ".".join(str(part) for part in item["loc"] if not str(part).startswith(("dict[", "tuple["))) or "-"
        found.setdefault(item["loc"][:2], (field, item["msg"]))  # deeper, a union names each of its types
    return list(found.values())


def plain(value: object) -> Json:
    """A record, or anything made of records, as plain JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(plain(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"not JSON: {type(value).__name__}")


def canonical(value: object) -> bytes:
    """Canonical JSON bytes of a record or JSON value. Raises ValueError for NaN and infinities."""
    text = json.dumps(plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def digest(value: object) -> str:
    """sha256 (hex) over `canonical(value)`."""
    return hashlib.sha256(canonical(value)).hexdigest()


def sha256(data: bytes) -> str:
    """sha256 of bytes, hex."""
    return hashlib.sha256(data).hexdigest()


def loads(text: str | bytes, where: str) -> Any:
    """JSON text to values. Raises InputFault naming `where` and the line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputFault(f"{where}: not JSON: {error}") from error
