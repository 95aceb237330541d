"""Fifty uploads of 20 MB at once and two hundred readers, against `webds serve` as a process of its own."""

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.submit.made import Checkout, relinked, rewritten, run_of, with_evidence
from webds.submit import reserved
from webds.submit.book import Book, add_person
from webds.submit.pack import pack

UPLOADS, READERS, MEGABYTES = 50, 200, 20
RUN = "20991130T1010{0:02d}Z-hand-ab12"


def heavy(good: Path, to: Path, number: int) -> Path:
    """The bundle as another team's run, with a picture of 20 MB that no other bundle has."""
    data = random.Random(number).randbytes(MEGABYTES << 20)
    name = hashlib.sha256(data).hexdigest()

    def change(found: dict[str, bytes]) -> None:
        for old in [member for member in found if member.startswith("blobs/")]:
            del found[old]
        found[f"blobs/{name[:2]}/{name}"] = data
        for base in ("episodes/ask~0/try-1", "episodes/post~0/try-1"):
            steps, last = relinked(found[f"{base}/trajectory.jsonl"], _shown_as(name))
            found[f"{base}/trajectory.jsonl"] = steps
            with_evidence(found, f"{base}/evidence.json", digests={"trajectory": last})
        manifest = json.loads(found["bundle.json"])
        found["bundle.json"] = json.dumps({**manifest, "team": f"team{number}", "run": RUN.format(number)}).encode()

    return rewritten(good, to, change)


def _shown_as(name: str) -> Any:
    def change(_: int, row: dict[str, Any]) -> None:
        for seen in (row["saw"], row["then"]):
            seen["image"] = name if seen["image"] else ""

    return change


@pytest.mark.long
def test_fifty_uploads_and_two_hundred_readers(tmp_path: Path, root: Path) -> None:
    checkout = Checkout(tmp_path / "c", root)
    pack(run_of(checkout, tmp_path / "run"), "team0", tmp_path / "good.zip")
    book = Book(tmp_path / "board")
    tokens = [add_person(book, "teams", f"team{number}") for number in range(UPLOADS)]
    words = [sys.executable, "-m", "webds", "serve", "--board", str(book.folder), "--root", str(checkout.root)]
    server = subprocess.Popen([*words, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert server.stdout is not None
    try:
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        address, process, peak = found[0].rstrip("/"), psutil.Process(server.pid), [0]
        stop = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process, peak, stop))
        watcher.start()
        began = time.monotonic()

        def upload(number: int) -> dict[str, Any]:
            path = heavy(tmp_path / "good.zip", tmp_path / f"b{number}.zip", number)
            with path.open("rb") as file:
                sha = hashlib.file_digest(file, "sha256").hexdigest()
            with reserved.client(address, tokens[number]) as http:
                http.timeout = httpx.Timeout(600)
                reserved.reserve(http, RUN.format(number), {"agent": "hand", "model": "a-model", "split": "private"})
                answer = reserved.send(http, path, sha, lambda *_: None)
            path.unlink()
            return answer

        def read(number: int) -> int:
            with httpx.Client(base_url=address, timeout=600, trust_env=False) as http:
                return http.get("/board/table.json?level=all" if number % 2 else "/board/").status_code

        with ThreadPoolExecutor(UPLOADS) as senders, ThreadPoolExecutor(READERS) as readers:
            sent = [senders.submit(upload, number) for number in range(UPLOADS)]
            seen = [readers.submit(read, number) for number in range(READERS)]
            answers, codes = [job.result() for job in sent], [job.result() for job in seen]
        seconds = time.monotonic() - began
        stop.set()
        watcher.join()
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()
    assert {answer["state"] for answer in answers} == {"queued"}
    assert set(codes) == {200}
    assert len(book.rows("SELECT 1 FROM submissions")) == UPLOADS
    assert sorted(path.stat().st_size >> 20 for path in book.bundles.iterdir()) == [MEGABYTES] * UPLOADS
    assert list(book.uploads.iterdir()) == []
    print(
        f"\n{UPLOADS} uploads of {MEGABYTES} MB, {READERS} readers: {seconds:.0f} s, server at most {peak[0] >> 20} MB"
    )
    assert peak[0] < 1 << 30


def _watch(process: psutil.Process, peak: list[int], stop: threading.Event) -> None:
    while not stop.wait(0.2):
        peak[0] = max(peak[0], process.memory_info().rss)
