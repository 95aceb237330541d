"""The pages that all contenders see, from one local server in a process of its own, made before anything is timed."""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route

from sites_docker.grid_workbook.app import create_app

SIZES = ((200, 9), (3000, 8), (10000, 8))


def table(rows: int, columns: int) -> bytes:
    """A statistics table as a portal serves it."""
    head = "".join(f"<th>Column {n}</th>" for n in range(columns))
    body = "".join("<tr>" + "".join(f"<td>{row * 7 + n}</td>" for n in range(columns)) + "</tr>" for row in range(rows))
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Table {rows}</title><h1>Table</h1>"
        f"<p><a href='/table/{rows}'>Next release</a></p>"
        f"<table><caption>Figures</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    ).encode()


PAGES = {str(rows): table(rows, columns) for rows, columns in SIZES}


async def page(request: Request) -> Response:
    return HTMLResponse(PAGES[request.path_params["rows"]])


async def main() -> None:
    folder = Path(__file__).resolve().parents[2] / "sites_docker" / "grid_workbook"
    site = create_app(folder, datetime(2022, 6, 24, 12, tzinfo=UTC))
    app = Starlette(routes=[Route("/table/{rows}", page), Mount("/", app=site)])
    server = uvicorn.Server(uvicorn.Config(app, port=int(sys.argv[1]), log_level="error"))
    await server.serve()


if __name__ == "__main__":
    asyncio.run(main())
