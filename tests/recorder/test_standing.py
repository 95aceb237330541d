"""When a site refused: from the documents that an episode met."""

import pytest

from webds_recorder.standing import OURS, Standing, same_site

START = "https://www.data.example/start"
HOME, DEEP, OTHER = "https://data.example/", "https://data.example/deep", "https://elsewhere.example/"


def stood(*met: tuple[str, str], sites: tuple[str, ...] = ()) -> Standing:
    made = Standing.of(START, sites)
    for url, rule in met:
        made.note(url, rule)
    return made


@pytest.mark.parametrize(
    "met",
    [
        [(START, "status-403")],
        [(START, "dns")],
        [(START, "robots")],
        [(START, "status-5xx"), (DEEP, "status-5xx")],
        [(START, ""), (DEEP, "captcha")],  # a hard rule counts wherever it comes
        [(START, ""), (DEEP, "status-429")],
        [("https://stats.data.example/x", "status-451")],  # a host under the site is the site
    ],
)
def test_beyond_doubt(met: list[tuple[str, str]]) -> None:
    found = stood(*met).blocked()
    assert found is not None
    assert (found.url, found.last) == met[-1]


@pytest.mark.parametrize(
    "met",
    [
        [],
        [(START, "")],
        [(START, "status-5xx"), (START, "")],  # it went away when the page was loaded again
        [(START, "cloudflare"), (START, "")],  # a challenge that the browser passed by itself
        [(START, ""), (OTHER, "captcha")],  # a search engine's captcha is not the task's site
        [(START, ""), (DEEP, "status-403"), (HOME, "")],  # one page that is not for everyone
    ],
)
def test_no_block(met: list[tuple[str, str]]) -> None:
    made = stood(*met)
    assert made.blocked() is None
    assert made.doubtful() == []


@pytest.mark.parametrize("rule", ["status-403", "status-5xx", "unreachable", "dns", "tls", "no-answer", "robots"])
def test_a_page_refused_after_others_were_not_is_asked_about(rule: str) -> None:
    made = stood((START, ""), (DEEP, rule))
    assert made.blocked() is None
    assert [(host, site.last) for host, site in made.doubtful()] == [("www.data.example", rule)]


def test_the_second_site_of_a_task_counts() -> None:
    made = stood((START, ""), ("https://second.example/", "human-check"), sites=("second.example",))
    assert made.blocked() is made.met["second.example"]


def test_a_machine_without_name_server_blames_nobody() -> None:
    made = stood((START, OURS))
    assert made.blocked() is None
    assert made.doubtful() == []
    ours = made.ours()
    assert ours is not None
    assert ours.url == START


def test_same_site() -> None:
    assert same_site("www.bls.gov", "bls.gov")
    assert same_site("data.bls.gov", "www.bls.gov")
    assert same_site("bls.gov", "data.bls.gov")
    assert not same_site("notbls.gov", "bls.gov")
    assert not same_site("bls.gov.example", "bls.gov")
