"""`webds serve` wider than this machine: over TLS with a certificate of a CA, or behind a proxy whose word counts."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.serve.test_listen import address_of, start
from tests.tracks.origin import authority, leaf
from webds.submit.book import Book

NAME = "board.test"
ENTER = "board/maintain/enter"


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[str]:
    """The port of a board that is served with these words."""
    with start("--board", str(Book(folder / "board").folder), "--port", "0", "--quiet", *words) as server:
        try:
            yield address_of(server).rsplit(":", 1)[1].strip("/")
        finally:
            server.terminate()
            server.communicate(timeout=20)


def ask(port: str, trust: ssl.SSLContext, host: str = NAME, path: str = "board/maintain/") -> httpx.Response:
    """As a browser that finds the name at 127.0.0.1: what it checks is the name."""
    with httpx.Client(verify=trust, trust_env=False) as client:
        url, named = f"https://127.0.0.1:{port}/{path}", {"sni_hostname": host}
        return client.get(url, headers={"Host": host}, extensions=named)


def test_over_tls_with_a_certificate_and_nothing_else(tmp_path: Path) -> None:
    ca = authority(tmp_path)
    key, certificate = leaf(tmp_path, NAME)
    words = ("--host", "0.0.0.0", "--certificate", certificate, "--key", key, "--name", NAME)
    trust, stranger = ssl.create_default_context(cafile=str(ca)), ssl.create_default_context()
    with serving(tmp_path, *words) as port:
        page = ask(port, trust)
        assert page.status_code == 200
        assert "Your token" in page.text
        cookie = page.headers["set-cookie"]
        assert cookie.startswith("__Host-webds=")
        assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
        assert page.headers["strict-transport-security"].startswith("max-age=")
        with pytest.raises(httpx.ConnectError, match="unable to get local issuer"):
            ask(port, stranger)
        with pytest.raises(httpx.ConnectError, match="Hostname mismatch"):
            ask(port, trust, "other.test")
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http://127.0.0.1:{port}/board/", headers={"Host": NAME}, trust_env=False)


def statuses(port: str, host: str) -> list[int]:
    """Twelve tries to enter, each forwarded for another client: ten of one client are let through at once."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}/", trust_env=False) as client:
        heads = [{"Host": host, "X-Forwarded-For": f"198.51.100.{n}", "X-Forwarded-Proto": "https"} for n in range(12)]
        return [client.post(ENTER, headers=head).status_code for head in heads]


@pytest.mark.parametrize(
    ("words", "host", "limited"),
    [
        pytest.param(("--behind-proxy", "--name", NAME), NAME, False, marks=pytest.mark.long),
        pytest.param(("--behind-proxy", "--name", NAME, "--proxy", "10.1.2.3"), NAME, True, marks=pytest.mark.long),
        pytest.param((), "127.0.0.1", True),
    ],
    ids=["by its proxy", "by another than its proxy", "without --behind-proxy"],
)
def test_forwarded_headers_count_only_from_the_proxy(
    tmp_path: Path, words: tuple[str, ...], host: str, limited: bool
) -> None:
    with serving(tmp_path, *words) as port:
        seen = statuses(port, host)
        head = {"Host": host, "X-Forwarded-Proto": "https"}
        page = httpx.get(f"http://127.0.0.1:{port}/board/maintain/", headers=head, trust_env=False)
    assert seen[:10] == [403] * 10
    assert seen[10:] == ([429] * 2 if limited else [403] * 2)
    assert ("Secure" in page.headers["set-cookie"]) is bool(words)
