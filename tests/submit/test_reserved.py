"""Where a team's token may go."""

import pytest

from webds.errors import InputFault
from webds.submit.reserved import client

SAFE = ["https://board.test", "http://127.0.0.1:8765", "http://localhost:1", "http://[::1]:8765"]
UNSAFE = [
    "http://board.test", "http://127.0.0.1.board.test", "http://localhost.board.test:80", "http://127.0.0.1@board.test",
    "ftp://127.0.0.1", "127.0.0.1:8765", "https://", "http://[::1", "",
]  # fmt: skip


@pytest.mark.parametrize("server", SAFE)
def test_tls_or_this_machine(server):
    with client(server, "t") as http:
        assert http.headers["Authorization"] == "Bearer t"


@pytest.mark.parametrize("server", UNSAFE)
def test_anywhere_else_gets_no_token(server):
    with pytest.raises(InputFault, match="wanted https"):
        client(server, "t")
