"""A fixture site whose pages try every way out of the frozen web. All foreign names end in .example, all foreign
addresses are of the documentation ranges (or link-local), so that a probe that gets out meets nobody."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

HERE = Path(__file__).parent


def page(body: str) -> HTMLResponse:
    return HTMLResponse(f"<!doctype html><html lang=en><meta charset=utf-8><title>Hostile</title><body>{body}")


async def home(request: Request) -> Response:
    """The probes run at once; what each one met stands in the text when the heading says that they have ended."""
    return page(
        "<h1 id=state>probes running</h1><button id=popup>Pop up</button> "
        "<a id=ping href=/still ping=https://ping.foreign.example/>Ping</a>"
        "<pre id=out></pre><script src=/probe.js></script>"
    )


async def quiet(request: Request) -> Response:
    """Nothing at all: for what the browser does by itself."""
    return page("<h1>Quiet</h1>")


async def sixty(request: Request) -> Response:
    """Fetches sixty addresses of the site at once."""
    return page(
        "<h1 id=state>running</h1><script>Promise.all(Array.from({length: 60}, (_, n) => fetch(`/part?n=${n}`)"
        ".then((r) => r.text()))).then((all) => { state.textContent = `sum ${all.reduce((a, b) => a + +b, 0)}` })"
        "</script>"
    )


async def part(request: Request) -> Response:
    return Response(request.query_params["n"], media_type="text/plain")


async def seen(request: Request) -> Response:
    """The names of the headers that reached the site."""
    return JSONResponse(sorted(request.headers))


async def script(request: Request) -> Response:
    return FileResponse(HERE / request.url.path.strip("/"), media_type="text/javascript")


async def blob(request: Request) -> Response:
    return page(
        "<a id=b>Blob</a><a id=d download=made.csv>Made</a><iframe srcdoc='<p>inner</p>'></iframe>"
        "<img id=i alt=dot src='data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 "
        "width=%225%22 height=%225%22/%3E'>"
        "<script>const u = URL.createObjectURL(new Blob(['<h1>BLOB</h1>'], {type: 'text/html'}));"
        "b.href = u; d.href = URL.createObjectURL(new Blob(['a,b'], {type: 'text/csv'}))</script>"
    )


def create_app(folder: Path, frozen: datetime) -> Starlette:
    return Starlette(
        routes=[
            Route("/", home),
            Route("/still", quiet),
            Route("/sixty", sixty),
            Route("/part", part),
            Route("/seen", seen, methods=["GET", "POST"]),
            Route("/blob", blob),
            Route("/probe.js", script),
            Route("/worker.js", script),
        ]
    )
