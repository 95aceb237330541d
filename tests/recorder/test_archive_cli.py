"""`webds archive` at the command line, in this process: rules, names of sites, places."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.recorder.portal import Portal, served
from tests.recorder.rig import SITE, exchange, freeze
from tests.recorder.test_warc import warc
from webds.cli.archive import app
from webds.errors import InputFault
from webds_recorder.exchange import Headers
from webds_recorder.verify import verify

HTML: Headers = (("Content-Type", "text/html"),)


def said(*words: str | Path, code: int = 0) -> str:
    """What the verb printed. InputFault as it is: webds.cli.main makes the line of it."""
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def test_rules_are_accepted_once_and_only_where_they_hold(tmp_path: Path) -> None:
    folder, file = freeze(tmp_path / "a", exchange("/p?x=1", b"x")), tmp_path / "rules.json"
    rule = {"name": "any", "url": f"{SITE}/p", "drop": ["x"], "example": f"{SITE}/p?x=7"}
    script = {"name": "s", "host": "site.test", "start": "out", "moves": [{"at": "out", "path": "/p", "take": 1}]}
    file.write_text(json.dumps({"rules": [rule], "scripts": [script], "query": ["x"]}))
    first = said("rules", folder, file)
    assert said("rules", folder, file) == first
    assert len(json.loads((folder / "manifest.json").read_text())["match"]["scripts"]) == 1
    digest = verify(folder)
    for change, fault in (
        ({"example": f"{SITE}/q"}, "rule 'any' does not answer its example"),
        ({"example": ""}, "rule 'any': field example: missing"),
    ):
        file.write_text(json.dumps({"rules": [{**rule, **change}]}))
        with pytest.raises(InputFault, match=fault):
            said("rules", folder, file)
        assert verify(folder) == digest


def test_an_archive_is_found_by_its_site_and_drift_obeys_robots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pages = [exchange(f"https://portal.test/item/{n}", b"<title>old", headers=HTML) for n in (13, 14)]
    freeze(tmp_path / "archives" / "portal", *pages)
    portal = Portal()
    with served(portal.app()) as origin:
        words = ("--map", f"portal.test={origin}", "--delay", "0")
        by_site = said("drift", "portal", *words, code=1)
        assert "item/13: robots.txt forbids it" in by_site
        assert by_site.splitlines()[-1] == "1 of 1 pages changed"
        assert said("drift", Path("archives/portal"), *words, code=1) == by_site
        assert said("drift", "portal", *words, "--no-robots", code=1).splitlines()[-1] == "2 of 2 pages changed"
    assert said("verify", "portal").startswith("archives/portal: whole")
    with pytest.raises(InputFault, match="nosuch: no archive here"):
        said("drift", "nosuch", *words)


def test_an_import_never_takes_the_place_of_a_persons_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = warc(tmp_path / "x.warc.gz", (SITE + "/a", "200 OK", b"w"))
    monkeypatch.chdir(tmp_path)
    for out in (".", "..", str(tmp_path)):
        with pytest.raises(InputFault, match="holds what is no archive, and is not deleted"):
            said("import", file, "--site", "a", "--out", out)
    assert said("import", file, "--site", "a").startswith("archive: archives/a ")
    with pytest.raises(InputFault, match="archives/a: an archive is there already; --force replaces it"):
        said("import", file, "--site", "a")
    assert said("import", file, "--site", "a", "--force").startswith("archive: archives/a ")
