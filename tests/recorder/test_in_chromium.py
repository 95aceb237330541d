"""The public bugs that only a browser shows, in one visit of the product's Chromium. Ids: docs/replay.md.

One browser opens every page once; each test then reads what its page reported.
"""

import asyncio
import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import brotli
import pytest
from playwright.async_api import BrowserContext

from tests.recorder.browse import browser, log, world
from tests.recorder.rig import FROZEN, exchange, freeze
from webds_recorder.exchange import Exchange, Headers

S = "https://site.test"
NOW = int(FROZEN.timestamp() * 1000)
HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
JS: Headers = (("Content-Type", "text/javascript"),)
WORKER = "onmessage = () => postMessage([Date.now(), new Date().getTime(), performance.timeOrigin, Math.random()]);"
ASK = """async (make) => { const w = make(); w.postMessage(1);
  return await new Promise((done, fail) => { setTimeout(fail, 9000, 'no word');
    w.onmessage = (e) => done(e.data); w.onerror = (e) => fail(e.message); }); }"""
SLOW = "new Promise((_, fail) => setTimeout(fail, 9000, 'slow'))"
SW = """
self.addEventListener('install', (e) => { self.skipWaiting();
  e.waitUntil(caches.open('v1').then((c) => c.addAll(['/sw/', '/sw/data.txt']))); });
self.addEventListener('activate', (e) => e.waitUntil(clients.claim()));
self.addEventListener('fetch', (e) => e.respondWith(caches.match(e.request).then((hit) => hit || fetch(e.request))));
self.addEventListener('message', (e) => e.source.postMessage(['heard', e.data, Date.now(), Math.random()]));
"""
SW_PAGE = """<!doctype html><title>SW</title><p id=out>shell</p><script>
window.said = new Promise((done) => navigator.serviceWorker.addEventListener('message', (e) => done(e.data)));
window.up = navigator.serviceWorker.register('/sw/sw.js', {scope: '/sw/'}).then(() => navigator.serviceWorker.ready);
</script>"""
LIB = "globalThis.ran = (globalThis.ran || 0) + 1; export default 7;"
PLAIN = "globalThis.plain = 'ran';"
CHARSETS = {
    "windows-1252": ("Caf\u00e9 \u20ac".encode("cp1252"), "text/html; charset=windows-1252", "Caf\u00e9 \u20ac"),
    "shift_jis": ("\u65e5\u672c".encode("shift_jis"), "text/html; charset=Shift_JIS", "\u65e5\u672c"),
    "meta": ("<meta charset=utf-8>\u00c5land".encode(), "text/html", "\u00c5land"),
    "bom": (b"\xef\xbb\xbf" + "\u00d8re".encode(), "text/html", "\u00d8re"),
}


