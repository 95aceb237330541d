"""What the model is shown fits one budget, nothing is left out unseen, and files are read as people read them."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from docx import Document
from openpyxl import Workbook
from PIL import Image, ImageDraw

from tests.judge.rubric.bot import ACTS, PAGE, asked, bot, built, judge, word
from tests.models.endpoint import serving
from tests.report.build_run import Act
from webds.errors import InputFault
from webds.types import Action, Ending, Evidence, File, Json, Observation, Step
from webds_judge.rubric.exhibits import ANSWER, Exhibits
from webds_judge.rubric.fitting import fitted, length
from webds_judge.rubric.pictures import handed
from webds_judge.rubric.record import Record
from webds_judge.rubric.texts import text_of
from webds_judge.rubric.triplets import Triplet, chosen, shown, triplets

FILL = "s" * 9_000


def stepped(index: int, pinned: bool = True) -> Triplet:
    return Triplet(step=index, saw=FILL, did="d" * 900, then=FILL, tool=False, served=FILL, pinned=pinned)


@pytest.mark.parametrize("count", [1, 10, 400])
def test_steps_fit_the_room_however_many_are_pinned(count: int) -> None:
    room = 60_000
    items = [stepped(index) for index in range(count)]
    kept = chosen(items, room, {count // 2: 5.0})
    rows = fitted(shown(items, kept, 6_000), room, 6_000)
    assert isinstance(rows, tuple)
    assert length(rows) <= room
    steps = [row["step"] for row in rows if isinstance(row, dict) and "step" in row]
    assert {0, count // 2, count - 1} <= set(steps)
    assert len(steps) == count or "left_out" in json.dumps(rows)
    assert "cut here" in json.dumps(rows)


def test_what_fits_is_left_as_it_is() -> None:
    value: Json = {"a": "x" * 100, "b": ("y", 3, None)}
    assert fitted(value, 1_000, 6_000) == value


def with_files(tmp_path: Path, count: int) -> tuple[File, ...]:
    found = []
    for index in range(count):
        data = f"x{index},".encode() * 2_000
        path = tmp_path / f"f{index}.csv"
        path.write_bytes(data)
        found.append(File(name=path.name, path=str(path), sha256=hashlib.sha256(data).hexdigest(), size=len(data)))
    return tuple(found)


def test_files_reference_and_steps_share_one_budget(tmp_path: Path) -> None:
    """Three big pages, 60 big files and a gold table: the request stays near the room, every cut is said."""
    pages = [Act(name="goto", text=f"{PAGE} {n} " + "word " * 1_500) for n in range(3)]
    run, root = built(tmp_path / "a", acts=(*pages, ACTS[-1]))
    keys = root / "tasks_public" / "group" / "keys.toml"
    gold = "\\n".join(f"row {n}" for n in range(9_000))
    keys.write_text(
        keys.read_text().replace(
            'checks = [{ name = "n", kind = "answer", params = { type = "integer", reference = 42, evidence = [] } }]',
            f'checks = [{{ name = "n", kind = "csv_file", params = {{ file = "o.csv", reference = "{gold}" }} }}]',
        )
    )
    with serving([bot()]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, samples=1, room=12_000)
    text = asked(endpoint.seen[-1])[2]
    assert len(text) < 12_000 + 6_000  # the rules, the criteria and the task
    assert text.count("cut") >= 4
    evidence = Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, files=with_files(tmp_path, 200),
        answer="42", steps=0,
    )  # fmt: skip
    listed = [{"name": name, "text": text} for name, text in Record(evidence, tmp_path).handed.items()]
    shown_files = fitted({"final": {"files": tuple(listed), "answer": "42"}}, 15_000, 6_000)
    assert length(shown_files) <= 15_000
    assert "f0.csv" in json.dumps(shown_files)


def test_the_step_that_wrote_a_file_is_never_scored_away(tmp_path: Path) -> None:
    codes = {3: "table.to_csv('out.csv')", 5: "print(1)"}
    steps = [
        Step(
            index=index, saw=Observation(), then=Observation(text=f"{PAGE} {index} " + "filler " * 300),
            did=Action(name="python" if index in codes else "goto", args={"code": codes.get(index, "")}),
        )
        for index in range(12)
    ]  # fmt: skip
    evidence = Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, answer="", steps=len(steps),
        files=(File(name="out.csv", path="no", sha256="", size=0),),
    )  # fmt: skip
    record = Record(evidence, tmp_path, tuple(steps))
    assert record.writers == {3}
    items = triplets(record.steps, {}, record.posts | record.writers, False)
    assert [item.step for item in chosen(items, 7_000, {})] == [0, 3, 11]


def xlsx() -> bytes:
    book = Workbook()
    book.worksheets[0].append(["year", "output"])
    book.create_sheet("Second").append([1999, 42.5])
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def docx() -> bytes:
    document, kept = Document(), io.BytesIO()
    document.add_paragraph("Output of 1999: 42.5")
    document.save(kept)
    return kept.getvalue()


def packed_table() -> bytes:
    kept = io.BytesIO()
    pd.DataFrame({"year": [1999], "output": [42.5]}).to_parquet(kept, index=False)
    return kept.getvalue()


def pdf() -> bytes:
    """One page with a line of text; readers find the objects without a table of them."""
    said = b"BT /F1 24 Tf 20 60 Td (Output of 1999: 42.5) Tj ET"
    return b"""%%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>>>>>> endobj
