"""Archives from WARC and WACZ files (browsertrix, ArchiveWeb.page), with warcio.

An import trusts nothing: names of zip members are never used as paths, sizes are bounded before anything is unpacked:
those that a zip's directory says, and those that gzip comes to, counted once through before a record is read.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeadersParserException

from webds.errors import InputFault
from webds_recorder.exchange import Exchange, Headers, Request, events, header
from webds_recorder.scrub import Scrubber, holds_secret
from webds_recorder.warc_export import Report
from webds_recorder.warc_pairs import Half, Pairs
from webds_recorder.writer import ArchiveWriter

RECORD_CAP = 512 << 20
TOTAL_CAP = 16 << 30
"""Most bytes of one record and of one whole file that an import unpacks."""
RATIO_CAP, SMALL = 200, 1 << 20
"""What unpacks to more than RATIO_CAP times its size, and to more than SMALL bytes, is a bomb."""
_GZIP, _CHUNK = b"\x1f\x8b", 1 << 18


def import_file(file: Path, writer: ArchiveWriter, redact: tuple[str, ...] = ()) -> Report:
    """Read a .warc, .warc.gz or .wacz into an archive. InputFault: damaged, a bomb, or nothing in it."""
    report, scrubber = Report(), Scrubber(texts=redact)
    try:
        for stream in _streams(file):
            for exchange in _exchanges(stream, file, report):
                clean = scrubber.clean(exchange)
                writer.add(clean, keep_body=not holds_secret(clean.request))
                report.records += 1
    except OSError as error:
        raise InputFault(f"{file}: cannot be read: {error.strerror or error}") from error
    except (
        zipfile.BadZipFile,
        ArchiveLoadFailed,
        StatusAndHeadersParserException,
        EOFError,
        ValueError,
        zlib.error,
    ) as error:
        raise InputFault(f"{file}: damaged: {' '.join(str(error).split()) or 'cut short'}") from error
    for line in sorted(scrubber.done):
        writer.redacted(line)
    if not report.records:
        raise InputFault(f"{file}: no response that can be replayed in it")
    return report


def _streams(file: Path) -> Iterator[BinaryIO]:
    """The WARC streams in a file: itself, or the members of a WACZ below archive/."""
    left = min(TOTAL_CAP, max(SMALL, RATIO_CAP * file.stat().st_size))
    if not zipfile.is_zipfile(file):
        with file.open("rb") as handle:
            _count(handle, left, file)
            handle.seek(0)
            yield handle
        return
    with zipfile.ZipFile(file) as bundle:
        members = bundle.infolist()
        _check_members(file, members)
        wanted = [
            m for m in members if m.filename.startswith("archive/") and m.filename.endswith((".warc", ".warc.gz"))
        ]
        if not wanted:
            raise InputFault(f"{file}: no archive/*.warc.gz in it, so it is no WACZ")
        for member in wanted:
            with bundle.open(member) as handle:
                left -= _count(handle, left, file)
            with bundle.open(member) as handle:
                yield _Bounded(handle, member.file_size)  # type: ignore[misc] # only read() is used


def _count(stream: IO[bytes], most: int, file: Path) -> int:
    """Bytes that a gzip file of any number of members unpacks to; 0 for one that is none. InputFault: over `most`."""
    total, member, data = 0, None, stream.read(_CHUNK)
    while data:
        if member is None:
            if not data.startswith(_GZIP):
                break
            member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        total += len(member.decompress(data, _CHUNK))
        if total > most:
            raise InputFault(f"{file}: unpacks to over {most} bytes: a bomb")
        data = member.unused_data if member.eof else member.unconsumed_tail
        member = None if member.eof else member
        data += stream.read(_CHUNK) if len(data) < len(_GZIP) else b""
    return total


class _Bounded(io.RawIOBase):
    """No more bytes than the member says: a lying directory entry ends as a damaged file."""

    def __init__(self, inner: Any, size: int) -> None:
        self._inner, self._left = inner, size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._inner.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _check_members(file: Path, members: list[zipfile.ZipInfo]) -> None:
    total = 0
    for member in members:
        name = member.filename
        if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or ":" in name:
            raise InputFault(f"{file}: member {name!r} points outside of the file")
        total += member.file_size
        packed = max(member.compress_size, 1)
        if total > TOTAL_CAP or (member.file_size > SMALL and member.file_size / packed > RATIO_CAP):
            raise InputFault(f"{file}: member {name!r} unpacks to {member.file_size} bytes from {packed}: a zip bomb")


def _exchanges(stream: BinaryIO, file: Path, report: Report) -> Iterator[Exchange]:
    """Responses, each with its request."""
    pairs = Pairs()
    for record in ArchiveIterator(stream):
        url = str(record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
        number = str(record.rec_headers.get_header("WARC-Record-ID") or "")
        if record.rec_type not in ("request", "response", "revisit") or urlsplit(url).scheme not in ("http", "https"):
            pairs.other(number)
            continue
        named = frozenset(value for name, value in record.rec_headers.headers if name.lower() == "warc-concurrent-to")
        asked = _request(record, url, file) if record.rec_type == "request" else None
        answer = _response(record, url, file, report) if asked is None else None
        yield from pairs.take(Half(url=url, id=number, named=named, request=asked, answer=answer))
    yield from pairs.rest()


def _request(record: ArcWarcRecord, url: str, file: Path) -> Request:
    method = str(record.http_headers.protocol) if record.http_headers else "GET"
    return Request.to(url, method, _headers(record, file), _bytes(record, url, file))


def _headers(record: ArcWarcRecord, file: Path) -> Headers:
    if record.http_headers is None:
        raise InputFault(f"{file}: a record without HTTP headers")
    return tuple((str(name), str(value)) for name, value in record.http_headers.headers)


def _bytes(record: ArcWarcRecord, url: str, file: Path) -> bytes:
    """A record's payload without chunk framing, still content-encoded."""
    stream = record.raw_stream
    data: bytes = stream.read(RECORD_CAP + 1)
    if getattr(stream, "limit", 0) > 0 and len(data) <= RECORD_CAP:
        raise InputFault(f"{file}: damaged: the record of {url} is cut short")
    if len(data) > RECORD_CAP:
        raise InputFault(f"{file}: {url}: over {RECORD_CAP} bytes")
    return _dechunk(data) if record.http_headers is not None and _chunked(record) else data


