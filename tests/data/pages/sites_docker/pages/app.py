"""A fixture site for the contract of environments: one page each for what pages do. Our own words, no real data."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path

from openpyxl import Workbook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

CSV = "name,score\nAda,9\nBo,7\n"
REGIONS = ("North", "South", "East", "West")


async def static(request: Request) -> Response:
    """A page from html/."""
    page = Path(__file__).parent / "html" / f"{request.path_params['name']}.html"
    return FileResponse(page, media_type="text/html") if page.is_file() else PlainTextResponse("no such page", 404)


async def table(request: Request) -> Response:
    """rows x columns numbers, as a data portal writes them."""
    rows, columns = int(request.path_params["rows"]), int(request.query_params.get("columns", "8"))
    names = ["Region", "Year", "Day", "Share", *(f"Series {n}" for n in range(5, columns + 1))][:columns]
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells(n, columns)) + "</tr>" for n in range(rows))
    return HTMLResponse(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Table {rows}</title><h1>Table of {rows}</h1>"
        f"<a href='/table/{rows}?columns={columns}&again={request.query_params.get('again', '')}x'>Next release</a>"
        f"<table><caption>Output by region</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        "<p>r Revised.</p>"
    )


def cells(row: int, columns: int) -> list[str]:
    """One row: every 50th share carries a footnote mark."""
    mark = "<sup>r</sup>" if row % 50 == 3 else ""
    first = [REGIONS[row % 4], str(1990 + row % 30), f"2021-{row % 12 + 1:02}-15", f"{row % 100}.5%{mark}"]
    return [*first, *(f"{row * n:,}" for n in range(5, columns + 1))][:columns]


async def feed(request: Request) -> Response:
    """Items of an endless list."""
    start = int(request.query_params["from"])
    words = {65: "The wanted item: amber"} if request.query_params.get("answer") == "yes" else {}
    return JSONResponse([words.get(n, f"Item number {n}") for n in range(start, start + 10)])


def attached(body: bytes, kind: str, name: str) -> Response:
    return Response(body, media_type=kind, headers={"content-disposition": f"attachment; {name}"})


async def file(request: Request) -> Response:
    """Files as sites serve them."""
    name = request.path_params["name"]
    made: dict[str, Callable[[], Response]] = {
        "plain.csv": lambda: Response(CSV, media_type="text/csv"),
        "book.xlsx": lambda: attached(book(), "application/octet-stream", 'filename="Annual book.xlsx"'),
        "report.pdf": lambda: Response(pdf(), media_type="application/pdf"),
        "bundle.zip": lambda: attached(bundle(), "application/zip", "filename=bundle.zip"),
        "empty.csv": lambda: attached(b"", "text/csv", "filename=empty.csv"),
        "rfc": lambda: attached(b"a\n1\n", "text/csv", "filename=\"e.csv\"; filename*=UTF-8''%C3%A9t%C3%A9%202021.csv"),
        "same": lambda: attached(request.url.query.encode(), "text/csv", "filename=same.csv"),
        "slow.csv": lambda: StreamingResponse(slowly(), media_type="text/csv", headers={
            "content-disposition": "attachment; filename=slow.csv"}),
        "evil": lambda: attached(b"x", "text/csv", "filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"),
    }  # fmt: skip
    return made[name]() if name in made else PlainTextResponse("no such file", 404)


async def slowly() -> AsyncIterator[bytes]:
    for part in range(6):
        yield f"part {part}\n".encode()
        await asyncio.sleep(0.2)


def book() -> bytes:
    workbook, out = Workbook(), io.BytesIO()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["name", "score"])
    sheet.append(["Ada", 9])
    workbook.save(out)
    return out.getvalue()


def bundle() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside.csv", CSV)
    return out.getvalue()


def pdf() -> bytes:
    """A page with one line of text, written by hand."""
    text = b"BT /F1 24 Tf 72 700 Td (Forty two units) Tj ET"
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, part)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer<</Size 6/Root 1 0 R>>startxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + rows + trailer


async def hang(request: Request) -> Response:
    """An image that never loads."""
    await asyncio.sleep(3600)
    return PlainTextResponse("")


async def late_font(request: Request) -> Response:
    """One of the sites' own faces, narrower than any system's, after a moment."""
    await asyncio.sleep(0.3)
    faces = Path(__file__).parents[5] / "sites_docker" / "kit" / "static" / "vendor" / "fonts"
    kept = {"cache-control": "no-store"} if request.url.query else {}
    face = faces / "archivo-narrow" / "archivo-narrow-latin-400-normal.woff2"
    return FileResponse(face, media_type="font/woff2", headers=kept)


async def poll(request: Request) -> Response:
    return PlainTextResponse("ok")


async def cookie(request: Request) -> Response:
    """Sets a cookie by name and shows what came."""
    response = PlainTextResponse(f"cookie: {request.cookies.get('who', 'none')}")
    if "set" in request.query_params:
        response.set_cookie("who", request.query_params["set"])
    return response


def create_app(folder: Path, frozen: datetime) -> Starlette:
    return Starlette(
        routes=[
            Route("/table/{rows:int}", table),
            Route("/feed", feed),
            Route("/file/{name}", file),
            Route("/hang.png", hang),
            Route("/late.woff2", late_font),
            Route("/poll", poll),
            Route("/cookie", cookie),
            Route("/{name}", static),
        ]
    )