4 0 obj <</Length %d>> stream
%s
endstream endobj
5 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
trailer <</Root 1 0 R>>
""" % (len(said), said)


def archive() -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        file.writestr("in.csv", "year,output\n1999,42.5\n")
    return kept.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "a.xlsx": xlsx,
    "a.docx": docx,
    "a.parquet": packed_table,
    "a.zip": archive,
    "a.pdf": pdf,
    "utf16.csv": lambda: "year,output\n1999,42.5\n".encode("utf-16"),
    "latin.csv": lambda: "Île,1999,42.5\n".encode("cp1252"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_by_the_judges_own_readers(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name]())
    text = text_of(tmp_path / name)
    assert "1999" in text
    assert "42.5" in text
    assert name != "latin.csv" or text.startswith("Île")


@pytest.mark.parametrize("data", [b"PK\x03\x04zz", b"%PDF-1.4", b"\x89PNG\r\n", b"PAR1", b"\0\1\2"])
def test_what_is_not_read_says_what_it_is(data: bytes, tmp_path: Path) -> None:
    for name in ("a.xlsx", "a.pdf", "a.docx", "a.zip", "a.bin"):
        (tmp_path / name).write_bytes(data)
        assert text_of(tmp_path / name) == f"[{name[2:]} file of {len(data)} bytes]"


SEEN = [
    Act(name="goto", args={"url": f"/{n}"}, text=f"{PAGE} {n}", view={"url": f"https://grid-workbook.test/{n}"})
    for n in range(5)
]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_screenshots_are_chosen_by_relevance_and_the_others_are_named(most: int, tmp_path: Path) -> None:
    run, root = built(tmp_path, acts=(*SEEN, ACTS[-1]))

    def scoring(body: dict[str, Any]) -> Any:
        said = bot({"source": {"met": True, "steps": [1], "image": True, "quote": ""}})(body)
        return {"text": said["text"].replace('"3": 1', '"3": 5').replace('"2": 1', '"2": 4')}

    with serving([scoring]) as endpoint:
        judge(run, root, endpoint.url, canaries=False, mode="vision", images=most, samples=1)
    content = endpoint.seen[-1]["messages"][1]["content"]
    labels = [part["text"].split("(")[0].strip() for part in content[1:] if part["type"] == "text"]
    steps = [int(label.split()[-1]) for label in labels]
    assert len(steps) == most
    assert 3 in steps
    assert 2 in steps or most < 2
    assert "screenshots_left_out" in content[0]["text"]
    mark = word(run)["samples"][0]["criteria"]["source"]
    assert (mark["met"], mark["said"]) == (None, True), "a screenshot that was not sent proves nothing"


@pytest.mark.parametrize("most", [0, -3])
def test_a_number_of_images_below_one_is_one_line(most: int, tmp_path: Path) -> None:
    run, root = built(tmp_path)
    with pytest.raises(InputFault, match="images"):
        judge(run, root, "http://127.0.0.1:9/v1", images=most)


def test_a_picture_that_was_handed_in_is_shown_and_is_no_source() -> None:
    exhibits = Exhibits((), (ANSWER, 2))
    assert exhibits.pictured([ANSWER], ("answer", "file"))
    assert not exhibits.pictured([ANSWER], ("page", "served"))
    assert exhibits.pictured([2], ("page", "served"))
    assert not exhibits.pictured([3], ("page", "served"))


def test_handed_charts_reach_the_model_as_pictures(tmp_path: Path) -> None:
    image, kept = Image.new("RGB", (2_000, 400), "white"), io.BytesIO()
    ImageDraw.Draw(image).line([(0, 0), (1_999, 399)], fill="blue", width=9)
    image.save(kept, "PNG")
    files = {"c.png": kept.getvalue(), "c.pdf": pdf(), "t.csv": b"a,b\n1,2\n", "bad.png": b"\x89PNG\r\n\x1a\nno"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    evidence = Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, answer="", steps=0,
        files=tuple(File(name=name, path=name, sha256="", size=len(data)) for name, data in files.items()),
    )  # fmt: skip
    found = handed(Record(evidence, tmp_path))
    assert [(picture.step, picture.label.split(" of ")[0]) for picture in found] == [
        (ANSWER, "Picture handed in, number 0"),
        (ANSWER, "Picture handed in, number 1"),
    ]
    with Image.open(io.BytesIO(found[0].data)) as sent:
        assert sent.size == (1_600, 320)
