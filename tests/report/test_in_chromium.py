"""The pages in the real browser: what strangers wrote is shown and does nothing, pictures load, no one is called."""

import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.report.build_run import Act, Episode, make_run, task
from webds.report.build import ReportPaths, build
from webds.types import File, Part

EVIL = "<script>window.hit=1;alert(1);console.log('hit')</script><img src='http://evil.example/x.png' onerror=alert(2)>"
# The id is a folder's name and holds no slash: a script element cannot be closed in it, an event handler needs none.
EVIL_ID = "id<img src=x onerror=alert(3)><script>alert(4)"


@dataclass
class Seen:
    """What a page did."""

    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium on PATH")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> ReportPaths:
    """A run in which everything that strangers write holds a script."""
    view = {"url": EVIL, "title": EVIL, "result": EVIL, "downloads": [{"name": EVIL, "size": 3}]}
    acts = [
        Act(name="goto", args={"url": EVIL}, text=EVIL, view=view),
        Act(name="python", args={"code": EVIL}, text=EVIL, refused=EVIL, view=view),
        Act(name=EVIL, args={EVIL: EVIL}, text="</pre></details>" + EVIL, view=view),
    ]
    episode = Episode(
        task=EVIL_ID,
        answer=EVIL,
        why=EVIL,
        reason=EVIL,
        acts=acts,
        files=(File(name=EVIL, path=f"files/{EVIL}", sha256="ab" * 32, size=3),),
        parts=(Part(name=EVIL, passed=True, why=EVIL, parsed={EVIL: EVIL}),),
        requests=[{"outcome": "blocked", "url": EVIL}, {"outcome": EVIL, "url": "https://a.test/", "host": EVIL}],
    )
    tasks = [task(EVIL_ID, prompt=EVIL, difficulty=EVIL, domain=EVIL, **{EVIL: [EVIL]})]
    run = make_run(
        tmp_path_factory.mktemp("evil") / "run",
        tasks,
        [episode],
        id=EVIL,
        agent=EVIL,
        track=EVIL,
        created=EVIL,
        warnings=[EVIL],
        versions={EVIL: EVIL},
        facts={EVIL: EVIL, "sandbox": EVIL, "sites": {EVIL: EVIL}},
        config={"x": "</pre>" + EVIL},
    )
    return build(run)


def opened(browser: Browser, path: Path, width: int = 1280, height: int = 720) -> tuple[Page, Seen]:
    page, seen = browser.new_page(viewport={"width": width, "height": height}), Seen()
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("console", lambda message: seen.console.append(message.text))

    def dismiss(dialog) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(path.as_uri(), wait_until="load")
    return page, seen


def pages(paths: ReportPaths) -> list[Path]:
    return [paths.html, *paths.pages]


@pytest.mark.parametrize("which", [0, 1], ids=["report", "episode"])
def test_what_strangers_wrote_is_shown_and_does_nothing(browser: Browser, paths: ReportPaths, which: int) -> None:
    page, seen = opened(browser, pages(paths)[which])
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("typeof window.hit") == "undefined"
    assert page.evaluate("document.scripts.length") == 0
    assert page.evaluate("[...document.images].filter(i => !i.src.includes('/blobs/')).length") == 0
    assert page.evaluate("[...document.querySelectorAll('*')].filter(e => e.onerror || e.onclick).length") == 0
    text = page.evaluate("document.body.textContent")
    assert text.count("<script>window.hit=1") >= (6 if which == 0 else 14)
    assert EVIL_ID in text
    assert seen.dialogs == []
    assert seen.console == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_links_lead_to_the_episode_and_back(browser: Browser, paths: ReportPaths) -> None:
    page, _ = opened(browser, paths.html)
    page.click("table.rows a")
    assert page.locator("h1").inner_text() == EVIL_ID
    page.click(".brand a")
    assert page.url == paths.html.as_uri()
    page.close()


def test_screenshots_without_a_file_extension_load_from_disk(browser: Browser, paths: ReportPaths) -> None:
    page, _ = opened(browser, paths.pages[0])
    shots = page.locator(".shot img")
    assert shots.count() == 5
    for number in range(5):
        shots.nth(number).scroll_into_view_if_needed()
        page.wait_for_function("n => document.querySelectorAll('.shot img')[n].naturalWidth === 64", arg=number)
    page.close()


def test_the_policy_alone_stops_a_script(browser: Browser, paths: ReportPaths, tmp_path: Path) -> None:
    """Were escaping to fail, the second barrier holds: scripts, handlers, outside pictures and style attributes."""
    outside = socket.create_server(("127.0.0.1", 0))
    outside.setblocking(False)
    address = f"http://127.0.0.1:{outside.getsockname()[1]}"
    bad = (
        "<script>window.hit=1;alert(1)</script><p id=p style='position:fixed' onclick='window.hit=2'>x</p>"
        f"<img src='{address}/x.png' onerror='window.hit=3'><iframe src='javascript:parent.hit=4'></iframe>"
        f"<link rel=stylesheet href='{address}/x.css'><base href='{address}'>"
    )
    (tmp_path / "bad.html").write_text(paths.html.read_text().replace("<footer>", bad + "<footer>"))
    page, seen = opened(browser, tmp_path / "bad.html")
    page.evaluate("document.getElementById('p').click()")
    assert page.evaluate("typeof window.hit") == "undefined"
    assert page.evaluate("getComputedStyle(document.getElementById('p')).position") == "static"
    assert seen.dialogs == []
    # The request event also fires for what the policy stops, so the proof is that no connection arrives.
    with outside, pytest.raises(BlockingIOError):
        outside.accept()
    page.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
@pytest.mark.parametrize("which", [0, 1], ids=["report", "episode"])
def test_nothing_runs_out_of_the_window(
    browser: Browser, paths: ReportPaths, which: int, width: int, height: int
) -> None:
    page, _ = opened(browser, pages(paths)[which], width, height)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_filter_by_outcome_without_a_script(browser: Browser, tmp_path: Path) -> None:
    episodes = [Episode(task="a"), Episode(task="b", passed=False), Episode(task="c")]
    made = build(make_run(tmp_path / "run", [task(name) for name in "abcd"], episodes))
    page, _ = opened(browser, made.html)
    rows = page.locator("tbody tr[class^=r-]:visible")
    assert rows.count() == 4
    page.locator(".filter").get_by_text("pass 2", exact=True).click()
    assert rows.count() == 2
    page.locator(".filter").get_by_text("not run 1", exact=True).click()
    assert rows.locator("th").all_inner_texts()[0].startswith("d")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_of_all_text(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """WCAG AA, 4.5 to 1, for every element that has text of its own, against the nearest painted ground."""
    episodes = [Episode(task="a"), Episode(task="b", passed=False)]
    facts = {"sandbox": "none", "isolation": "none", "sites": {}}
    made = build(make_run(tmp_path / "run", [task(n) for n in "abc"], episodes, facts=facts, warnings=["w"]))
    for path in (made.html, made.pages[0]):
        page, _ = opened(browser, path)
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert page.evaluate(LOW_CONTRAST) == []
        page.close()


LOW_CONTRAST = """() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
    .reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0);
  const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return [...document.body.querySelectorAll('*')].filter(own).map(e => {
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    return [e.tagName + '.' + e.className, e.textContent.trim().slice(0, 30), (a + .05) / (b + .05)];
  }).filter(row => row[2] < 4.5);
}"""
