"""A local origin with all that captures find hard: 50 pages, search, POST, downloads, streams, sockets, a log-in."""

import asyncio
import contextlib
import gzip
import json
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

ROWS = [(n, f"Item {n}", n * n % 97) for n in range(1, 51)]
SCRIPT = "document.documentElement.dataset.ready = 'yes';"
LIVE = """<!doctype html><title>Live</title><h1>Live</h1><ol id=events></ol><ol id=socket></ol>
<script>
const put = (list, text) => { const li = document.createElement('li'); li.textContent = text; list.append(li); };
const source = new EventSource('/events');
source.onmessage = (e) => put(events, e.data);
const ws = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/socket');
ws.onmessage = (e) => { put(socket, e.data); if (e.data === 'hello') ws.send('ping 1');
  if (e.data === 'pong ping 1') ws.send('ping 2'); };
</script>"""


def page(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><link rel=stylesheet href=/site.css>"
        f"<body><h1>{title}</h1>{body}<script src=/site.js></script>"
    )


@dataclass
class Portal:
    """State of one origin, and what was asked of it."""

    items: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dropped: bool = False
    price: int = 100

    async def home(self, request: Request) -> Response:
        links = "".join(f"<li><a href=/item/{n}>{name}</a>" for n, name, _ in ROWS)
        return page(
            "Portal",
            f"<ul>{links}</ul><a href=/live>Live</a> <a href='/data set.csv'>Data</a> <a href=/login>Log in</a>"
            "<form action=/search><input name=q></form><p id=now></p>"
            "<script>now.textContent = new Date().toISOString() + Math.random()</script>",
        )

    async def item(self, request: Request) -> Response:
        n, name, value = ROWS[int(request.path_params["n"]) - 1]
        return page(name, f"<table><tr><td>{n}</td><td>{value}</td></tr></table><a href=/>Home</a>")

    async def search(self, request: Request) -> Response:
        wanted = request.query_params.get("q", "")
        found = [name for _, name, _ in ROWS if wanted and wanted in name]
        return page("Results", "<ul>" + "".join(f"<li>{name}" for name in found) + f"</ul><p>{len(found)} found")

    async def api(self, request: Request) -> Response:
        asked = json.loads(await request.body())
        rows = [row for row in ROWS if row[2] > asked["over"]]
        return JSONResponse({"count": len(rows), "rows": rows[:3]})

    async def login_form(self, request: Request) -> Response:
        return page(
            "Log in", "<form method=post><input name=user><input name=password type=password><button>Go</button>"
        )

    async def login(self, request: Request) -> Response:
        form = (await request.body()).decode()
        if "password=open" not in form:
            return page("Wrong", "<p>No.")
        answer = RedirectResponse("/account", 303)
        answer.set_cookie("session", "k3Jd83jfLs0Qm2xVb7Ty", max_age=600, httponly=True)
        return answer

    async def account(self, request: Request) -> Response:
        if "session" not in request.cookies:
            return RedirectResponse("/login", 302)
        return page("Account", "<p>Balance <b>1,204.50</b>")

    async def data(self, request: Request) -> Response:
        text = "id,name,value\n" + "".join(f"{n},{name},{v}\n" for n, name, v in ROWS)
        return Response(
            text, media_type="text/csv", headers={"content-disposition": 'attachment; filename="data set.csv"'}
        )

    async def live(self, request: Request) -> Response:
        return HTMLResponse(LIVE)

    async def events(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[bytes]:
            for n in range(8):
                yield f"id: {n}\ndata: event {n}\n\n".encode()
                await asyncio.sleep(0.01)
            await asyncio.sleep(3600)

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def endless(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[bytes]:
            for n in range(20):
                yield b"%d\n" % n

        return StreamingResponse(stream(), media_type="text/plain")

    async def socket(self, ws: WebSocket) -> None:
        await ws.accept()
        await ws.send_text("hello")
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await ws.send_text("pong " + await ws.receive_text())

    async def conditional(self, request: Request) -> Response:
        if request.headers.get("if-none-match"):
            return Response(status_code=304)
        return PlainTextResponse("whole", headers={"etag": '"1"', "cache-control": "max-age=0"})

    async def ranged(self, request: Request) -> Response:
        data = bytes(n % 251 for n in range(2000))
        if "range" in request.headers:
            return Response(data[:100], 206, {"content-range": "bytes 0-99/2000"})
        return Response(data, media_type="application/pdf")

    async def zipped(self, request: Request) -> Response:
        return Response(
            gzip.compress(b"zipped" * 100, mtime=0), headers={"content-encoding": "gzip", "content-type": "text/plain"}
        )

    async def big(self, request: Request) -> Response:
        return Response(b"b" * 3_000_000, media_type="video/mp4")

    async def ticker(self, request: Request) -> Response:
        return page("Price", f"<p>Price <b>{self.price}</b>")

    async def robots(self, request: Request) -> Response:
        return PlainTextResponse("User-agent: *\nDisallow: /item/13\n")

    def app(self) -> Starlette:
        """The ASGI app."""
        routes = [
            Route("/", self.home), Route("/item/{n:int}", self.item), Route("/search", self.search),
            Route("/api", self.api, methods=["POST"]), Route("/login", self.login_form),
            Route("/login", self.login, methods=["POST"]), Route("/account", self.account),
            Route("/data set.csv", self.data), Route("/live", self.live), Route("/events", self.events),
            Route("/endless", self.endless), WebSocketRoute("/socket", self.socket), Route("/cond", self.conditional),
            Route("/ranged", self.ranged), Route("/zipped", self.zipped), Route("/big", self.big),
            Route("/ticker", self.ticker), Route("/robots.txt", self.robots),
            Route("/site.css", lambda r: Response("h1 { color: #123 }", media_type="text/css")),
            Route("/site.js", lambda r: Response(SCRIPT, media_type="text/javascript")),
        ]  # fmt: skip
        return Starlette(routes=routes)


@contextlib.contextmanager
def served(app: object) -> Iterator[str]:
    """An ASGI app on a port of its own; yields its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=0, ws="wsproto")  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(10)
        listener.close()
