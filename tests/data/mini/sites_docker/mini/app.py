"""A fixture site for tests: our own words, no real data. Ordinary pages, files, and some hostile ones."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

CSV = "name,score\nAda,9\nBo,7\nCy,11\n"


def page(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><body>{body}")


async def home(request: Request) -> Response:
    return page(
        "Mini home",
        "<h1>Mini</h1><nav aria-label=Main><a href=/table>Table</a> <a href=/hostile>Hostile</a></nav>"
        "<form action=/search><label>Search <input name=q type=search></label><button>Go</button></form>"
        "<p>Today is <b id=now></b></p><script>now.textContent = new Date().toISOString()</script>",
    )


async def table(request: Request) -> Response:
    rows = "".join(f"<tr><td>{n}</td><td>{n * n}</td></tr>" for n in range(1, 41))
    return page(
        "Table",
        f"<table><caption>Squares</caption><tr><th>n</th><th>square</th></tr>{rows}</table>"
        "<a href=/scores.csv>Scores as CSV</a> <a href=/missing>Missing</a> <button disabled>Never</button>"
        "<label>Colour <select><option>red<option>blue</select></label>",
    )


async def search(request: Request) -> Response:
    return page("Results", f"<h1>Results</h1><p>You asked for {len(request.query_params.get('q', ''))} letters.</p>")


async def scores(request: Request) -> Response:
    return Response(
        CSV, media_type="text/csv", headers={"content-disposition": "attachment; filename*=UTF-8''sc%C3%B6res.csv"}
    )


async def hostile(request: Request) -> Response:
    return page(
        "<script>document.title='owned'</script>",
        "<h1>&lt;script&gt;window.owned=1&lt;/script&gt;</h1>"
        "<img src='https://tracker.example/pixel.gif'><a href='https://elsewhere.example/page'>Elsewhere</a>"
        "<a href='/evil.csv'>Evil name</a><a href='file:///etc/hostname'>Host file</a>",
    )


async def evil(request: Request) -> Response:
    name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E.csv"
    return Response(CSV, media_type="text/csv", headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"})


async def headers(request: Request) -> Response:
    return PlainTextResponse("\n".join(sorted(request.headers)))


def create_app(folder: Path, frozen: datetime) -> Starlette:
    return Starlette(
        routes=[
            Route("/", home),
            Route("/table", table),
            Route("/search", search),
            Route("/scores.csv", scores),
            Route("/hostile", hostile),
            Route("/evil.csv", evil),
            Route("/headers", headers),
        ]
    )
