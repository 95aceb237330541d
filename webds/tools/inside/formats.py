"""Readers of the formats that preview does not read itself: ods, parquet, sqlite, zip, pdf, pictures.

Each takes (path, first, count, options) and returns head lines and numbered rows; what cannot be read raises what its
library raises, or ValueError in words. A picture of a page or image is left in the folder PICTURES for the caller.
Stand-alone, never imported by webds.
"""

import contextlib
import hashlib
import importlib
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

PICTURES = Path(".preview")
MOST_SIDE = 1600
"""Pixels of the longer side of a picture that is shown."""
MOST_PIXELS = 80_000_000
MOST_XML = 200 << 20
MOST_NAMES = 200
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"

type Rows = Iterable[tuple[int, Iterable[Any]]]
type Shown = tuple[list[str], Rows]


def chosen(names: list[str], options: Mapping[str, Any], what: str) -> str:
    """The wanted sheet, table or member; the first where none is wanted. ValueError lists the known ones."""
    if not names:
        raise ValueError(f"it has no {what}")
    wanted = options.get("sheet") or names[0]
    if wanted not in names:
        raise ValueError(f"no {what} {str(wanted)[:80]!r}; known: {', '.join(names[:MOST_NAMES])}")
    return str(wanted)


def read_ods(path: Path, first: int, count: int, options: Mapping[str, Any]) -> Shown:
    """OpenDocument sheets, repeated rows and cells written out."""
    with zipfile.ZipFile(path) as archive:
        if archive.getinfo("content.xml").file_size > MOST_XML:
            raise ValueError("too large; read it with python")
        tree = ElementTree.fromstring(archive.read("content.xml"))  # noqa: S314 - in the jail, without entities from files
    sheets = {str(table.get(f"{_TABLE}name")): table for table in tree.iter(f"{_TABLE}table")}
    name = chosen(list(sheets), options, "sheet")
    rows = list(_ods_rows(sheets[name], first + count))
    heads = [f"{path.name}: {len(sheets)} sheets: {', '.join(sheets)}", f"sheet {name!r} from row {first}:"]
    return heads, list(enumerate(rows, 1))[first - 1 :]


def _ods_rows(table: Any, most: int) -> Iterator[list[str]]:
    made = 0
    for row in table.iter(f"{_TABLE}table-row"):
        cells: list[str] = []
        for cell in row:
            text = " ".join("".join(part.itertext()) for part in cell.iter(f"{_TEXT}p"))
            cells += [text] * min(int(cell.get(f"{_TABLE}number-columns-repeated", 1)), 1000 if text else 50)
        while cells and not cells[-1]:
            cells.pop()
        for _ in range(min(int(row.get(f"{_TABLE}number-rows-repeated", 1)), 1000)):
            made += 1
            if made >= most:
                return
            yield cells


def read_parquet(path: Path, first: int, count: int, _: Mapping[str, Any]) -> Shown:
    """Columns with their types, then rows."""
    file = importlib.import_module("pyarrow.parquet").ParquetFile(path)
    fields = [f"{field.name} ({field.type})" for field in file.schema_arrow]
    heads = [f"{path.name}: {file.metadata.num_rows} rows, {len(fields)} columns: {', '.join(fields[:MOST_NAMES])}"]
    rows: list[tuple[int, Iterable[Any]]] = [(0, [field.name for field in file.schema_arrow])]
    seen = 0
    for batch in file.iter_batches(batch_size=4096):
        start = max(first - 1 - seen, 0)
        part = batch.slice(start, max(count + 1 - len(rows), 0)).to_pylist() if start < batch.num_rows else []
        rows += [(seen + start + n, list(row.values())) for n, row in enumerate(part, 1)]
        seen += batch.num_rows
        if len(rows) > count:
            break
    return heads, rows


