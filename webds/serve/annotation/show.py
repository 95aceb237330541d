"""An item as its page shows it: the try's steps without verdict, score, agent or model.

Agent and model names are withheld where the agent wrote them; a name that no page would hold by chance (it has a digit
or a hyphen) also in what the pages say. Screenshots are shown as they are.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from webds.annotate.book import Book
from webds.annotate.records import Item
from webds.codec import sha256
from webds.errors import InputFault
from webds.report.episode import Shot, Sight, Try, blob_path, read_page
from webds.types import Json

WITHHELD = "[withheld]"
_FILES = 200
_DISTINCT = re.compile("[0-9-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Everything of a try that a person may see."""

    steps: tuple[Shot, ...]
    """The images are addresses below `/annotate/items/<id>/blob/`."""
    answer: str
    unachievable: str
    ending: str
    files: tuple[Path, ...]
    """What the agent downloaded and made, in the order of their names."""
    images: frozenset[str]
    """Screenshots of these steps: the only blobs that the item's page may load."""
    run: Path


class Shelf:
    """Items read from their runs, the last few kept."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._read = lru_cache(maxsize=16)(self._shown)

    def show(self, name: str) -> Shown:
        """The try of an item, or of its hidden repeat, by id. InputFault: it is gone, or was changed since the plan."""
        return self._read(name)

    def _shown(self, name: str) -> Shown:
        item = self._book.item(name)
        assert item is not None
        folder = self._book.try_folder(item)
        path = folder / "evidence.json"
        if not path.is_file() or sha256(path.read_bytes()) != item.evidence:
            raise InputFault(
                "this item's recording is gone or was changed since the plan; skip it and tell the organiser"
            )
        run = folder.parents[2]
        return shown(run, folder, item, f"/annotate/items/{name}")


def shown(run: Path, folder: Path, item: Item, address: str) -> Shown:
    """The try in `folder` of `run`, its names withheld, its images below `address`."""
    page = read_page(run, folder)
    withhold, distinct = _withhold(item.names), _withhold(n for n in item.names if _DISTINCT.search(n))
    evidence = page.item.evidence if page.item else None
    return Shown(
        steps=tuple(_step(step, address, withhold, distinct) for step in page.steps),
        answer=withhold(evidence.answer if evidence else ""),
        unachievable=withhold(evidence.unachievable if evidence else ""),
        ending=evidence.ending.value.replace("_", " ") if evidence else "",
        files=tuple(_files(folder / "files")),
        images=frozenset(_image_names(page)),
        run=run,
    )


def _withhold(names: Iterable[str]) -> Callable[[str], str]:
    words = sorted({name for name in names if len(name) > 2}, key=len, reverse=True)
    if not words:
        return str
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
    return lambda text: pattern.sub(WITHHELD, text)


def _step(step: Shot, address: str, withhold: Callable[[str], str], distinct: Callable[[str], str]) -> Shot:
    return replace(
        step,
        args=tuple((name, withhold(value)) for name, value in step.args),
        code=withhold(step.code),
        result=withhold(step.result),
        saw=_sight(step.saw, address, distinct),
        then=_sight(step.then, address, distinct),
    )


def _sight(seen: Sight, address: str, distinct: Callable[[str], str]) -> Sight:
    image = f"{address}/blob/{_image(seen)}" if seen.image else ""
    return replace(
        seen, text=distinct(seen.text), url=distinct(seen.url), title=distinct(seen.title),
        refused=distinct(seen.refused), image=image,
    )  # fmt: skip


def _image(seen: Sight) -> str:
    return seen.image.rpartition("/")[2]


def _image_names(page: Try) -> Iterable[str]:
    return (_image(seen) for step in page.steps for seen in (step.saw, step.then) if seen.image)


def _files(folder: Path) -> Iterable[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return ()
    inside = folder.resolve()
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in found if path.resolve().is_relative_to(inside))[:_FILES]


def image(seen: Shown, name: str) -> bytes | None:
    """A screenshot of the item, or None where it shows no such one or the bytes are not a PNG."""
    path = blob_path(seen.run, name) if name in seen.images else None
    if path is None or not path.is_file():
        return None
    data = path.read_bytes()
    return data if data.startswith(b"\x89PNG\r\n\x1a\n") else None


def reference_lines(reference: Json) -> list[tuple[str, list[tuple[str, Json]]]]:
    """(check and kind, its other fields) of each check of the key, for people."""
    rows = reference if isinstance(reference, list | tuple) else ()
    found = []
    for row in rows:
        if isinstance(row, dict):
            rest = [(str(name), value) for name, value in row.items() if name not in ("check", "kind")]
            found.append((f"{row.get('check')} ({row.get('kind')})", rest))
    return found
