"""`webds tasks leaks` finds each kind that is planted, and nothing in a clean checkout; it says what it could check."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.seal.test_sealing import CANARY, TASK, Place
from webds.cli import build


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
