"""Evidence of the kinds tip and drawn: what holds is silent, each planted fault is named."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from webds.types import Json
from webds_judge.drawn import Pictures
from webds_judge.proof import Views, problems

HOST = "https://toy-site.test"
TIP: dict[str, Any] = {"kind": "tip", "url": f"{HOST}/map", "x": 10, "y": 20.5, "value": "Texas, 1952: 3 cases"}
DRAWN: dict[str, Any] = {
    "kind": "drawn",
    "url": f"{HOST}/page",
    "image": "/static/a.png",
    "series": "s",
    "key": "1998",
    "value": "2.35",
}
POINT = {"series": "s", "key": "1998", "value": 2.3499, "x": 30, "y": 40, "colour": "#c03020"}


@pytest.fixture
def views(tmp_path):
    picture = Image.new("RGB", (100, 80), "white")
    picture.putpixel((30, 40), (0xC0, 0x30, 0x22))  # two off in blue
    out = io.BytesIO()
    picture.save(out, "PNG")
    (tmp_path / "drawn").mkdir()
    write(tmp_path)
    pages = {f"{HOST}/page": b'<img src="/static/a.png">', f"{HOST}/static/a.png": out.getvalue(), f"{HOST}/map": b""}
    pictures = Pictures(pages.__getitem__, {"toy-site.test": tmp_path})
    return Views(
        pages.__getitem__, pictures, lambda url, x, y: f"{url}  Texas,\n1952: {y:.0f} 3 cases Texas, 1952: 3 cases"
    )


def write(folder: Path, **change: object) -> None:
    record = {"image": "/static/a.png", "size": [100, 80], "points": [{**POINT, **change}]}
    (folder / "drawn" / "a.json").write_text(json.dumps(record))


def said(views: Views, item: Mapping[str, Json]) -> list[str]:
    return [f"{field}: {problem}" for field, problem in problems((item,), views)]


def test_what_holds_is_silent(views):
    assert said(views, TIP) == []
    assert said(views, {**DRAWN, "value": "2.3499"}) == []
    assert said(views, DRAWN) == []


def test_a_tip_is_left_out_without_a_pointer(views):
    assert said(Views(views.fetch, views.pictures), {**TIP, "value": "nowhere"}) == []


@pytest.mark.parametrize(("item", "change", "problem"), [
    (TIP, {"value": "Texas, 1952: 4 cases"}, "evidence[1].value: https://toy-site.test/map: serves"),
    (TIP, {"x": 1280}, "field x: missing, or no number from 0 to under 1280"),
    (TIP, {"y": "40"}, "field y: missing, or no number from 0 to under 720"),
    (TIP, {"selector": "#a"}, "field selector: unknown; known: kind, url, x, y, value, answer"),
    (DRAWN, {"value": "2.36"}, "serves '2.3499', not '2.36'"),
    (DRAWN, {"value": "2.4 ppm"}, "not a plain number"),
    (DRAWN, {"series": "t"}, "series 't'; known: s"),
    (DRAWN, {"key": "1999"}, "key '1999' of series s: known: 1998 to 1998 (1)"),
    (DRAWN, {"image": "/static/b.png"}, "shows no picture /static/b.png"),
])  # fmt: skip
def test_faults_of_the_evidence(views, item, change, problem):
    found = said(views, {**item, **change})
    assert len(found) == 1
    assert problem in found[0]


@pytest.mark.parametrize(("change", "problem"), [
    ({"colour": "#0030c0"}, "the pixel 30, 40 is #c03022, the record says #0030c0"),
    ({"x": 31, "colour": "#ffffff"}, "nothing is drawn at 31, 40"),
    ({"x": 100}, "outside the picture"),
])  # fmt: skip
def test_faults_of_picture_and_record(views, tmp_path, change, problem):
    write(tmp_path, **change)
    assert problem in said(views, DRAWN)[0]


def test_a_picture_without_a_record(views, tmp_path):
    (tmp_path / "drawn" / "a.json").unlink()
    assert "no record" in said(views, DRAWN)[0]