def read_sqlite(path: Path, first: int, count: int, options: Mapping[str, Any]) -> Shown:
    """Tables with their sizes, then the rows of one (option `sheet`)."""
    with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        found = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
        names = [str(row[0]) for row in found.fetchmany(MOST_NAMES)]
        name = chosen(names, options, "table")
        quoted = '"' + name.replace('"', '""') + '"'
        total = database.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0]  # noqa: S608 - a name out of its own list
        query = f"SELECT * FROM {quoted} LIMIT ? OFFSET ?"  # noqa: S608 - the same
        cursor = database.execute(query, (count, first - 1))
        columns = [column[0] for column in cursor.description]
        rows: list[tuple[int, Iterable[Any]]] = [(0, columns), *enumerate(cursor.fetchall(), first)]
    return [f"{path.name}: tables: {', '.join(names)}", f"table {name!r}: {total} rows, from row {first}:"], rows


def read_zip(path: Path, first: int, count: int, options: Mapping[str, Any]) -> Shown:
    """The members with their sizes, or the lines of one (option `sheet`)."""
    with zipfile.ZipFile(path) as archive:
        members = [entry for entry in archive.infolist() if not entry.is_dir()]
        if not options.get("sheet"):
            lines: Rows = [(n, (m.filename, m.file_size)) for n, m in enumerate(members, 1)]
            return [f"{path.name}: {len(members)} files; option sheet shows the text of one"], list(lines)[first - 1 :][
                :count
            ]
        name = chosen([member.filename for member in members], options, "file")
        with archive.open(name) as member:
            data = member.read(8 << 20)
    text = data.decode("utf-8", "replace").splitlines()
    return [
        f"{path.name}: {name}, from line {first}:",
        *(line[:2000] for line in text[first - 1 : first - 1 + count]),
    ], ()


def read_pdf(path: Path, first: int, count: int, options: Mapping[str, Any]) -> Shown:
    """The text of a page (option `page`, from 1) by lines, and the page as a picture."""
    document = importlib.import_module("pypdfium2").PdfDocument(path)
    pages = len(document)
    number = int(options.get("page") or 1)
    if not 1 <= number <= pages:
        raise ValueError(f"no page {number}; it has {pages}")
    page = document[number - 1]
    text = page.get_textpage().get_text_bounded().splitlines()
    scale = min(MOST_SIDE / max(page.get_width(), page.get_height(), 1), 3)
    picture = save(page.render(scale=scale).to_pil())
    window = [line[:2000] for line in text[first - 1 : first - 1 + count]]
    return [f"{path.name}: page {number} of {pages}, {len(text)} lines, {picture}", *window], ()


def read_picture(path: Path, _: int, __: int, ___: Mapping[str, Any]) -> Shown:
    """Size and kind of a picture, and the picture itself."""
    with importlib.import_module("PIL.Image").open(path) as image:
        wide, high = image.size
        if wide * high > MOST_PIXELS:
            raise ValueError(f"{wide} x {high} pixels are too many")
        return [f"{path.name}: {image.format} of {wide} x {high} pixels, {save(image.convert('RGB'))}"], ()


def save(image: Any) -> str:
    """Leave the picture for the caller, who is told its name."""
    image.thumbnail((MOST_SIDE, MOST_SIDE))
    PICTURES.mkdir(exist_ok=True)
    draft = PICTURES / "draft.png"
    image.save(draft, "PNG")
    name = hashlib.sha256(draft.read_bytes()).hexdigest()[:32] + ".png"
    draft.replace(PICTURES / name)
    return f"picture {name}"


READERS: dict[str, Callable[[Path, int, int, Mapping[str, Any]], Shown]] = {
    ".ods": read_ods, ".parquet": read_parquet, ".sqlite": read_sqlite, ".sqlite3": read_sqlite, ".db": read_sqlite,
    ".zip": read_zip, ".pdf": read_pdf, ".png": read_picture, ".jpg": read_picture, ".jpeg": read_picture,
    ".gif": read_picture, ".webp": read_picture, ".bmp": read_picture, ".tif": read_picture, ".tiff": read_picture,
}  # fmt: skip