def integrity(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(path: str, body: str, *more: tuple[str, str]) -> Exchange:
    return exchange(path, f"<!doctype html><html lang=en>{body}".encode(), headers=(*HTML, *more))


def script(path: str, text: str, *more: tuple[str, str]) -> Exchange:
    return exchange(path, text.encode(), headers=(*JS, *more))


def exchanges() -> list[Exchange]:
    strict = "default-src 'none'; script-src 'nonce-n1' 'strict-dynamic'; base-uri 'none'"
    return [
        page("/", "<title>Home</title><p id=out></p>"),
        script("/worker.js", WORKER),
        page("/sw/", SW_PAGE),
        script("/sw/sw.js", SW),
        exchange("/sw/data.txt", b"cached"),
        page(
            "/csp",
            "<script nonce=n1>window.broken = []; addEventListener('securitypolicyviolation', (e) => "
            "broken.push(e.violatedDirective));</script>"
            '<script type=importmap nonce=n1>{"imports": {"lib": "/lib.js"}}</script>'
            "<script type=module nonce=n1>import seven from 'lib'; window.seven = seven;</script>",
            ("Content-Security-Policy", strict),
        ),
        script("/lib.js", LIB),
        page(
            "/sri",
            f"<script src=/plain.js integrity={integrity(PLAIN)}></script>"
            f"<script src=/edited.js integrity={integrity(PLAIN)}></script>",
        ),
        script("/plain.js", PLAIN),
        script("/edited.js", PLAIN + " globalThis.edited = 'ran';"),
        page(
            "/inline",
            "<p id=out></p><script>out.textContent = 'inline ran'; window.w = new Worker('/worker.js');</script>",
            ("Content-Security-Policy", "script-src 'self' 'unsafe-inline'"),
        ),
        *(
            exchange(f"/charset/{name}", data, headers=(("Content-Type", kind),))
            for name, (data, kind, _) in CHARSETS.items()
        ),
        page("http://plain.test/", "<script src=/br.js></script><p>plain</p>"),
        exchange("http://plain.test/br.js", brotli.compress(PLAIN.encode()), headers=(*JS, ("Content-Encoding", "br"))),
        page("/both", "tls", ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")),
        page("http://site.test/both", "plain"),
        page("/sampling", "<script>" + _sampling() + "</script>"),
        page(
            "/session",
            "<script>const until = Number((document.cookie.match(/until=(\\d+)/) || [])[1]);"
            "if (!(until > Date.now())) location = '/logout';</script><p>signed in</p>",
            ("Set-Cookie", f"until={NOW + 60_000}; Max-Age=60"),
            ("Set-Cookie", "old=; Max-Age=0"),
        ),
        page("/logout", "signed out"),
        page("/cached", "<script src=/once.js></script><script src=/once.js></script>"),
        script("/once.js", "globalThis.times = (globalThis.times || 0) + 1;", ("Cache-Control", "max-age=3600")),
        page("/frame", "<iframe src=/inner></iframe>"),
        page("/inner", "<script>window.saw = [Date.now(), Math.random()]</script>"),
    ]  # fmt: skip


def _sampling() -> str:
    return (
        "const seen = new Set(); while (seen.size < 60) seen.add(Math.floor(Math.random() * 64));"
        "const bytes = new Set(); while (bytes.size < 200) bytes.add(crypto.getRandomValues(new Uint8Array(1))[0]);"
        "const t = performance.now(); while (performance.now() - t < 50);"
        "window.done = [seen.size, bytes.size, crypto.randomUUID()];"
    )


async def visit(context: BrowserContext) -> dict[str, Any]:
    """Every page once, and what it reported."""
    tab, found = context.pages[0], dict[str, Any]()
    await tab.goto(f"{S}/")
    found["page"] = await tab.evaluate(
        "() => [Date.now(), +new Date(), performance.timeOrigin, new Date().getTimezoneOffset(), "
        "new Intl.DateTimeFormat('en', {year: 'numeric'}).format(), Date(), new Date(0).getTime(), "
        "globalThis.Temporal ? Temporal.Now.instant().epochMilliseconds : null, document.lastModified]"
    )
    found["worker"] = await tab.evaluate(f"() => ({ASK})(() => new Worker('/worker.js'))")
    blob = f"new Worker(URL.createObjectURL(new Blob([{json.dumps(WORKER)}], {{type: 'text/javascript'}})))"
    found["blob"] = await tab.evaluate(f"() => ({ASK})(() => {blob})")
    module = blob[:-1] + ", {type: 'module'})"
    found["module"] = await tab.evaluate(f"() => ({ASK})(() => {module})")
    found["local"] = [
        await tab.evaluate("(u) => fetch(u, {mode: 'no-cors'}).then((r) => r.status, (e) => String(e))", address)
        for address in ("http://127.0.0.1:9999/", "http://localhost:9999/", "http://[::1]:9999/")
    ]
    for name in ("csp", "sri", "inline", "sampling", "session", "cached", "frame"):
        await tab.goto(f"{S}/{name}")
        found[name] = await tab.evaluate(READ[name])
    found["cookie"] = await tab.evaluate("document.cookie")
    for name in CHARSETS:
        await tab.goto(f"{S}/charset/{name}")
        found[f"charset {name}"] = await tab.evaluate("document.body.innerText.trim()")
    await tab.goto("http://plain.test/")
    found["br"] = await tab.evaluate("globalThis.plain")
    for address in (f"{S}/both", "http://site.test/both"):
        await tab.goto(address)
        found[address] = await tab.evaluate("document.body.innerText")
    await tab.goto(f"{S}/sw/")
    found["sw"] = await tab.evaluate(
        "() => Promise.race([up.then((r) => r.active.scriptURL), new Promise((_, f) => setTimeout(f, 9000, 'slow'))])"
    )
    await tab.reload()
    found["sw said"] = await tab.evaluate(
        "() => up.then((r) => r.active.postMessage('ping')).then(() => Promise.race([said, " + SLOW + "]))"
    )
    await context.set_offline(True)
    await tab.reload()
    found["offline"] = await tab.evaluate("fetch('/sw/data.txt').then((r) => r.text())")
    await context.set_offline(False)
    return found


READ = {
    "csp": "() => new Promise((d) => setTimeout(d, 300)).then(() => [window.seven, window.broken])",
    "sri": "() => [globalThis.plain, globalThis.edited]",
    "inline": "() => document.getElementById('out').textContent",
    "sampling": "() => window.done",
    "session": "() => [location.pathname, document.body.innerText.trim()]",
    "cached": "() => globalThis.times",
    "frame": "() => frames[0].saw",
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("chromium")
    folder.chmod(0o755)
    archive = freeze(folder / "a", *exchanges())

    async def run() -> dict[str, Any]:
        async with world(root, archive, folder) as made, browser(made, folder / "e", "one") as context:
            context.set_default_timeout(20_000)
            async with asyncio.timeout(150):
                return await visit(context)

    found = asyncio.run(run())
    found["log"] = log(folder / "e", "one")
    return found


def requests(seen: dict[str, Any], url: str) -> list[dict[str, Any]]:
    return [row for row in seen["log"] if row["url"] == url]


def test_the_clock_of_pages_stands_still(seen: dict[str, Any]) -> None:
    now, new, origin, offset, year, text, zero, temporal, modified = seen["page"]
    assert (now, new, origin, offset, year, zero) == (NOW, NOW, NOW, 0, "2022", 0)
    assert text.startswith("Fri Jun 24 2022 12:00:00")
    assert temporal in (None, NOW)
    assert modified == "06/24/2022 12:00:00"


def test_b26_the_clock_reaches_workers(seen: dict[str, Any]) -> None:
    for kind in ("worker", "blob", "module"):
        assert seen[kind][:3] == [NOW] * 3, kind
    assert seen["sw said"][:3] == ["heard", "ping", NOW]
    assert seen["frame"][0] == NOW


def test_b24_a_service_worker_registers_under_the_spki_list(seen: dict[str, Any]) -> None:
    """The other trust modes of docs/replay.md are not used by this product."""
    assert seen["sw"] == f"{S}/sw/sw.js"


def test_b50_a_service_worker_serves_offline(seen: dict[str, Any]) -> None:
    assert seen["offline"] == "cached"


def test_b51_the_pages_own_service_worker_is_alone(seen: dict[str, Any]) -> None:
    assert seen["sw said"][1] == "ping"


def test_b27_localhost_goes_through_the_proxy_and_is_blocked(seen: dict[str, Any]) -> None:
    blocked = [row["url"] for row in seen["log"] if row["result"] == "blocked"]
    assert any("127.0.0.1:9999" in url for url in blocked)
    assert any("localhost:9999" in url for url in blocked)
    assert any("//[::1]:9999/" in url for url in blocked)


def test_b33_br_on_a_plain_page_is_decoded(seen: dict[str, Any]) -> None:
    assert seen["br"] == "ran"


def test_b35_a_strict_policy_with_nonce_and_import_map_holds(seen: dict[str, Any]) -> None:
    assert seen["csp"] == [7, []]


def test_b36_integrity_passes_and_an_edited_byte_is_refused(seen: dict[str, Any]) -> None:
    assert seen["sri"] == ["ran", None]


def test_b37_inline_scripts_are_left_alone(seen: dict[str, Any]) -> None:
    assert seen["inline"] == "inline ran"


@pytest.mark.parametrize("name", CHARSETS)
def test_b38_charsets_are_neither_guessed_nor_forced(seen: dict[str, Any], name: str) -> None:
    assert seen[f"charset {name}"] == CHARSETS[name][2]


def test_b39_hsts_of_one_scheme_does_not_reach_the_other(seen: dict[str, Any]) -> None:
    assert (seen[f"{S}/both"], seen["http://site.test/both"]) == ("tls", "plain")


def test_b43_chance_is_a_stream_and_not_a_constant(seen: dict[str, Any]) -> None:
    assert seen["sampling"][:2] == [60, 200]
    assert seen["sampling"][2][14] == "4"


def test_b46_the_session_lasts_and_deleted_cookies_go(seen: dict[str, Any]) -> None:
    assert seen["session"] == ["/session", "signed in"]
    assert seen["cookie"] == f"until={NOW + 60_000}"


def test_b23_b25_one_load_asks_once_and_nobody_asks_for_a_password(seen: dict[str, Any]) -> None:
    """The cache is off on purpose (no-store): each of the two uses reaches the log. No interception turns it off."""
    assert seen["cached"] == 2
    assert [row["status"] for row in requests(seen, f"{S}/once.js")] == [200, 200]
    assert all(row["status"] != 407 for row in seen["log"])


def test_nothing_was_missed(seen: dict[str, Any]) -> None:
    assert [row["url"] for row in seen["log"] if row["result"] in ("miss", "error")] == []


@pytest.mark.long
async def test_b45_an_idle_browser_asks_nobody(tmp_path: Path, root: Path) -> None:
    archive = freeze(tmp_path / "a", *exchanges())
    async with world(root, archive, tmp_path) as made, browser(made, tmp_path / "e", "one") as context:
        await context.pages[0].goto(f"{S}/")
        await asyncio.sleep(15)
    assert {row["url"] for row in log(tmp_path / "e", "one")} <= {f"{S}/", f"{S}/favicon.ico"}


@pytest.mark.long
async def test_twenty_replays_give_one_page_and_one_picture(tmp_path: Path, root: Path) -> None:
    moving = (
        "<title>Moving</title><pre id=out></pre><canvas id=c width=80 height=20></canvas><script>"
        "const w = new Worker('/worker.js'); w.postMessage(1); w.onmessage = (e) => { out.textContent = JSON.stringify("
        "[Date.now(), Math.random(), crypto.randomUUID(), performance.timeOrigin, e.data, String(new Date())]);"
        "const d = c.getContext('2d'); for (let i = 0; i < 80; i++) d.fillRect(i, 20 * Math.random(), 1, 9); "
        "document.title = 'done'; };</script>"
    )
    archive = freeze(tmp_path / "a", page("/", moving), script("/worker.js", WORKER))
    states = set()
    async with world(root, archive, tmp_path) as made:
        for number in range(20):
            async with browser(made, tmp_path / "e", f"n{number}") as context:
                tab = context.pages[0]
                await tab.goto(f"{S}/")
                await tab.wait_for_function("document.title === 'done'")
                picture = await tab.screenshot(animations="disabled", caret="hide")
                states.add((await tab.content(), hashlib.sha256(picture).hexdigest()))
    assert len(states) == 1


@pytest.mark.long
async def test_b42_two_replays_under_another_host_date_are_the_same(tmp_path: Path, root: Path) -> None:
    """Covered without a browser in test_derive; here the browser's own clock is left out of the page."""
    archive = freeze(tmp_path / "a", page("/", "<p id=out></p><script>out.textContent = new Date()</script>"))
    texts = set()
    async with world(root, archive, tmp_path) as made:
        for name in ("a", "b"):
            async with browser(made, tmp_path / "e", name) as context:
                await context.pages[0].goto(f"{S}/")
                texts.add(await context.pages[0].inner_text("#out"))
    assert len(texts) == 1
