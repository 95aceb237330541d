"""The kit's data side: rows and digests, DuckDB without a way out, pictures whose record is what they show."""

import json
import threading
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from matplotlib.image import imread

from sites_docker.kit import extract, registry
from sites_docker.kit.drawing import Chart
from sites_docker.kit.extract import Table, block, build, read_parquet, rows_sha256, stored_sha256, write_parquet
from sites_docker.kit.new import new_site
from sites_docker.kit.tables import Tables

ROWS = (("b", 2, None), ("a", 1, "x, y"), ("c", 3, "é"))
TABLE = Table(name="things", columns=("key", "n", "note"), keys=1, rows=ROWS, about="things")


def test_rows_are_written_in_key_order_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "data" / "things.parquet"
    write_parquet(TABLE, path, {"origin": "here"})
    columns, rows = read_parquet(path)
    assert columns == TABLE.columns
    assert rows == sorted(ROWS)
    assert stored_sha256(path) == rows_sha256(TABLE)
    assert pq.read_metadata(path).metadata[b"origin"] == b"here"
    assert f'rows_sha256 = "{rows_sha256(TABLE)}"' in block(TABLE, tmp_path)
    first = path.read_bytes()
    write_parquet(TABLE, path, {"origin": "here"})
    assert path.read_bytes() == first


def test_a_key_stands_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        rows_sha256(Table(name="t", columns=("k",), keys=1, rows=((1,), (1,)), about=""))


def test_integers_with_gaps_stay_integers(tmp_path: Path) -> None:
    table = Table(name="t", columns=("k", "n"), keys=1, rows=(("a", None), ("b", None)), about="", integers=("n",))
    write_parquet(table, tmp_path / "data" / "t.parquet", {})
    assert str(pq.read_schema(tmp_path / "data" / "t.parquet").field("n").type) == "int64"


def test_build_writes_then_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    new_site(tmp_path, "things", "Things", 1, "x")
    folder = tmp_path / "sites_docker" / "things"
    (folder / "data" / "records.parquet").unlink()
    monkeypatch.setattr(extract, "fetch", lambda pinned, _scratch: Path(pinned.package))
    seen: list[dict[str, Path]] = []

    def take(archives: dict[str, Path]) -> list[Table]:
        seen.append(archives)
        return [TABLE]

    assert build(folder, take, []) == 1
    assert seen == [{"things": Path("things")}]
    toml = folder / "site.toml"
    head = toml.read_text(encoding="utf-8").partition("[[data]]")[0]
    toml.write_text(head + capsys.readouterr().out.partition("things data:")[0], encoding="utf-8")
    assert build(folder, take, ["--check"]) == 0
    assert "3 rows in 1 tables equal site.toml (things==0)" in capsys.readouterr().out


def test_an_archive_with_another_digest_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pack(_words: object, folder: Path, _label: str) -> str:
        (folder / "x.tgz").write_bytes(b"other")
        return ""

    monkeypatch.setattr(registry, "run", pack)
    pinned = registry.Pinned(package="x", version="1", sha256="0" * 64, registry="npm")
    with pytest.raises(SystemExit, match="sha256"):
        registry.fetch(pinned, tmp_path)


def test_tables_answer_in_each_thread_and_reach_nothing_else(tmp_path: Path) -> None:
    write_parquet(TABLE, tmp_path / "data" / "things.parquet", {})
    tables = Tables(tmp_path)
    answers: list[int] = []
    threads = [
        threading.Thread(target=lambda: answers.append(tables.one("SELECT sum(n)::INT FROM things"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [6] * 8
    assert tables.dicts("SELECT key, n FROM things WHERE n > ? ORDER BY n", 2) == [{"key": "c", "n": 3}]
    with pytest.raises(LookupError):
        tables.one("SELECT n FROM things")
    with pytest.raises(ValueError, match="SELECT"):
        tables.rows("DROP TABLE things")
    with pytest.raises(duckdb.Error):
        tables.rows("SELECT * FROM read_text('/etc/hostname')")


def drawn() -> Chart:
    chart = Chart(640, 360)
    chart.line("warm", [1, 2, 3], [10.0, 30.0, 20.0], ["1901", "1902", "1903"], "#aa2200")
    chart.dots("cold", [1, 2, 3], [-5.0, -1.0, -9.0], ["1901", "1902", "1903"], "#0044aa")
    chart.bars("rain", [1.5, 2.5], [4.0, -4.0], ["a", "b"], "#008800", width=0.2)
    return chart


def test_a_picture_and_its_record_agree(tmp_path: Path) -> None:
    picture, record = tmp_path / "static" / "p.png", tmp_path / "drawn" / "p.json"
    drawn().save(picture, record, "/static/p.png")
    told = json.loads(record.read_text(encoding="utf-8"))
    pixels = imread(picture)
    assert told["image"] == "/static/p.png"
    assert told["size"] == [640, 360] == [pixels.shape[1], pixels.shape[0]]
    wanted = {"warm": "#aa2200", "cold": "#0044aa", "rain": "#008800"}
    assert len(told["points"]) == 8
    for point in told["points"]:
        shown = "#" + "".join(f"{round(float(part) * 255):02x}" for part in pixels[point["y"], point["x"]][:3])
        assert point["colour"] == shown
        assert shown == wanted[point["series"]], point


def test_pictures_repeat() -> None:
    assert drawn().render() == drawn().render()


def test_a_value_outside_the_picture_is_refused() -> None:
    chart = drawn()
    chart.axes.set_xlim(100, 101)
    with pytest.raises(ValueError, match="outside"):
        chart.render()
