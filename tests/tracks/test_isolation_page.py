"""A hostile page: every way out is closed, and every request that was made stands in the log. docs/isolation.md."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Error

from tests.tracks.hostile import browsing, canary
from webds import jail
from webds.tracks.world import namespaces

LEVELS = [
    pytest.param("namespace", marks=pytest.mark.skipif(bool(namespaces()), reason=f"no namespace: {namespaces()}")),
    pytest.param("none", marks=() if namespaces() else pytest.mark.long),
]
policy = pytest.mark.skipif(jail.mechanism() == "none", reason=f"no policy file: {jail.mechanism_reason()}")

ASKED = ("fetch", "prefetch", "preload", "style", "icon", "frame", "image", "beacon", "keepalive", "dns", "socket",
         "events", "worker", "service-worker", "loopback")  # fmt: skip
SILENT = ("dns-prefetch", "ping", "stun", "speculation", "prerender", "ftp")
"""Kinds that the browser is told not to make at all, or that are no HTTP request."""


def host_of(url: str) -> str:
    """Of an address, or of a CONNECT's host and port."""
    return url.partition("://")[2].partition("/")[0] or url


@pytest.mark.parametrize("level", LEVELS)
async def test_every_probe_of_the_page_is_blocked_and_logged(level: str, tmp_path: Path) -> None:
    """With level `none` the kernel's layer is missing: browser flags and proxy alone hold as well (B27)."""
    async with browsing(tmp_path, level) as place:
        async with canary(place):
            page = place.browser.pages[0]
            await page.goto(f"https://hostile.test/?port={place.port}")
            await page.wait_for_function("globalThis.met", timeout=90_000)
            met = await page.evaluate("met")
            async with place.browser.expect_page() as opened:
                await page.click("#popup")
            pop_up = await opened.value
            await pop_up.wait_for_load_state()
            assert "not part of the frozen web" in await pop_up.content()
            await page.click("#ping")
            await page.wait_for_url("**/still")
        port = place.port
    blocked = place.blocked()  # a tunnel without a request is logged when it closes
    assert place.canary == []
    assert met["webrtc"] == []
    assert not [name for name in met["forged"] if name.startswith("x-webds")]
    for name in (n for n in met if n not in ("webrtc", "forged")):
        assert met[name] in ("opaque", "no", "silence") or met[name].startswith("no "), (name, met[name])
    hosts = {host_of(url) for url in blocked}
    for name in (*ASKED, "popup"):
        assert any(host.startswith(f"{name}.foreign.example") for host in hosts), name
    for name in SILENT:
        assert not any(host.startswith(f"{name}.foreign.example") for host in hosts), name
    # A context of its own does not preconnect at all; one that does is stopped at the proxy.
    reached = [row["url"] for row in place.rows() if row["outcome"] != "blocked"]
    assert not [url for url in reached if "preconnect.foreign.example" in url]
    if level == "none":  # with `lo` alone WebRTC does not even try
        assert {"turn.foreign.example:5349", "203.0.113.6:3478"} <= blocked
    assert {"203.0.113.8", "203.0.113.9", "169.254.169.254", "printer.local", "intranet"} <= hosts
    assert f"http://127.0.0.1:{port}/loopback" in blocked
    assert any(url.startswith("http://") and "//[::1]:" in url and url.endswith(f":{port}/loopback") for url in blocked)
    assert not [row for row in place.rows() if row["outcome"] != "blocked" and host_of(row["url"]) != "hostile.test"]


REFUSED = ("file:///etc/hostname", "file://localhost/etc/hostname", "view-source:https://hostile.test/",
    "view-source:file:///etc/passwd", "chrome://version", "chrome://net-export", "chrome-untrusted://print",
    "devtools://devtools/bundled/inspector.html", "data:text/html,<h1>data</h1>", "blob:https://hostile.test/guess",
    "filesystem:https://hostile.test/temporary/x", "ftp://ftp.foreign.example/", "javascript:alert(1)",
    "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html")  # fmt: skip


@policy
async def test_addresses_that_are_not_of_the_web_are_refused(tmp_path: Path) -> None:
    """The browser's policy, whoever asks it to go there: this is Playwright itself, below the agent's `goto`."""
    async with browsing(tmp_path, "none") as place:
        for address in REFUSED:
            page = await place.browser.new_page()
            with pytest.raises(Error, match="net::ERR_"):
                await page.goto(address, timeout=10_000)
            await page.close()
        page = await place.browser.new_page()
        await page.goto("about:version")  # is not taken for chrome://version
        assert await page.evaluate("document.body.innerText") == ""


FORMS = ("http://127.0.0.1:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/", "http://127.1:{port}/", "http://[::1]:{port}/", "http://[::ffff:127.0.0.1]:{port}/",
    "http://localhost:{port}/", "http://loopback.foreign.example:{port}/", "http://0.0.0.0:{port}/",
    "http://169.254.169.254/latest/meta-data/", "http://2852039166/latest/meta-data/")  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
async def test_local_addresses_in_any_form_get_the_block_page(level: str, tmp_path: Path) -> None:
    async with browsing(tmp_path, level) as place, canary(place):
        await place.inside(f"import socket; socket.create_connection(('127.0.0.1', {place.port})).sendall(b'proof')")
        for form in FORMS:
            page = await place.browser.new_page()
            before = len(place.rows())
            answer = await page.goto(form.format(port=place.port), timeout=20_000)
            assert answer is not None
            assert answer.status == 403, form
            assert "not part of the frozen web" in await page.content(), form
            assert {row["outcome"] for row in place.rows()[before:]} == {"blocked"}, form
            await page.close()
    assert place.canary == ["heard b'proof'"]


@policy
async def test_a_blob_of_the_page_shows_only_what_the_page_made(tmp_path: Path) -> None:
    """It cannot be forbidden without forbidding the downloads that pages make; it gets no further than the page."""
    async with browsing(tmp_path, "none") as place:
        page = place.browser.pages[0]
        await page.goto("https://hostile.test/blob")
        assert await page.evaluate("i.naturalWidth") == 5  # data: pictures stay
        assert await page.frames[1].evaluate("document.body.innerText") == "inner"
        async with page.expect_download() as download:
            await page.click("#d")
        assert (await download.value).suggested_filename == "made.csv"
        await page.click("#b")
        await page.wait_for_url("blob:**")
        assert await page.evaluate("fetch('file:///etc/hostname').then(() => 1, () => 0)") == 0
        await page.evaluate("fetch('https://blob.foreign.example/', {mode: 'no-cors'})")
        assert "https://blob.foreign.example/" in place.blocked()


async def test_sixty_requests_at_once_do_not_dead_lock(tmp_path: Path) -> None:
    async with browsing(tmp_path, "none" if namespaces() else "namespace") as place:
        page = place.browser.pages[0]
        await page.goto("https://hostile.test/sixty")
        await page.wait_for_function("state.textContent.startsWith('sum')", timeout=20_000)
        assert await page.evaluate("state.textContent") == f"sum {sum(range(60))}"
    parts = [row for row in place.rows() if "/part?" in row["url"]]
    assert len(parts) == 60
    assert {row["status"] for row in parts} == {200}


@pytest.mark.long
async def test_fifteen_idle_seconds_ask_for_nothing(tmp_path: Path) -> None:
    """B45: browsers ask their maker for updates and accounts by themselves."""
    async with browsing(tmp_path, "none") as place:
        page = place.browser.pages[0]
        await page.goto("https://hostile.test/still")
        await page.wait_for_timeout(15_000)
    assert {host_of(row["url"]) for row in place.rows()} == {"hostile.test"}, json.dumps(place.rows())