def _chunked(record: ArcWarcRecord) -> bool:
    return "chunked" in str(record.http_headers.get_header("Transfer-Encoding") or "").lower()


def _dechunk(data: bytes) -> bytes:
    """The body behind chunk framing; bytes that are not framed stay as they are (some tools drop the framing only)."""
    parts: list[bytes] = []
    at = 0
    while (end := data.find(b"\r\n", at)) >= 0:
        try:
            size = int(data[at:end].split(b";")[0], 16)
        except ValueError:
            return data
        if size == 0:
            return b"".join(parts)
        parts.append(data[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return data


def _response(record: ArcWarcRecord, url: str, file: Path, report: Report) -> Exchange | None:
    """A response, or None with a note where it cannot be replayed (304, parts of files, no status)."""
    if record.rec_type == "revisit":
        report.notes.append(f"{url}: a revisit record points to a body that is elsewhere; left out")
        return None
    headers = _headers(record, file)
    code = str(record.http_headers.get_statuscode())
    if not code.isdigit() or not 100 <= int(code) <= 599:
        report.notes.append(f"{url}: status line {record.http_headers.statusline!r} cannot be replayed; left out")
        return None
    if int(code) in (206, 304):
        report.notes.append(f"{url}: status {code} is no whole answer; left out")
        return None
    body = _bytes(record, url, file)
    stream = header(headers, "content-type").startswith("text/event-stream")
    return Exchange(
        request=Request.to(url),
        status=int(code),
        reason=str(record.http_headers.statusline).partition(" ")[2],
        headers=headers,
        body=body,
        kind="sse" if stream else "http",
        frames=events(body) if stream else (),
    )
