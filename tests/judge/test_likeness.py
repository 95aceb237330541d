"""A picture that copies a screenshot of its own try is refused; no chart is taken for a page."""

import base64
import io
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image, ImageDraw

from tests.judge.handed import handed
from tests.judge.test_picture_check import chart, plain
from webds.codec import canonical, sha256
from webds.types import Action, Observation, Step
from webds_judge.checks import picture

PARAMS: dict[str, Any] = {"file": "chart.png", "formats": ("png", "svg", "pdf")}


def page(shift: int = 0) -> Image.Image:
    """A page of mostly white: a title, a table and a bar."""
    made = Image.new("RGB", (1280, 720), "white")
    draw = ImageDraw.Draw(made)
    draw.rectangle((0, 0, 1280, 60), fill="#204060")
    for row in range(12):
        for column in range(4):
            draw.text((60 + 200 * column, 100 + shift + 40 * row), f"cell {row * 7 + column}", fill="black")
    draw.rectangle((900, 300 + shift, 1200, 500 + shift), fill="#c0d0e0")
    return made


def saved(made: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    out = io.BytesIO()
    made.save(out, kind, **more)
    return out.getvalue()


def seen(run: Path, *pictures: bytes) -> Path:
    """The folder of a try whose steps have these screenshots."""
    folder = run / "episodes" / "t~0" / "try-1"
    folder.mkdir(parents=True)
    lines = b""
    for index, data in enumerate(pictures):
        name = sha256(data)
        path = run / "blobs" / name[:2] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        step = Step(index=index, saw=Observation(), did=Action(name="goto"), then=Observation(image=name))
        lines += canonical(step) + b"\n"
    (folder / "trajectory.jsonl").write_bytes(lines)
    return folder


def judged(folder: Path, data: bytes) -> tuple[bool, str]:
    passed, why, _ = picture.check(handed(folder, {"chart.png": data}), folder, PARAMS)
    return passed, why


def test_copies_are_refused(tmp_path: Path) -> None:
    folder = seen(tmp_path, plain(300, 200, "black"), saved(page()))
    jpeg = Image.open(io.BytesIO(saved(page(), "JPEG", quality=40)))
    framed = page()
    ImageDraw.Draw(framed).rectangle((0, 0, 1279, 719), outline="red", width=3)
    for copy in (page(), page().resize((640, 360)), page().resize((900, 700)), jpeg, framed):
        assert judged(folder, saved(copy)) == (False, "chart.png: it is a copy of the screenshot of step 1")
    passed, why = judged(folder, saved(page(), "PDF", resolution=96))
    assert (passed, "screenshot of step 1" in why) == (False, True)


def test_turned_inverted_and_framed_copies_are_refused(tmp_path: Path) -> None:
    folder = seen(tmp_path, saved(page()))
    frame = Image.new("RGB", (1480, 920), "gray")
    frame.paste(page(), (100, 100))
    turned = [page().transpose(way) for way in (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_90)]
    for copy in (*turned, page().point(lambda value: 255 - value), frame):
        assert judged(folder, saved(copy)) == (False, "chart.png: it is a copy of the screenshot of step 0")


def test_a_drawing_around_a_screenshot_is_refused(tmp_path: Path) -> None:
    folder = seen(tmp_path, saved(page()))

    def around(made: Image.Image) -> bytes:
        held = base64.b64encode(saved(made)).decode()
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"><rect width="1" height="2"/>'
            f'<image width="1280" height="720" href="data:image/png;base64,{held}"/><rect width="2" height="1"/></svg>'
        ).encode()

    assert judged(folder, around(page())) == (False, "chart.png: it holds a copy of the screenshot of step 0")
    assert judged(folder, around(Image.open(io.BytesIO(chart("png")))))[0]


def test_charts_are_not(tmp_path: Path) -> None:
    folder = seen(tmp_path, saved(page()), saved(page(90)), plain(1280, 720))
    assert judged(folder, chart("png")) == (True, "chart.png is a picture (png, 400 x 300)")
    assert judged(folder, chart("pdf"))[0]
    bars = Figure(figsize=(12.8, 7.2), dpi=100)
    bars.subplots().bar(range(5), (3, 1, 4, 1, 5))
    out = io.BytesIO()
    bars.savefig(out)
    assert judged(folder, out.getvalue())[0]


def test_a_page_that_is_no_pdf_is_named(tmp_path: Path) -> None:
    assert "not read as PDF" in judged(seen(tmp_path), b"%PDF-1.7\nnothing")[1]
