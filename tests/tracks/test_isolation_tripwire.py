"""The tripwire: first that it can fail, then that nothing of a real episode reaches it. docs/isolation.md."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.runs import environment
from tests.tracks.hostile import ROOT
from tests.tracks.sink import ANY, DNS, Sink, packets, refusal, sink

pytestmark = [
    pytest.mark.skipif(bool(refusal()), reason=f"no sink: {refusal()}"),
    pytest.mark.long,
    pytest.mark.timeout(600),
]
OTHER_ENDS = ("203.0.113.5.3478", "203.0.113.8.443", "169.254.169.254.80", "224.0.0.251.5353")
"""STUN, an address, the cloud's metadata, mDNS."""


def leave(out: Sink, how: str) -> subprocess.CompletedProcess[str]:
    command = [*out.prefix, sys.executable, "-m", "tests.tracks.leave", how, str(out.folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200)


def test_a_plain_browser_trips_it_and_an_episode_does_not(tmp_path: Path) -> None:
    with sink(tmp_path) as out:
        with out.listening("plain") as plain:
            assert leave(out, "plain").returncode == 0
        with out.listening("flags") as flags:
            done = leave(out, "flags")
            assert done.returncode == 0, done.stderr
        with out.listening("episode") as episode:
            words = ["run", "--agent", "scripted", "--root", str(ROOT), "--out", str(tmp_path / "run")]
            command = [*out.prefix, sys.executable, "-m", "webds", *words, "--set", "isolation=namespace"]
            run = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=200)
            assert run.returncode == 0, run.stderr
    left = "\n".join(packets(plain, ANY))
    counts = {file.stem: (len(packets(file, ANY)), len(packets(file, DNS))) for file in (plain, flags, episode)}
    print("packets and DNS packets at the sink:", counts)
    assert all(end in left for end in OTHER_ENDS)
    assert any("fetch.foreign.example" in line for line in packets(plain, DNS))
    # Without the kernel's layer the browser still joins a multicast group (IGMP), and sends nothing else.
    assert packets(flags, f"({ANY}) and not igmp") == []
    assert counts["episode"] == (0, 0), packets(episode, ANY)
    _really_ran(tmp_path / "run")


def _really_ran(run: Path) -> None:
    facts = json.loads((run / "run.json").read_text())["facts"]
    assert facts["isolation"] == "namespace"
    rows = [
        json.loads(line)
        for file in run.glob("episodes/*/try-1/requests.jsonl")
        for line in file.read_text().splitlines()
    ]
    asked = {row["url"] for row in rows if row["outcome"] == "blocked"}
    assert "https://fetch.foreign.example/" in asked
    assert "http://169.254.169.254/latest/meta-data/" in asked
