"""Tasks over several sites: the sites' tables in one database, and their pages over one way to fetch."""

import tomllib
from datetime import datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
from starlette.testclient import TestClient

ROOT = Path(__file__).parents[2]


def folder(site: str) -> str:
    """Folder of a site by its name or host."""
    return site.removesuffix(".test").replace("-", "_")


def asked(sites: tuple[str, ...], sql: str) -> list[tuple[Any, ...]]:
    """Rows of an oracle's SQL: tables of the first site bare, of the others in a schema named as their folder."""
    with duckdb.connect(":memory:") as base:
        for site in reversed(sites):
            schema = "main" if site == sites[0] else folder(site)
            base.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            for path in sorted((ROOT / "sites_docker" / folder(site) / "data").glob("*.parquet")):
                base.read_parquet(str(path)).create(f"{schema}.{path.stem}")
        return base.execute(sql).fetchall()


@cache
def web(host: str) -> TestClient:
    """The app of a site at its frozen instant."""
    place = ROOT / "sites_docker" / folder(host)
    frozen = tomllib.loads((place / "site.toml").read_text(encoding="utf-8"))["frozen"]
    app = import_module(f"sites_docker.{place.name}.app").create_app(place, datetime.fromisoformat(frozen))
    return TestClient(app, base_url=f"https://{host}")


@cache
def fetch(url: str) -> bytes:
    """What the site serves at the address."""
    answer = web(urlsplit(url).netloc).get(url)
    assert answer.status_code == 200, url
    return answer.content
