"""The messages of one call, made from versioned Jinja2 files. What stays comes first: an endpoint may cache it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from webds.codec import sha256
from webds.models.prompts import engine, image_part, text_part

_FOLDER = Path(__file__).parent / "prompts"
_VERSION = re.compile(r"\{#-? version: (\d+) -?#\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template with its stamp: `<name>@<version>` and the hash of the file."""

    name: str
    version: str
    digest: str

    @property
    def stamp(self) -> dict[str, str]:
        """For run.json."""
        return {"name": self.name, "version": self.version, "sha256": self.digest}

    def messages(self, values: Mapping[str, Any], image: bytes | None) -> list[dict[str, Any]]:
        """A system and a user message; `image` is a PNG."""
        system, _, user = _template(self.name).render(**values).partition("\n=====\n")
        text = user.strip()
        content: Any = text if image is None else [text_part(text), image_part(image)]
        return [{"role": "system", "content": system.strip()}, {"role": "user", "content": content}]


@cache
def _template(name: str) -> Any:
    return engine(_FOLDER, trim=True).get_template(f"{name}.j2")


@cache
def prompt(name: str) -> Prompt:
    """The prompt of this name."""
    data = (_FOLDER / f"{name}.j2").read_bytes()
    found = _VERSION.search(data.decode())
    assert found is not None, f"{name}.j2 names no version"
    return Prompt(name, found.group(1), sha256(data))
