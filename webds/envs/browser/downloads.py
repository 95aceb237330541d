"""Files that a site serves, under their true names in the work folder; never one under a temporary name."""

import asyncio
import errno
import mimetypes
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.async_api import Download, Error

from webds.codec import sha256
from webds.envs.browser.refusal import Refused

_BAD = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")


def safe_name(suggested: str) -> str:
    """A file name that stays in its folder: no separators, control characters or leading dots; at most 150 bytes."""
    name = _BAD.sub("_", suggested).strip(" .") or "download"
    stem, dot, suffix = name.rpartition(".")
    while len(name.encode()) > 150 and stem:
        stem = stem[:-1]
        name = stem + dot + suffix
    return name


def free_path(folder: Path, name: str) -> Path:
    """`name` in `folder`, or `name (2)` and so on where that is taken."""
    path, number = folder / name, 1
    while path.exists():
        number += 1
        path = folder / f"{Path(name).stem} ({number}){Path(name).suffix}"
    return path


def name_from(url: str, disposition: str, kind: str) -> str:
    """The true name: Content-Disposition (RFC 6266, RFC 5987 form first), else the path's last part."""
    extended = re.search(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", disposition, re.IGNORECASE)
    if extended:
        return safe_name(unquote(extended[2].strip(), encoding=_charset(extended[1])))
    plain = re.search(r'filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]+))', disposition, re.IGNORECASE)
    if plain:
        return safe_name(re.sub(r"\\(.)", r"\1", plain[1] if plain[1] is not None else plain[2].strip()))
    last = safe_name(unquote(urlsplit(url).path.rpartition("/")[2]))
    return last if "." in last else last + (mimetypes.guess_extension(kind.split(";", maxsplit=1)[0].strip()) or "")


def _charset(name: str) -> str:
    return name if name.lower() in ("utf-8", "iso-8859-1") else "utf-8"


@contextmanager
def _all_or_nothing(path: Path) -> Iterator[None]:
    """A work folder without room is the agent's to empty, not the end of the run; half a file is no download."""
    try:
        yield
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise Refused("the work folder is full; delete files that are not needed") from error


class Downloads:
    """The episode's downloads: `listed` has name, url, size, type and sha256 of each, in order of arrival."""

    def __init__(self, work: Path, adopt: Callable[[Path], None]) -> None:
        self.work = work
        self.listed: list[dict[str, Any]] = []
        self._adopt = adopt
        self._coming: list[asyncio.Task[str]] = []
        self._arrived = asyncio.Event()

    def began(self, download: Download) -> None:
        """A download that the page started: fetched in the background, awaited by `settle`."""
        self._arrived.set()
        self._coming.append(asyncio.create_task(self._take(download)))

    @property
    def pending(self) -> bool:
        """Whether a download is still on its way."""
        return any(not task.done() for task in self._coming)

    def expect(self) -> None:
        """A download may start from here on; `started` waits for it."""
        self._arrived.clear()

    async def started(self, seconds: float) -> None:
        """Wait until a download has started since `expect`. Refused after `seconds`."""
        try:
            await asyncio.wait_for(self._arrived.wait(), seconds)
        except TimeoutError as error:
            raise Refused(f"the file did not start to arrive within {seconds:g} s") from error

    async def settle(self, seconds: float) -> list[str]:
        """Wait for what has begun; one line for each that failed or is still coming."""
        if not self._coming:
            return []
        done, waiting = await asyncio.wait(self._coming, timeout=seconds)
        self._coming = list(waiting)
        failures = [text for task in done if (text := task.result())]
        return failures + [f"a download is still coming after {seconds:g} s" for _ in waiting]

    async def _take(self, download: Download) -> str:
        try:
            source = await download.path()
        except Error as error:
            return f"download of {download.url[:200]} failed: {error.message.splitlines()[0]}"
        path = free_path(self.work, safe_name(download.suggested_filename))
        try:
            with _all_or_nothing(path):
                await asyncio.to_thread(shutil.move, str(source), path)
        except Refused as full:
            return f"download of {download.url[:200]} failed: {full}"
        self._list(path, download.url, "")
        return ""

    def keep(self, url: str, disposition: str, kind: str, body: bytes) -> str:
        """Write what a request brought; returns its name."""
        path = free_path(self.work, name_from(url, disposition, kind))
        with _all_or_nothing(path):
            path.write_bytes(body)
        self._list(path, url, kind)
        return path.name

    def _list(self, path: Path, url: str, kind: str) -> None:
        os.chmod(path, 0o644)  # noqa: PTH101 - Playwright leaves 0600, which the tools' uid could not read
        self._adopt(path)
        size = path.stat().st_size
        said = kind.split(";", maxsplit=1)[0].strip()
        kind = said or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        row = {"name": path.name, "url": url, "size": size, "type": kind, "sha256": sha256(path.read_bytes())}
        self.listed.append(row)

    def last(self) -> dict[str, Any]:
        """The newest one. Refused if there is none."""
        if not self.listed:
            raise Refused("nothing was downloaded")
        return self.listed[-1]
