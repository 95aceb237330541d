"""The schedule of a live host: by hand, over processes, and by its policy."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from webds.errors import InputFault
from webds.tracks.livesites import SHIPPED, policies, resolver, sites
from webds_recorder.polite import LONGEST, Ledger, Policies, Policy, next_free


def test_pages_one_after_the_other() -> None:
    assert next_free({}, "page", 100.0, 2.0, 1) == (0.0, 102.0)
    assert next_free({"page": 102.0}, "page", 100.5, 2.0, 1) == (1.5, 104.0)
    assert next_free({"page": 102.0}, "page", 110.0, 2.0, 1) == (0.0, 112.0)


def test_a_burst_goes_at_once_and_is_paid_for_afterwards() -> None:
    state, waits = {"any": 0.0}, []
    for _ in range(6):
        wait, state["any"] = next_free(state, "any", 50.0, 0.5, 4)
        waits.append(wait)
    assert waits == [0.0, 0.0, 0.0, 0.0, 0.5, 1.0]


def test_a_clock_that_was_set_back_holds_nobody() -> None:
    assert next_free({"page": 9e9}, "page", 100.0, 2.0, 1) == (0.0, 102.0)
    assert next_free({"page": 100.0 + LONGEST}, "page", 100.0, 2.0, 1)[0] == LONGEST


def test_a_crawl_delay_counts_where_it_is_longer(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, clock=lambda: 1000.0)
    policy = Policy(delay=2.0, per_minute=0)
    assert [ledger.take("a", policy, 0.0, True), ledger.take("a", policy, 0.0, True)] == [0.0, 2.0]
    assert [ledger.take("b", policy, 7.0, True), ledger.take("b", policy, 7.0, True)] == [0.0, 7.0]
    assert ledger.take("a", policy, 0.0, False) == 0.0


def test_a_damaged_ledger_begins_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.take("a", Policy(), 0.0, True)
    next(tmp_path.glob("*.json")).write_bytes(b"\x00{")
    assert ledger.take("a", Policy(), 0.0, True) == 0.0


def test_four_processes_keep_one_schedule(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from webds_recorder.polite import Ledger, Policy\n"
        "ledger = Ledger(Path(sys.argv[1]), clock=lambda: 500.0)\n"
        "for _ in range(25): print(ledger.take('x', Policy(delay=1.0, per_minute=0), 0.0, True))\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path)]
    children = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(4)]
    said = [line for child in children for line in child.communicate()[0].split()]
    assert sorted(map(float, said)) == [float(n) for n in range(100)]


def test_hosts_of_one_site_share_its_policy() -> None:
    found = Policies.of({"default": {"delay": 1.0}, "hosts": {"cdc.gov": {"delay": 5.0}}})
    assert found.site("www.cdc.gov") == found.site("data.cdc.gov") == "cdc.gov"
    assert found.find("data.cdc.gov").delay == 5.0
    assert found.find("notcdc.gov").delay == 1.0
    assert found.site("www.elsewhere.example") == "elsewhere.example"


def test_the_shipped_list_has_every_slug_and_marks_guesses() -> None:
    rows = sites()
    assert len(rows) == 28
    assert all(isinstance(row["guess"], bool) and row["url"].startswith("https://") for row in rows)
    assert {"bea", "fred", "st-louis-fed", "cdc-covid", "reddit", "shopping"} < {row["slug"] for row in rows}
    assert policies("", "")["default"]["robots"] == "respect"
    assert SHIPPED.is_file()


def test_own_policies_go_over_the_shipped_ones(tmp_path: Path) -> None:
    own = tmp_path / "sites.toml"
    own.write_text('[default]\ndelay = 9\n[[site]]\nhost = "bea.gov"\nrobots = "record"\n')
    found = policies(str(own), "")
    assert found["default"]["delay"] == 9.0
    assert found["hosts"]["bea.gov"] == {"robots": "record"}
    assert {policy["robots"] for policy in policies(str(own), "respect")["hosts"].values()} == {"respect"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[site]]\nslug = "x"\n', "site x: field host: missing"),
        ('[[site]]\nhost = "x.example"\nrobots = "ignore"\n', "field robots: 'ignore'; known: respect, record"),
        ('[[site]]\nhost = "x.example"\ndelay = "long"\n', "field delay: 'long'; wanted a number"),
        ("[default]\npace = 1\n", "field pace: unknown; known: delay"),
        ("[sites]\n", "field sites: unknown; known: default, site"),
    ],
)
def test_a_wrong_policy_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "sites.toml").write_text(text)
    with pytest.raises(InputFault, match=said):
        policies(str(tmp_path / "sites.toml"), "")


def test_a_wrong_resolver_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text('"a.test" = "nowhere"\n')
    with pytest.raises(InputFault, match=r"field a.test: 'nowhere'; wanted"):
        resolver(str(tmp_path / "net.toml"))


def test_time_is_seconds_since_1970(tmp_path: Path) -> None:
    Ledger(tmp_path).take("a", Policy(delay=3.0), 0.0, True)
    assert abs(float(next(tmp_path.glob("*.json")).read_text().split('"page": ')[1].rstrip("}")) - time.time() - 3) < 5
