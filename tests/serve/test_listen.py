"""Where the server may listen: the rules, and the verb as a process."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.annotate.build_plan import make_plan, make_run
from webds.errors import InputFault
from webds.serve.listen import Listen


@pytest.mark.parametrize(
    ("listen", "named"),
    [
        (Listen(host="0.0.0.0"), "only with"),
        (Listen(host="::"), "only with"),
        (Listen(host="192.168.1.2", names=("a.test",)), "only with"),
        (Listen(host="somewhere"), "not an IP address"),
        (Listen(behind_proxy=True), "--name"),
        (Listen(behind_proxy=True, names=("a.test",), proxy="x"), "--proxy"),
        (Listen(certificate=Path("a.pem")), "belong together"),
        (Listen(certificate=Path("a.pem"), key=Path("b.pem"), behind_proxy=True), "one of them"),
        (Listen(certificate=Path("a.pem"), key=Path("b.pem"), names=("a.test",)), "no file there"),
    ],
)
def test_what_is_refused(listen: Listen, named: str) -> None:
    with pytest.raises(InputFault, match=named):
        listen.check()


@pytest.mark.parametrize(
    "listen",
    [
        Listen(),
        Listen(host="::1"),
        Listen(host="localhost"),
        Listen(host="0.0.0.0", behind_proxy=True, names=("A.test",)),
    ],
)
def test_what_is_accepted(listen: Listen) -> None:
    listen.check()
    assert listen.settings().secure is listen.behind_proxy
    assert listen.settings().names == (("a.test",) if listen.names else ("127.0.0.1", "localhost", "[::1]"))


def test_a_pair_that_is_none(tmp_path: Path) -> None:
    for name in ("a.pem", "b.pem"):
        (tmp_path / name).write_text("not PEM")
    with pytest.raises(InputFault, match="not a pair"):
        Listen(certificate=tmp_path / "a.pem", key=tmp_path / "b.pem", names=("a.test",)).check()


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("listen")
    return str(make_plan(folder, folder / "plan", make_run(folder / "run", [True])).folder)


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "webds", "serve", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def address_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    line = server.stdout.readline()
    assert line.startswith("serving http"), line
    return line.split()[1]


def test_the_verb_serves_and_stops(plan: str) -> None:
    with start("--annotate", plan, "--port", "0") as server:
        address = address_of(server)
        assert httpx.get(f"{address}alive", trust_env=False).text == "ok\n"
        with start("--annotate", plan, "--port", address.rsplit(":", 1)[1].strip("/")) as second:
            assert "choose another" in second.communicate()[1]
            assert second.returncode == 2
        server.terminate()
        assert "GET /alive 200" in server.communicate(timeout=20)[1]


def test_behind_a_proxy_its_word_counts_and_cookies_are_secure(plan: str) -> None:
    with start("--annotate", plan, "--port", "0", "--behind-proxy", "--name", "pass.example") as server:
        address = address_of(server).replace("pass.example", "127.0.0.1")
        assert httpx.get(f"{address}alive", trust_env=False).status_code == 400
        seen = httpx.get(
            f"{address}annotate/enter", headers={"Host": "pass.example", "X-Forwarded-Proto": "https"}, trust_env=False
        )
        assert "__Host-webds=" in seen.headers["set-cookie"]
        assert "strict-transport-security" in seen.headers
        server.terminate()
        server.communicate(timeout=20)


def test_nothing_to_serve_is_refused(tmp_path: Path) -> None:
    for words, named in (((), "--annotate PLAN"), (("--annotate", str(tmp_path)), "no plan here")):
        with start(*words) as server:
            assert named in server.communicate()[1]
            assert server.returncode == 2
