"""Files for download whose bytes are the same whenever they are made: everything is dated at the frozen instant."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from openpyxl import Workbook
from starlette.responses import Response

from sites_docker.kit.facts import Clock

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV = "text/csv; charset=utf-8"
ZIP = "application/zip"


def csv_bytes(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, encoding: str = "utf-8", delimiter: str = ","
) -> bytes:
    """A CSV file: line feeds, least quoting, empty for None. Use utf-8-sig or latin-1 where a source would."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode(encoding)


def zip_bytes(members: Mapping[str, bytes], clock: Clock) -> bytes:
    """A ZIP file of the members in the given order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, date_time=clock.zip_stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return out.getvalue()


def xlsx_bytes(book: Workbook, clock: Clock) -> bytes:
    """A workbook as bytes; openpyxl stamps the real time into two places, both are set to the frozen instant."""
    book.properties.created = clock.instant.replace(tzinfo=None)
    raw = io.BytesIO()
    book.save(raw)
    modified = clock.instant.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with zipfile.ZipFile(raw) as old:
        members = {name: old.read(name) for name in old.namelist()}
    core = "docProps/core.xml"
    members[core] = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>" + modified, members[core])
    return zip_bytes(members, clock)


def attachment(data: bytes, name: str, media: str, clock: Clock) -> Response:
    """A download with its file name and the frozen instant as its date."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Last-Modified": clock.http}
    return Response(data, media_type=media, headers=headers)
