"""`webds freeze` of a local site, and tasks on its replay with the origin stopped."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.recorder import capture_steps
from tests.recorder.browse import browser, log, world
from tests.recorder.portal import ROWS, Portal, served
from webds_recorder.archive import ArchiveReader
from webds_recorder.verify import verify

SITE = "https://portal.test"
STEPS = Path(capture_steps.__file__)


def webds(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", "from webds.cli import main; main()", *words]
    done = subprocess.run(line, capture_output=True, text=True, timeout=600)
    assert done.returncode == code, done.stderr[-3000:]
    return done


def freeze(origin: str, out: Path, *more: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    words = ["freeze", f"{SITE}/", "--site", "portal", "--delay", "0", "--settle", "0.3", "--out", str(out)]
    words += ["--frozen", "2022-06-24T12:00:00Z", "--map", f"portal.test={origin}"]
    return webds(*words, *more, code=code)


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small capture: five pages of the crawl, and the steps."""
    folder = tmp_path_factory.mktemp("frozen")
    with served(Portal().app()) as origin:
        freeze(origin, folder / "a", "--crawl", "--pages", "5", "--script", str(STEPS))
    return folder / "a"


async def do_tasks(page: Page, item: int) -> dict[str, str]:
    """Five tasks as a scripted agent does them."""
    found = {}
    await page.goto(f"{SITE}/")
    await page.click(f"text='Item {item}'")
    found["item"] = await page.inner_text("td:nth-child(2)")
    await page.goto(f"{SITE}/")
    await page.fill("[name=q]", "Item 4")
    await page.press("[name=q]", "Enter")
    await page.wait_for_url("**/search?q=Item+4")
    found["search"] = await page.inner_text("p")
    found["post"] = str((await page.evaluate(capture_steps.POST))["count"])
    async with page.expect_download() as file:
        await page.evaluate("location.href = '/data set.csv'")
    download = await file.value
    lines = Path(await download.path()).read_text().splitlines()[1:]
    found["download"] = f"{download.suggested_filename} {sum(int(line.split(',')[2]) for line in lines)}"
    await page.goto(f"{SITE}/account")
    await page.fill("[name=user]", "ann")
    await page.fill("[name=password]", "open")
    await page.click("button")
    await page.wait_for_url("**/account")
    found["login"] = await page.inner_text("b")
    await page.goto(f"{SITE}/live")
    await page.wait_for_function(capture_steps.LIVE)
    found["live"] = " ".join(await page.locator("li").all_inner_texts())
    return found


def expected(item: int) -> dict[str, str]:
    events = " ".join(f"event {n}" for n in range(8))
    return {
        "item": str(ROWS[item - 1][2]),
        "search": "11 found",
        "post": str(sum(row[2] > 90 for row in ROWS)),
        "download": f"data set.csv {sum(row[2] for row in ROWS)}",
        "login": "1,204.50",
        "live": f"{events} hello pong ping 1 pong ping 2",
    }


async def test_tasks_on_the_replay_with_the_origin_stopped(frozen: Path, tmp_path: Path, root: Path) -> None:
    verify(frozen)
    async with world(root, frozen, tmp_path, "portal") as made, browser(made, tmp_path / "e", "one") as context:
        page = context.pages[0]
        await page.goto(f"{SITE}/account")
        assert page.url == f"{SITE}/login"
        assert await do_tasks(page, 2) == expected(2)
    rows = log(tmp_path / "e", "one")
    assert [row["url"] for row in rows if row["result"] == "miss"] == []
    assert {row["level"] for row in rows if row["result"] == "hit"} <= {"exact", "canonical", "derived"}


@pytest.mark.long
async def test_fifty_pages(tmp_path: Path, root: Path) -> None:
    """The whole site in 57 pages, then the tasks on the last item; the origin is stopped before the replay starts."""
    with served(Portal().app()) as origin:
        # Its pages are quiet once loaded, and the script waits for what it needs: no wait for silence.
        freeze(origin, tmp_path / "a", "--crawl", "--script", str(STEPS), "--settle", "0.05")
    with ArchiveReader(tmp_path / "a") as archive:
        paths = {row.path for row in archive.rows()}
    assert {f"/item/{n}" for n in range(1, 51) if n != 13} <= paths
    async with world(root, tmp_path / "a", tmp_path, "portal") as made, browser(made, tmp_path / "e", "one") as context:
        assert await do_tasks(context.pages[0], 50) == expected(50)
    assert [row["url"] for row in log(tmp_path / "e", "one") if row["result"] == "miss"] == []


def test_secrets_stay_out(frozen: Path) -> None:
    everything = b"".join(path.read_bytes() for path in frozen.rglob("*") if path.is_file())
    assert b"k3Jd83jfLs0Qm2xVb7Ty" not in everything
    assert b"password=open" not in everything
    manifest = json.loads((frozen / "manifest.json").read_text())
    assert manifest["redactions"] == ["value of cookie session of portal.test"]


