"""The Grid Workbook app over ASGI, as its site.toml says."""

import tomllib
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from sites_docker.grid_workbook.app import create_app

FOLDER = Path(__file__).parents[2] / "sites_docker" / "grid_workbook"


@pytest.fixture(scope="session")
def site() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "site.toml").read_text(encoding="utf-8"))


@pytest.fixture
async def web(site: dict[str, Any]) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(FOLDER, datetime.fromisoformat(site["frozen"]))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="https://grid-workbook.test") as client:
        yield client
