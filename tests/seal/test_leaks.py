"""`webds tasks leaks` finds each kind that is planted, and nothing in a clean checkout; it says what it could check."""

import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.seal.test_sealing import CANARY, TASK, Place
from webds.cli import build
from webds.seal.pieces import DEPTH, MOST, Piece, Skipped, pieces


@pytest.fixture
def place(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path, root)
    keys = made.task / "keys.toml"
    keys.write_text(keys.read_text().replace('"number"', '"string"').replace("734512", '"a very long reference"'))
    keys.write_text(keys.read_text().replace("700000 + 34512", "'a very long reference'"))
    (made.task / "gold").mkdir()
    (made.task / "gold" / "table.csv").write_text("a,b\n1,2\n")
    monkeypatch.setenv("WEBDS_PRIVATE_DIR", str(made.private))
    monkeypatch.delenv("WEBDS_PRIVATE_KEY_FILE", raising=False)
    assert made.seal()[0] == 0
    return made


def looked(place: Place, path: Path) -> tuple[int, str]:
    done = CliRunner().invoke(build(["tasks"]), ["tasks", "leaks", str(path), "--root", str(place.root)])
    return done.exit_code, done.output


def test_a_clean_checkout_has_none(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    code, said = looked(place, place.root)
    assert code == 0, said
    assert said.splitlines()[-1] == "sealed texts and gold files: not looked for, WEBDS_PRIVATE_KEY_FILE is not set"
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(place.key))
    code, said = looked(place, place.root)
    assert code == 0, said
    assert "sealed texts and gold files: 3 texts, 2 files looked for" in said


@pytest.mark.parametrize(
    ("text", "why", "keyed"),
    [
        (f"log: {CANARY.upper()}", f"holds the secret canary of {TASK}", False),
        ("the hasty answer\n   is wrong", f"holds a sealed text of {TASK}", True),
        ("they said: a very long reference.", f"holds a sealed text of {TASK}", True),
        ("a,b\n1,2\n", f"is a sealed file of {TASK}", True),
    ],
)
def test_each_kind_is_found(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str, keyed: bool
) -> None:
    (tmp_path / "out").mkdir()
    planted = tmp_path / "out" / "planted.txt"
    planted.write_text(text)
    code, said = looked(place, planted.parent)
    assert (code, why in said) == ((0, False) if keyed else (1, True))
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(place.key))
    code, said = looked(place, planted.parent)
    assert code == 1
    assert f"{planted}: {why}" in said
    assert "a very long reference" not in said


def test_a_public_canary_belongs_to_its_site(place: Place) -> None:
    import tomllib

    canary = tomllib.loads((place.root / "sites_docker" / "air_and_ice" / "site.toml").read_text())["canary"]
    planted = place.root / "docs" / "page.md"
    planted.parent.mkdir()
    planted.write_text(f"# {canary}")
    code, said = looked(place, place.root)
    assert code == 1
    assert f"{planted}: holds the public canary of air_and_ice" in said


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


FILLED = ("x" * 5000 + CANARY).encode()
SECRET = f"holds the secret canary of {TASK}"
TEXT = "they said: a very long reference."