@pytest.mark.long
def test_a_capture_that_is_cut_off_goes_on_and_robots_are_obeyed(tmp_path: Path, frozen: Path) -> None:
    with served(Portal().app()) as origin:
        bad = tmp_path / "bad.py"
        bad.write_text("async def run(page):\n    assert False, 'stop here'\n")
        crawl = ("--crawl", "--pages", "3")
        done = freeze(origin, tmp_path / "a", *crawl, "--script", str(bad), code=2)
        assert "bad.py: AssertionError: stop here" in done.stderr
        again = freeze(origin, tmp_path / "a", "--crawl", "--pages", "5", "--script", str(STEPS), "--resume")
        assert "4 of 55 pages" in again.stderr
        assert "3 of 55 pages" not in again.stderr
        refused = webds(
            "freeze", f"{SITE}/item/13", f"{SITE}/item/14", "--site", "p", "--out", str(tmp_path / "b"), "--delay", "0",
            "--settle", "0.3", "--map", f"portal.test={origin}", code=1,
        )  # fmt: skip
        assert refused.stderr.splitlines()[-1] == f"webds: not captured: {SITE}/item/13"
        assert f"{SITE}/item/13: robots.txt forbids it" in refused.stderr
    assert verify(tmp_path / "a") == verify(frozen)


def test_drift_says_what_changed(frozen: Path, tmp_path: Path) -> None:
    with served(Portal().app()) as origin:
        words = ["archive", "drift", str(frozen), "--map", f"portal.test={origin}", "--delay", "0"]
        # The account page needs the session; everything else is as it was.
        assert "1 of" in webds(*words, code=1).stdout.splitlines()[-1]


class Guarded:
    """An origin whose answers carry a key of chance and a session; robots.txt is refused without a body."""

    def __init__(self, robots: int) -> None:
        self.robots = robots
        self.asked: list[str] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/{path:path}", self.answer)])

    async def answer(self, request: Request) -> Response:
        if request.url.path == "/favicon.ico":
            return Response(status_code=404)
        self.asked.append(request.url.path)
        if request.url.path == "/robots.txt":
            return Response(status_code=self.robots)
        number = len(self.asked)
        headers = {"X-Api-Token": "k3Jd83jfLs0Qm2xVb7Ty", "Set-Cookie": f"s{number}=k3Jd83jfLs0Qm2xVb7T{number}"}
        return HTMLResponse("<!doctype html><title>x</title><a href=/next>next", headers=headers)


def test_a_capture_that_the_gate_stopped_goes_on_without_fetching_again(tmp_path: Path) -> None:
    guarded = Guarded(robots=404)
    steps = tmp_path / "steps.py"
    steps.write_text("async def run(page):\n    await page.goto('https://portal.test/steps')\n")
    with served(guarded.app()) as origin:
        words = ("--crawl", "--script", str(steps))
        stopped = freeze(origin, tmp_path / "a", *words, code=2)
        assert "header x-api-token still looks like a secret (3 in all)" in stopped.stderr
        assert guarded.asked == ["/robots.txt", "/", "/next", "/steps"]
        kept = json.loads((tmp_path / "a.part" / "redactions.json").read_text())
        assert sorted(kept["known"].values()) == ["redacted-1", "redacted-2", "redacted-3"]
        freeze(origin, tmp_path / "a", *words, "--resume", "--allow-header", "x-api-token")
        assert len(guarded.asked) == 4
    with ArchiveReader(tmp_path / "a") as archive:
        assert {row.n for row in archive.rows()} == {1}
        assert len([line for line in archive.manifest["redactions"] if line.startswith("value of cookie s")]) == 3
    assert sorted(path.name for path in (tmp_path / "a").iterdir() if path.is_file()) == [
        "index.sqlite",
        "manifest.json",
        "provenance.json",
    ]


def test_a_start_page_that_robots_forbid_without_a_word_is_not_captured(tmp_path: Path) -> None:
    guarded = Guarded(robots=403)
    with served(guarded.app()) as origin:
        done = freeze(origin, tmp_path / "a", code=1)
    assert f"{SITE}/: robots.txt forbids it" in done.stderr
    assert done.stderr.splitlines()[-1] == f"webds: not captured: {SITE}/"
    assert guarded.asked == ["/robots.txt"]


BAD: list[tuple[Sequence[str], str]] = [
    (("portal",), "URL 'portal': wanted an address like https://example.org/"),
    (("https://a.test", "--frozen", "noon"), "--frozen noon: wanted an instant like 2022-06-24T12:00:00Z"),
    (("https://a.test", "--map", "a.test"), "--map a.test: wanted HOST=http://address:port"),
    (("https://a.test", "--script", "none.py"), "none.py: no Python file here"),
]


@pytest.mark.parametrize(("words", "said"), BAD)
def test_bad_input_is_one_line(words: Sequence[str], said: str) -> None:
    done = webds("freeze", *words, "--site", "x", code=2)
    assert done.stderr == f"webds: {said}\n"
