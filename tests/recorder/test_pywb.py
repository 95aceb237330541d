"""An exported WARC replays in pywb (an environment of its own: WEBDS_PYWB names the folder with its programs)."""

import os
import subprocess
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import pytest

from tests.recorder.rig import SITE, exchange, free_port, freeze
from webds_recorder.archive import ArchiveReader
from webds_recorder.warc_export import export_warc

HTML = (("Content-Type", "text/html; charset=utf-8"),)


@pytest.mark.extra
def test_an_export_replays_in_pywb(tmp_path: Path) -> None:
    programs = os.environ.get("WEBDS_PYWB", "")
    if not (Path(programs) / "wayback").is_file():
        pytest.skip("pywb is not here; WEBDS_PYWB names the folder with wayback and wb-manager")
    made = freeze(
        tmp_path / "a",
        exchange("/", b"<p>first page</p>", headers=HTML),
        exchange("/data.csv", b"a,b\n1,2\n", headers=(("Content-Type", "text/csv"),)),
    )
    with ArchiveReader(made) as archive, (tmp_path / "x.warc.gz").open("wb") as out:
        export_warc(archive, out)
    for words in (["init", "c"], ["add", "c", str(tmp_path / "x.warc.gz")]):
        subprocess.run([f"{programs}/wb-manager", *words], cwd=tmp_path, check=True, capture_output=True)
    port = free_port()
    server = subprocess.Popen(
        [f"{programs}/wayback", "-p", str(port), "-b", "127.0.0.1"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert fetch(f"http://127.0.0.1:{port}/c/20220624120000id_/{SITE}/data.csv") == b"a,b\n1,2\n"
        assert b"first page" in fetch(f"http://127.0.0.1:{port}/c/20220624120000id_/{SITE}/")
    finally:
        server.kill()
        server.wait()


def fetch(url: str) -> bytes:
    """A page, once the server is up."""
    for _ in range(300):
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=20) as got:
                return bytes(got.read())
        except URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.1)
    raise AssertionError("pywb did not come up")
