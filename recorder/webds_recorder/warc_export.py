"""Archives to WARC and WACZ files, which pywb and ReplayWeb.page replay; with warcio."""

import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webds.codec import sha256
from webds_recorder.archive import ArchiveReader, Row
from webds_recorder.exchange import header, without


@dataclass(slots=True)
class Report:
    """What an export or import did; `notes` are lines for a person."""

    records: int = 0
    notes: list[str] = field(default_factory=list)


def export_warc(archive: ArchiveReader, out: BinaryIO, zipped: bool = True) -> Report:
    """Write request and response records, in order of capture. Sockets have no place in a WARC: noted."""
    report = Report()
    writer = WARCWriter(out, gzip=zipped)
    date = archive.frozen.strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"software": "webds", "format": "WARC File Format 1.1", "isPartOf": str(archive.manifest["site"])}
    writer.write_record(writer.create_warcinfo_record("archive.warc", about))
    for row in archive.rows():
        if row.kind == "ws":
            report.notes.append(f"{row.request.url}: a WebSocket cannot be exported to WARC")
            continue
        if archive.request_body(row) is None:
            report.notes.append(f"{row.request.url}: the body of the request held a secret and was not kept")
        response, request = _records(writer, archive, row, date)
        writer.write_request_response_pair(request, response)
        report.records += 1
    return report


def _records(writer: WARCWriter, archive: ArchiveReader, row: Row, date: str) -> tuple[ArcWarcRecord, ArcWarcRecord]:
    body = archive.body(row)
    fields = [*without(row.headers, ("transfer-encoding", "content-length")), ("Content-Length", str(len(body)))]
    status = StatusAndHeaders(f"{row.status} {row.reason}".strip(), _plain(fields), protocol="HTTP/1.1")
    warc = {"WARC-Date": date}
    response = writer.create_warc_record(
        row.request.url,
        "response",
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=status,
        warc_headers_dict=warc,
    )
    asked = archive.request_of(row)
    sent = archive.request_body(row) or b""
    target = row.path + (f"?{row.query}" if row.query else "")
    lines = [("Host", row.host), *((n, v) for n, v in asked.headers if n != "authorization")]
    lines += [("Content-Length", str(len(sent)))] if sent else []
    head = StatusAndHeaders(f"{row.method} {target} HTTP/1.1", _plain(lines), is_http_request=True)
    request = writer.create_warc_record(
        row.request.url,
        "request",
        payload=io.BytesIO(sent),
        length=len(sent),
        http_headers=head,
        warc_headers_dict=warc,
    )
    return response, request


def _plain(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(name, value.replace("\r", " ").replace("\n", " ")) for name, value in fields]


def export_wacz(archive: ArchiveReader, out: Path) -> Report:
    """Write a WACZ: the WARC, a list of pages, an index of lines, and the digests of all."""
    warc = io.BytesIO()
    report = export_warc(archive, warc)
    pages = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}]
    date = archive.frozen.strftime("%Y-%m-%dT%H:%M:%SZ")
    pages += [{"id": str(row.id), "url": row.request.url, "ts": date} for row in archive.rows() if _is_page(row)]
    members = {
        "archive/data.warc.gz": warc.getvalue(),
        "pages/pages.jsonl": "".join(json.dumps(page) + "\n" for page in pages).encode(),
        "indexes/index.cdxj": cdxj(warc.getvalue(), "data.warc.gz"),
    }
    resources = [
        {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{sha256(data)}", "bytes": len(data)}
        for name, data in members.items()
    ]
    package = {"profile": "data-package", "wacz_version": "1.1.1", "created": date, "resources": resources}
    members["datapackage.json"] = json.dumps(package, indent=1).encode()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            bundle.writestr(info, data, zipfile.ZIP_STORED if name.endswith(".gz") else zipfile.ZIP_DEFLATED)
    return report


def _is_page(row: Row) -> bool:
    kind = header(row.headers, "content-type")
    return row.method == "GET" and row.status == 200 and kind.startswith("text/html")


def cdxj(data: bytes, name: str) -> bytes:
    """Index lines of a WARC: sort key, time, and a JSON object with offset and length."""
    lines = []
    found = ArchiveIterator(io.BytesIO(data))
    for record in found:
        if record.rec_type == "response":
            url = str(record.rec_headers.get_header("WARC-Target-URI"))
            stamp = "".join(c for c in str(record.rec_headers.get_header("WARC-Date")) if c.isdigit())[:14]
            kind = str(record.http_headers.get_header("Content-Type") or "").partition(";")[0]
            status = str(record.http_headers.get_statuscode())
            record.content_stream().read()
            offset, length = str(found.get_record_offset()), str(found.get_record_length())
            entry = {"url": url, "mime": kind, "status": status, "filename": name, "offset": offset, "length": length}
            lines.append(f"{_sort_key(url)} {stamp} {json.dumps(entry)}\n")
    return "".join(sorted(lines)).encode()


def _sort_key(url: str) -> str:
    parts = urlsplit(url)
    host = ",".join(reversed((parts.hostname or "").split(".")))
    return f"{host}){parts.path or '/'}{'?' + parts.query if parts.query else ''}".lower().replace(" ", "%20")
