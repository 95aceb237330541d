"""Run ids that were reserved before the run: on the server, and a note of it beside the packer's runs."""

import time
from pathlib import Path
from typing import Any

import httpx

from webds.errors import InfraFault, InputFault
from webds.submit import strict

SECONDS = 60.0
WAIT = 3600.0
"""Seconds within which a bundle that was sent is verified: others may be before it."""
_PAUSE = 0.5
_GATEWAY_TIMEOUT = 504
CHUNK = 1 << 20
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


class Late(InfraFault):
    """No answer came in time; the server may still be at work."""


def client(server: str, token: str) -> httpx.Client:
    """A client of the scoring server. `token`: of the team."""
    if not _is_safe(server):
        raise InputFault(f"--server {server}: wanted https://..., or http:// to this machine")
    if not token:
        raise InputFault("WEBDS_TEAM_TOKEN: not set; wanted the team's token, as the maintainers gave it")
    return httpx.Client(
        base_url=server, timeout=SECONDS, headers={"Authorization": f"Bearer {token}", "Accept": "application/json"}
    )


def _is_safe(server: str) -> bool:
    """Whether a token may go there: over TLS, or to this machine by its whole host name."""
    try:
        url = httpx.URL(server)
    except httpx.InvalidURL:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and url.host in _THIS_MACHINE))


def asked(http: httpx.Client, method: str, path: str, **more: Any) -> dict[str, Any]:
    """The server's answer. InputFault: it refuses, with its reason. InfraFault: it cannot be reached, or is broken."""
    try:
        answer = http.request(method, path, **more)
    except httpx.ReadTimeout as error:
        raise Late(f"{http.base_url}: gave no answer in time", "send") from error
    except httpx.HTTPError as error:
        raise InfraFault(f"{http.base_url}: {error or type(error).__name__}", "send") from error
    value = strict.read(answer.content or b"{}", str(http.base_url)) if _is_json(answer) else {}
    if answer.is_success and isinstance(value, dict):
        return value
    why = str(value.get("error") if isinstance(value, dict) else "") or f"answered {answer.status_code}"
    if answer.status_code == _GATEWAY_TIMEOUT:
        raise Late(f"{http.base_url}: {why}", "send")
    raise (InfraFault if answer.status_code >= 500 else InputFault)(f"{http.base_url}: {why}")


def _is_json(answer: httpx.Response) -> bool:
    return str(answer.headers.get("content-type", "")).startswith("application/json")


def reserve(http: httpx.Client, run: str, about: dict[str, str]) -> dict[str, Any]:
    """Reserve a run's id, before it begins. `about`: agent, model, split."""
    return asked(http, "POST", "/board/api/reservations", json={"run": run, **about})


def send(http: httpx.Client, bundle: Path, digest: str, told: Any) -> dict[str, Any]:
    """Upload in pieces, going on where an earlier upload stopped. `told(sent, size)` is called after each."""
    size = bundle.stat().st_size
    state = asked(http, "POST", "/board/api/uploads", json={"sha256": digest, "size": size})
    at = int(state["offset"])
    told(at, size)
    with bundle.open("rb") as file:
        while at < size:
            file.seek(at)
            data = file.read(CHUNK)
            headers = {"Upload-Offset": str(at), "Content-Type": "application/octet-stream"}
            state = asked(http, "PATCH", f"/board/api/uploads/{digest}", content=data, headers=headers)
            at = int(state["offset"])
            told(at, size)
    return hand_in(http, digest)


def hand_in(http: httpx.Client, digest: str) -> dict[str, Any]:
    """Have what was uploaded verified and queued; where that takes longer than an answer may, ask again and wait on."""
    last = time.monotonic() + WAIT
    while True:
        try:
            return asked(http, "POST", f"/board/api/uploads/{digest}/done")
        except Late:
            if time.monotonic() >= last:
                raise
        time.sleep(_PAUSE)
