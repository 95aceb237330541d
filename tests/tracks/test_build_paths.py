"""An archive made in process and one captured through Chromium and the proxy hold the same answers."""

import importlib
from collections.abc import Mapping
from email.utils import format_datetime
from pathlib import Path

import pytest

from tests.recorder.portal import served
from tests.recorder.test_freeze import webds
from webds.tracks.archives import contents
from webds.tracks.build import build
from webds.tracks.siteapps import app_of
from webds.tracks.sites import Site, pick
from webds_recorder.archive import ArchiveReader
from webds_recorder.exchange import Headers, header, without

FILES_AGE = ("last-modified", "etag")
"""The only difference: a build leaves out what a file server makes of a file's age in this checkout, while a capture
of a real site keeps them, because pages may show them. A date that an app sets by itself is in both."""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """The kit's skeleton as a site of its own: pages with style, scripts and a picture, a table, downloads."""
    new = importlib.import_module("sites_docker.kit.new")
    new.new_site(tmp_path, "both-paths", "Both Paths", 0, "tests")
    return pick(tmp_path, ["both-paths"])[0]


def headers(folder: Path) -> Mapping[str, Headers]:
    """Address -> stored response headers without those of a file's age, names in small letters."""
    with ArchiveReader(folder, check=False) as archive:
        return {
            row.request.url: tuple((name.lower(), value) for name, value in without(row.headers, FILES_AGE))
            for row in archive.rows()
        }


def dated(folder: Path, address: str) -> str:
    """The Last-Modified that the archive has of an address."""
    with ArchiveReader(folder, check=False) as archive:
        return next(header(row.headers, "last-modified") for row in archive.rows() if row.request.url == address)


def test_both_paths_give_the_same_archive(site: Site, tmp_path: Path) -> None:
    built, captured = tmp_path / "built", tmp_path / "captured"
    build(tmp_path, site, built)
    paths = ("/", "/search", "/records/7", "/records?page=2", "/downloads/both-paths.csv")
    with served(app_of(tmp_path, site)) as origin:
        webds(
            "freeze", *(f"https://{site.host}{path}" for path in paths), "--site", site.name, "--out", str(captured),
            "--frozen", site.frozen.isoformat(), "--map", f"{site.host}={origin}", "--delay", "0", "--settle", "0.3",
        )  # fmt: skip
    seen = contents(captured)
    own = {f"https://{site.host}{path}" for path in (*paths, "/static/site.css", "/static/mark.svg", "/kit/kit.js")}
    assert own <= seen.keys()
    assert seen == {address: value for address, value in contents(built).items() if address in seen}
    stored = headers(built)
    assert headers(captured) == {address: stored[address] for address in seen}
    dates = {path: dated(built, f"https://{site.host}{path}") for path in (paths[-1], "/static/site.css")}
    assert dates == {paths[-1]: format_datetime(site.frozen, usegmt=True), "/static/site.css": ""}
