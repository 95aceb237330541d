"""Check kind picture: real PNG and SVG charts pass; blank, small, mislabelled and hostile files fail with a reason."""

import io
import struct
import zlib
from typing import Any

import pytest
from matplotlib.figure import Figure
from PIL import Image

from tests.judge.handed import handed
from webds.errors import InputFault
from webds_judge.checks import picture

PARAMS: dict[str, Any] = {"file": "chart.png", "min_width": 300, "min_height": 200}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">'


def chart(kind: str) -> bytes:
    figure = Figure(figsize=(4, 3), dpi=100)
    figure.subplots().plot([1, 4, 2])
    out = io.BytesIO()
    figure.savefig(out, format=kind)
    return out.getvalue()


def plain(width: int, height: int, colour: Any = "white", kind: str = "PNG", mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (width, height), colour).save(out, kind)
    return out.getvalue()


def bomb() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0" * 1_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_charts_pass(tmp_path):
    assert picture.check(handed(tmp_path, {"chart.png": chart("png")}), tmp_path, PARAMS)[0]
    params = {**PARAMS, "file": "chart.svg", "side": "chart.csv"}
    files = {"chart.svg": chart("svg"), "chart.csv": b"a\n1\n"}
    passed, why, parsed = picture.check(handed(tmp_path, files), tmp_path, params)
    assert passed, why
    assert parsed["candidate"] in ("svg, 384 x 288", "svg, 400 x 300")


@pytest.mark.parametrize(("data", "said"), [
    (b"", "neither PNG nor SVG"),
    (b"a,b\n1,2\n", "neither PNG nor SVG"),
    (plain(400, 300), "blank"),
    (plain(400, 300, (0, 0, 0, 0), mode="RGBA"), "blank"),
    (plain(400, 300, "white", "JPEG"), "neither PNG nor SVG"),
    (plain(40, 30), "blank"),
    (chart("png")[:900], "not decoded"),
    (b"\x89PNG\r\n\x1a\n" + b"\0" * 999, "not decoded"),
    (bomb(), "exceeds limit"),
    (SVG + b"</svg>", "blank"),
    (SVG + b'<rect width="400" height="300"/></svg>', "blank"),
    (SVG + b'<defs><path d="M0 0"/><path d="M1 1"/></defs></svg>', "blank"),
    (SVG + b'<g style="opacity:0"><rect width="9" height="9"/><path d="M1 1"/></g></svg>', "blank"),
    (SVG + b'<g fill="none" stroke="none"><rect width="5" height="5"/><circle r="3"/></g></svg>', "blank"),
    (SVG + b'<rect x="1" width="0" height="0"/><rect x="2" width="0" height="5"/><circle r="0"/></svg>', "blank"),
    (SVG + b'<g display="none"><path d="M0 0"/><path d="M1 1"/></g></svg>', "blank"),
    (SVG + b"<path d='M0 0'", "not read as XML"),
    (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG + b"&a;</svg>", "entities"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/><path d='M1 1'/></svg>", "how large it is"),
    (SVG.replace(b"400", b"40") + b"<path d='M0 0'/><path d='M1 1'/></svg>", "smaller than 300 x 200"),
    (SVG + b"<g>" * 400 + b"</g>" * 400 + b"</svg>", "not read as XML"),
])  # fmt: skip
def test_what_is_no_chart_fails(tmp_path, data, said):
    passed, why, parsed = picture.check(handed(tmp_path, {"chart.png": data}), tmp_path, PARAMS)
    assert not passed
    assert said in why
    assert set(parsed) == {"candidate", "reference"}


def test_missing_files_and_other_formats_are_named(tmp_path):
    evidence = handed(tmp_path, {"chart.png": chart("png")})
    assert "no file named other.png; there is: chart.png" in picture.check(
        evidence, tmp_path, {**PARAMS, "file": "other.png"}
    )[1]  # fmt: skip
    assert "wanted svg" in picture.check(evidence, tmp_path, {**PARAMS, "formats": ("svg",)})[1]
    assert "not handed in: chart.csv" in picture.check(evidence, tmp_path, {**PARAMS, "side": "chart.csv"})[1]


@pytest.mark.parametrize(("change", "said"), [
    ({"file": ""}, "field file"), ({"min_width": 0}, "min_width"), ({"formats": ["gif"]}, "known: png, svg"),
    ({"side": 3}, "field side"),
])  # fmt: skip
def test_a_wrong_key_is_the_keys_fault(tmp_path, change, said):
    with pytest.raises(InputFault, match=said):
        picture.check(handed(tmp_path, {}), tmp_path, {**PARAMS, **change})
