"""The second fixture site: what stands in cross-site frames, and in their frames."""

from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route


def page(title: str, body: str) -> HTMLResponse:
    return HTMLResponse(f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><body>{body}")


async def inner(request: Request) -> Response:
    return page(
        "Other",
        "<h2>Other site</h2><button onclick='said.textContent = \"other pressed\"'>Press other</button><p id=said></p>"
        "<iframe title=Grandchild src=https://pages.test/grandchild width=400 height=150></iframe>",
    )


def create_app(folder: Path, frozen: datetime) -> Starlette:
    return Starlette(routes=[Route("/inner", inner)])
