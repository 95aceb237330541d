"""What of the Chrome DevTools Protocol an agent may say. Pure: messages in, verdicts out.

Refused is what leaves the episode: contexts of its own (they can have another proxy), files of the machine, schemes
that are not of the web, listening ports, ending the browser. The jail and the namespace stop these too, where they
are; the refusal is what makes each try visible. Reference: the protocol's own description, chromedevtools.github.io.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

_SHOWN = 200
_REFUSED = {
    "Target.createBrowserContext": "a browser context of its own",
    "Target.disposeBrowserContext": "ending a browser context",
    "Target.exposeDevToolsProtocol": "the protocol inside a page",
    "Target.setRemoteLocations": "another browser",
    "Target.sendMessageToTarget": "messages inside messages; attach with flatten: true",
    "Browser.close": "ending the browser",
    "Browser.crash": "ending the browser",
    "Browser.crashGpuProcess": "ending the browser",
    "Browser.getBrowserCommandLine": "the browser's command line",
    "DOM.setFileInputFiles": "files of the machine; use the action upload of the session",
    "Page.setInterceptFileChooserDialog": "file choosers; use the action upload of the session",
}
_DOMAINS = {"Tethering": "listening ports", "Extensions": "extensions", "PWA": "installed apps"}
_SILENT = ("Browser.setDownloadBehavior", "Page.setDownloadBehavior", "Browser.cancelDownload")
"""Answered as if done: files go to the work folder, whatever an agent's library would like."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`forward` goes to the browser, `answer` back to the agent; `tried` is what was refused, for the log."""

    forward: str = ""
    answer: str = ""
    tried: str = ""


class Rules:
    """Of one connection. `context`: the browser context of the episode, in which new pages are opened."""

    def __init__(self, context: str) -> None:
        self._context = context

    def inward(self, text: str) -> Verdict:
        """A message of the agent."""
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return Verdict(tried="a message that is no JSON")
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return Verdict(tried="a message without a method")
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        method = message["method"]
        if method in _SILENT:
            return Verdict(answer=_reply(message, result={}))
        if why := _objection(method, params):
            said = json.dumps({"method": method, "params": params}, ensure_ascii=False)[:_SHOWN]
            error = {"code": -32000, "message": f"not given here: {why}"}
            return Verdict(answer=_reply(message, error=error), tried=said)
        if method == "Target.createTarget":
            message = {**message, "params": {**params, **self._here()}}
        return Verdict(forward=json.dumps(message))

    def outward(self, text: str) -> str:
        """A message of the browser as the agent gets it; empty where it gets none."""
        if '"targetInfo' not in text:
            return text
        message = json.loads(text)
        for held in (message.get("params") or {}, message.get("result") or {}):
            if _is_own(held.get("targetInfo")):
                return ""
            if isinstance(infos := held.get("targetInfos"), list):
                held["targetInfos"] = [info for info in infos if not _is_own(info)]
        return json.dumps(message)

    def _here(self) -> dict[str, str]:
        return {"browserContextId": self._context} if self._context else {}


def _objection(method: str, params: Mapping[str, Any]) -> str:
    """Why a call is refused; empty where it is not."""
    if method in _REFUSED:
        return _REFUSED[method]
    domain = method.partition(".")[0]
    if domain in _DOMAINS:
        return _DOMAINS[domain]
    if method in ("Target.attachToTarget", "Target.setAutoAttach") and params.get("flatten") is not True:
        return "messages inside messages; attach with flatten: true"
    url = params.get("url")
    opens = method in ("Page.navigate", "Target.createTarget", "Network.loadNetworkResource")
    if opens and isinstance(url, str) and not _of_the_web(url):
        return "an address that is not of the web"
    return ""


def shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of Chromium's list of targets, those that are pages of the episode."""
    return [row for row in rows if not _is_own(row)]


def _is_own(info: object) -> bool:
    """Whether a target is a part of the browser itself, which libraries would take for the agent's page."""
    return isinstance(info, Mapping) and str(info.get("url", "")).startswith(("chrome:", "devtools:"))


def _of_the_web(url: str) -> bool:
    """http and https, and the empty page that every tab begins with."""
    try:
        return url in ("", "about:blank") or urlsplit(url.strip()).scheme.lower() in ("http", "https")
    except ValueError:
        return False


def _reply(message: Mapping[str, Any], **what: Any) -> str:
    kept = {name: message[name] for name in ("id", "sessionId") if name in message}
    return json.dumps({**kept, **what})
