"""What has changed on the live web since an archive was made: status, title, tables, and values that tasks rely on."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
from bs4 import BeautifulSoup

from webds_recorder.archive import ArchiveReader, Row
from webds_recorder.crawl import AGENT, Robots
from webds_recorder.derive import decoded
from webds_recorder.exchange import header

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What of a page is compared. `status` 0 means that it could not be fetched, `why` says the reason."""

    status: int
    title: str = ""
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()
    text: str = ""
    why: str = ""


def look(status: int, html: bytes) -> Seen:
    """A page as title, tables (rows of cell texts) and text."""
    soup = BeautifulSoup(html, "lxml")
    tables = tuple(
        tuple(tuple(_words(cell.get_text(" ")) for cell in row.find_all(["td", "th"])) for row in table.find_all("tr"))
        for table in soup.find_all("table")
    )
    title = soup.title.get_text() if soup.title else ""
    return Seen(status=status, title=_words(title), tables=tables, text=_words(soup.get_text(" ")))


def changes(old: Seen, new: Seen, values: Sequence[str] = ()) -> Iterator[str]:
    """What differs, a few words each."""
    if new.why:
        yield f"cannot be fetched: {new.why}"
        return
    if old.status != new.status:
        yield f"status {old.status} -> {new.status}"
    if old.title != new.title:
        yield f"title {_short(old.title)} -> {_short(new.title)}"
    yield from _tables(old, new)
    for value in values:
        if value in old.text and value not in new.text:
            yield f"value {_short(value)} is gone"


def _tables(old: Seen, new: Seen) -> Iterator[str]:
    if len(old.tables) != len(new.tables):
        yield f"{len(old.tables)} tables -> {len(new.tables)}"
        return
    for number, (before, after) in enumerate(zip(old.tables, new.tables, strict=True), start=1):
        if len(before) != len(after):
            yield f"table {number}: {len(before)} rows -> {len(after)}"
        changed = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
        if changed:
            a, b = (" | ".join(row) for row in changed[0])
            yield f"table {number}: {len(changed)} rows differ, first {_short(a)} -> {_short(b)}"


def pages(archive: ArchiveReader) -> Iterator[Row]:
    """The pages that are compared: answers to GET with HTML, the last capture of each."""
    last = {
        row.request.url: row for row in archive.rows() if row.method == "GET" and row.kind == "http" and _is_html(row)
    }
    yield from last.values()


def _is_html(row: Row) -> bool:
    return header(row.headers, "content-type").startswith("text/html") and row.status not in range(300, 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the live web is asked. `origins`: host -> another address; `delay` in seconds between pages."""

    origins: Mapping[str, str]
    delay: float
    insecure: bool = False
    robots: bool = True


async def drift(
    archive: ArchiveReader, manner: Manner, values: Sequence[str]
) -> AsyncIterator[tuple[str, list[str] | None]]:
    """Each archived page with what has changed on it (nothing: an empty list; None: robots.txt forbids to ask)."""
    robots = Robots()
    async with httpx.AsyncClient(
        verify=not manner.insecure, timeout=httpx.Timeout(30), headers={"user-agent": AGENT}, follow_redirects=False
    ) as client:
        for row in pages(archive):
            url = row.request.url
            if manner.robots and not robots.knows(url):
                robots.learn(url, *await _text(client, robots.address(url), manner.origins))
            if manner.robots and not robots.may(url):
                yield url, None
                continue
            headers, body = decoded(row.headers, archive.body(row))
            old = look(row.status, body) if not header(headers, "content-encoding") else Seen(status=row.status)
            yield url, list(changes(old, await _fetch(client, url, manner.origins), values))
            await asyncio.sleep(max(manner.delay, robots.delay(url) if manner.robots else 0))


async def _text(client: httpx.AsyncClient, url: str, origins: Mapping[str, str]) -> tuple[int, str]:
    """Status and text of robots.txt; 0 where there is no answer."""
    try:
        got = await _get(client, url, origins)
    except httpx.HTTPError:
        return 0, ""
    return got.status_code, got.text


async def _fetch(client: httpx.AsyncClient, url: str, origins: Mapping[str, str]) -> Seen:
    try:
        got = await _get(client, url, origins)
    except httpx.HTTPError as error:
        return Seen(status=0, why=f"{type(error).__name__} {error}".strip())
    return look(got.status_code, got.content)


async def _get(client: httpx.AsyncClient, url: str, origins: Mapping[str, str]) -> httpx.Response:
    parts = urlsplit(url)
    origin = origins.get(parts.hostname or "")
    headers = {"host": parts.netloc, "x-forwarded-proto": parts.scheme} if origin else {}
    target = origin + url.removeprefix(f"{parts.scheme}://{parts.netloc}") if origin else url
    return await client.get(target, headers=headers)


def _words(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")