@pytest.mark.parametrize(("name", "data", "wanted"), [
    ("a.zip", zipped({"deep/log.txt": FILLED}), f"a.zip: deep/log.txt: {SECRET}"),
    ("run.bundle", zipped({"files/out.xlsx": zipped({"xl/sharedStrings.xml": FILLED})}),
     f"run.bundle: files/out.xlsx/xl/sharedStrings.xml: {SECRET}"),
    ("a.log.gz", gzip.compress(FILLED), f"a.log.gz: (gzip): {SECRET}"),
    ("le.txt", CANARY.encode("utf-16-le"), f"le.txt: {SECRET}"),
    ("be.csv", b"\0" + CANARY.encode("utf-16-be"), f"be.csv: {SECRET}"),
    ("bom.txt", CANARY.encode("utf-16"), f"bom.txt: {SECRET}"),
    (f"{CANARY}.txt", b"", f"{CANARY}.txt: {SECRET}"),
    ("names.zip", zipped({f"{CANARY}.txt": b"x"}), f"names.zip: {SECRET}"),
    ("names.gz", gzip.compress(zipped({f"{CANARY}.txt": b"x"})), f"names.gz: (gzip): {SECRET}"),
    ("wide.txt", TEXT.encode("utf-16"), f"wide.txt: holds a sealed text of {TASK}"),
    ("wide.zip", zipped({"t.txt": TEXT.encode("utf-16-be")}), f"wide.zip: t.txt: holds a sealed text of {TASK}"),
    ("gold.zip", zipped({"t.csv": b"a,b\n1,2\n"}), f"gold.zip: t.csv: is a sealed file of {TASK}"),
], ids=range(12))  # fmt: skip
def test_what_is_packed_or_wide_is_found(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, wanted: str
) -> None:
    monkeypatch.setenv("WEBDS_PRIVATE_KEY_FILE", str(place.key))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_bytes(data)
    code, said = looked(place, tmp_path / "out")
    assert (code, wanted in said) == (1, True), said


def test_what_was_not_looked_at_is_told(place: Place, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with (out / "large.bin").open("wb") as file:
        file.truncate(MOST + 1)
    (out / "link.txt").symlink_to(out / "large.bin")
    os.mkfifo(out / "pipe")
    (out / ".git").mkdir()
    (out / "torn.zip").write_bytes(zipped({"a.txt": b"x" * 500})[:-30] + b"PK\5\6" + b"\0" * 18)
    (out / "page.pdf").write_bytes(b"%PDF-1.7")
    (out / "after.txt").write_text(CANARY)
    code, said = looked(place, out)
    assert code == 1
    assert f"after.txt: {SECRET}" in said
    for line in (
        f"skipped, larger than {MOST >> 20} MB: 1 ({out / 'large.bin'})",
        f"skipped, a link: 1 ({out / 'link.txt'})",
        f"skipped, no plain file: 1 ({out / 'pipe'})",
        f"skipped, a folder of tools: 1 ({out / '.git'})",
        f"skipped, PDF, its bytes as they are: 1 ({out / 'page.pdf'})",
    ):
        assert line in said.splitlines(), said


def of(tmp_path: Path, data: bytes) -> tuple[list[str], list[tuple[str, str]]]:
    """(members looked at, (member, why) of those that were not)."""
    path = tmp_path / "bomb.zip"
    path.write_bytes(data)
    found = list(pieces(path))
    skipped = [(item.member, item.why) for item in found if isinstance(item, Skipped)]
    return [item.member for item in found if isinstance(item, Piece)], skipped


def test_bombs_are_bounded_and_hide_nothing_beside_them(tmp_path: Path) -> None:
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("zeros", "w") as member:
            for _ in range((MOST >> 20) + 1):
                member.write(b"\0" * (1 << 20))
        archive.writestr("small", b"x")
    assert of(tmp_path, large.getvalue()) == (["", "small"], [("zeros", f"unpacks to more than {MOST >> 20} MB")])
    deep = b"x"
    for _ in range(DEPTH + 2):
        deep = zipped({"in.zip": deep})
    looked_at, skipped = of(tmp_path, deep)
    assert len(looked_at) == DEPTH + 1
    assert skipped == [("/".join(["in.zip"] * DEPTH), f"an archive at depth {DEPTH + 1}")]


def test_an_encrypted_and_a_damaged_member_are_told(tmp_path: Path) -> None:
    data = bytearray(zipped({"a": b"x" * 100, "b": b"y" * 100}))
    at = data.index(b"PK\1\2")
    data[at + 8] |= 1
    looked_at, skipped = of(tmp_path, bytes(data))
    assert (looked_at, skipped) == (["", "b"], [("a", "encrypted")])
    data = bytearray(zipped({"a": b"x" * 100, "b": b"y" * 100}))
    data[data.index(b"PK\3\4") + 31] ^= 0xFF
    looked_at, skipped = of(tmp_path, bytes(data))
    assert looked_at == ["", "b"]
    assert skipped[0][0] == "a"
    assert skipped[0][1].startswith("cannot be unpacked: ")
