"""Where the server listens: 127.0.0.1, wider only over TLS or behind a proxy that brings it."""

import ipaddress
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from webds.errors import InputFault
from webds.serve.part import LOOPBACK, Settings

_DRAIN = 5
"""Seconds that open requests get when the server is told to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """What `webds serve` was told about its address."""

    host: str = "127.0.0.1"
    port: int = 0
    certificate: Path | None = None
    key: Path | None = None
    behind_proxy: bool = False
    """A proxy on this machine or network ends TLS and sets X-Forwarded-For."""
    proxy: str = "127.0.0.1"
    """Whose X-Forwarded-For is believed."""
    names: tuple[str, ...] = ()

    def check(self) -> None:
        """InputFault: a wider address without TLS, a half of a key pair, no name for the outside, a bad address."""
        if (self.certificate is None) is not (self.key is None):
            raise InputFault("--certificate and --key belong together: give both, or neither")
        if self.tls and self.behind_proxy:
            raise InputFault("--certificate and --behind-proxy: one of them ends TLS, give only that one")
        if not _loopback(self.host) and not self.secure:
            raise InputFault(
                f"--host {self.host}: wider than this machine only with --certificate and --key, or --behind-proxy"
            )
        if self.secure and not self.names:
            raise InputFault("--name: the host name that people type is needed with --certificate or --behind-proxy")
        _address(self.proxy, "--proxy")
        for path, word in ((self.certificate, "--certificate"), (self.key, "--key")):
            if path is not None and not path.is_file():
                raise InputFault(f"{word} {path}: no file there")
        self._tls()

    @property
    def tls(self) -> bool:
        """Whether the server itself speaks TLS."""
        return self.certificate is not None

    @property
    def secure(self) -> bool:
        """Whether people come over TLS."""
        return self.tls or self.behind_proxy

    def settings(self) -> Settings:
        """The frame's settings for this address."""
        return Settings(names=tuple(name.lower() for name in self.names) or LOOPBACK, secure=self.secure)

    def _tls(self) -> None:
        if self.certificate is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key)
            except ssl.SSLError as error:
                raise InputFault(f"--certificate {self.certificate}: not a pair with --key: {error.reason}") from error


def _loopback(host: str) -> bool:
    return host == "localhost" or _address(host, "--host").is_loopback


def _address(host: str, word: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(host)
    except ValueError as error:
        raise InputFault(f"{word} {host}: not an IP address, for example 127.0.0.1 or 0.0.0.0") from error


def serve(app: ASGIApp, listen: Listen, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `say` gets the address once it can be reached. InputFault: the port is taken."""
    listen.check()
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family)
    except OSError as error:
        raise InputFault(f"--port {listen.port}: {error.strerror}; choose another, or 0 for a free one") from error
    port = listener.getsockname()[1]
    host = f"[{listen.host}]" if ":" in listen.host else listen.host
    say(f"{'https' if listen.tls else 'http'}://{listen.names[0] if listen.tls else host}:{port}/")
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=listen.behind_proxy,
        forwarded_allow_ips=listen.proxy,
        ssl_certfile=listen.certificate,
        ssl_keyfile=listen.key,
        timeout_graceful_shutdown=_DRAIN,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listener])
