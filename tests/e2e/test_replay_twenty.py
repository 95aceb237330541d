"""T20: a recorded small site whose answers change, fail, move and come in pieces, twenty times the same to the agent.

One endpoint with three answers, one that fails first, GraphQL told apart by its body, random and time parameters, a
load-more POST, a chain of redirects, a service worker and a WebSocket; each writes what it got into the page.
"""

from pathlib import Path

import pytest

from tests.recorder.rig import FROZEN, exchange, freeze
from webds import config
from webds.codec import digest, plain
from webds.envs.browser.driver import Driver
from webds.envs.browser.launch import BrowserSettings
from webds.store import read_lines
from webds.tracks import world
from webds.tracks.sites import Site
from webds.tracks.world import choose_isolation
from webds.types import Action
from webds_recorder.exchange import Exchange, Frame, Headers
from webds_recorder.match import Rules
from webds_recorder.trajectory import TrajectoryRecorder

REPLAYS = 20
HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
JSON: Headers = (("Content-Type", "application/json"),)
PAGE = """<!doctype html><html lang=en><title>loading</title><h1>Ledger</h1><ul id=out></ul><script>
const said = (name, value) => { const li = document.createElement('li'); li.textContent = name + ': ' + value;
  out.append(li); };
const text = async (...asked) => { const r = await fetch(...asked); return r.status + ' ' + await r.text(); };
const post = (url, value) => text(url, {method: 'POST', headers: {'Content-Type': 'application/json'},
  body: JSON.stringify(value)});
(async () => {
  for (let n = 0; n < 3; n++) said('three ' + n, await text('/three'));
  for (let n = 0; n < 2; n++) said('flaky ' + n, await text('/flaky'));
  for (const name of ['Second', 'First']) said(name, await post('/graphql', {variables: {y: 1}, operationName: name}));
  said('random', await text('/random?salt=' + Math.random() + '&q=1'));
  said('time', await text('/time?_=' + Date.now()));
  for (let cursor = 0; cursor < 3; cursor++) said('more ' + cursor, await post('/more', {cursor}));
  said('moved', await text('/moved'));
  const up = await navigator.serviceWorker.register('/sw.js'); await navigator.serviceWorker.ready;
  await new Promise((done) => navigator.serviceWorker.controller ? done() :
    navigator.serviceWorker.addEventListener('controllerchange', done));
  said('worker', await text('/by-worker'));
  const ws = new WebSocket('wss://site.test/feed'), got = [];
  ws.onopen = () => ws.send('begin');
  await new Promise((done) => ws.onmessage = (e) => got.push(e.data) < 3 || done());
  said('socket', got.join(','));
  said('chance', Math.random()); said('clock', new Date().toISOString()); document.title = 'done';
})().catch((error) => said('error', error));
</script>"""
WORKER = """addEventListener('install', () => skipWaiting());
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => { if (new URL(e.request.url).pathname === '/by-worker')
  e.respondWith(new Response('made by the worker')); });"""
SEEN = (
    "three 0: 200 1", "three 1: 200 2", "three 2: 200 3", "flaky 0: 503 busy", "flaky 1: 200 good",
    'Second: 200 {"second":1}', 'First: 200 {"first":1}', "random: 200 drawn", "time: 200 told", "more 0: 200 rows 0",
    "more 1: 200 rows 1", "more 2: 200 rows 2", "moved: 200 here", "worker: 200 made by the worker",
    "socket: 1,2,3", "clock: 2022-06-24T12:00:00.000Z",
)  # fmt: skip


def posted(path: str, sent: bytes, body: bytes) -> Exchange:
    return exchange(path, body, method="POST", asked=JSON, sent=sent)


def exchanges() -> list[Exchange]:
    handshake = (("Upgrade", "websocket"), ("Connection", "Upgrade"))
    heard = [Frame(sent=False, text=True, payload=text) for text in (b"1", b"2", b"3")]
    frames = (Frame(sent=True, text=True, payload=b"begin"), *heard)
    return [
        exchange("/", PAGE.encode(), headers=HTML),
        exchange("/sw.js", WORKER.encode(), headers=(("Content-Type", "text/javascript"),)),
        *(exchange("/three", text) for text in (b"1", b"2", b"3")),
        exchange("/flaky", b"busy", 503),
        exchange("/flaky", b"good"),
        posted("/graphql", b'{"operationName":"First","variables":{"y":1}}', b'{"first":1}'),
        posted("/graphql", b'{"operationName":"Second","variables":{"y":1}}', b'{"second":1}'),
        exchange("/random?q=1&salt=0.123", b"drawn"),
        exchange("/time?_=1", b"told"),
        *(posted("/more", b'{"cursor":%d}' % n, b"rows %d" % n) for n in range(3)),
        exchange("/moved", status=301, headers=(("Location", "/moved/again"),)),
        exchange("/moved/again", status=307, headers=(("Location", "/moved/here"),)),
        exchange("/moved/here", b"here"),
        exchange("/feed", status=101, headers=handshake, kind="ws", frames=frames),
    ]


async def looked(driver: Driver, site: Site, archive: Path, isolation: str, into: Path) -> tuple[str, list[str]]:
    """The digest of what is observed when the page has said everything, and its lines."""
    into.mkdir()
    recorder = TrajectoryRecorder(into, into.parent / "blobs")
    async with (
        world.serve(archive.parent, [site], isolation, 60, {site.name: archive}) as served,
        served.episode("twenty", into / "requests.jsonl") as access,
        driver.open(access, recorder, into / "files", "https://site.test/") as browser,
    ):
        got, looks = await browser.observe(), 0
        while "clock:" not in got.text and "error:" not in got.text and looks < 40:  # as fast as the machine is
            await browser.act(Action(name="wait", args={"seconds": 0.5}))
            got, looks = await browser.observe(), looks + 1
    rows = list(read_lines(into / "requests.jsonl"))
    assert [row["url"] for row in rows if row.get("result") in ("miss", "error")] == []
    return digest(plain(got)), got.text.splitlines()


@pytest.mark.long
async def test_twenty_replays_of_a_site_that_changes(tmp_path: Path) -> None:
    archive = freeze(tmp_path / "a", *exchanges(), rules=Rules(query=("salt",)))
    site = Site(name="site", folder=tmp_path, title="site", frozen=FROZEN, serve="archive", data=())
    isolation, _ = choose_isolation("auto")
    driver = Driver(BrowserSettings(chromium=config.find_chromium()), {"page": 30, "settle": 5}, ahead=False)
    await driver.start()
    try:
        first, said = await looked(driver, site, archive, isolation, tmp_path / "0")
        assert [text for text in SEEN if not any(text in line for line in said)] == [], "\n".join(said)
        for number in range(1, REPLAYS):
            again, now = await looked(driver, site, archive, isolation, tmp_path / str(number))
            assert (now, again) == (said, first), f"replay {number}"
    finally:
        await driver.close()
