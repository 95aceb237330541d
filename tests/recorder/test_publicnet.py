"""What the live proxy may connect to."""

import asyncio
import socket

import pytest

from webds_recorder.publicnet import GuardedLoop, NoResolver, NoSuchName, NotPublic, Resolver, is_public


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"]
)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.64.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.251",
        "255.255.255.255", "240.0.0.1",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::fb", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "no address",
    ],
)  # fmt: skip
def test_private(address: str) -> None:
    assert not is_public(address)


def rows(*addresses: str):
    async def ask(host, port, **how):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return ask


async def test_a_name_keeps_its_public_addresses_only() -> None:
    found = await Resolver({}).look_up("mixed.example", 443, rows("10.0.0.1", "8.8.8.8"))
    assert [row[4] for row in found] == [("8.8.8.8", 443)]
    with pytest.raises(NotPublic):
        await Resolver({}).look_up("inside.example", 443, rows("127.0.0.1", "192.168.0.9"))


@pytest.mark.parametrize(("code", "kind"), [(socket.EAI_NONAME, NoSuchName), (socket.EAI_AGAIN, NoResolver)])
async def test_whose_fault_a_failed_look_up_is(code: int, kind: type[Exception]) -> None:
    async def ask(host, port, **how):
        raise socket.gaierror(code, "no")

    with pytest.raises(kind):
        await Resolver({}).look_up("gone.example", 443, ask)


async def test_a_table_is_the_whole_net() -> None:
    net = Resolver({"Site.test": "127.0.0.5:8443"})
    assert (await net.look_up("site.test.", 443, rows()))[0][4] == ("127.0.0.5", 8443)
    with pytest.raises(NoSuchName):
        await net.look_up("example.org", 443, rows("8.8.8.8"))
    for address in ("8.8.8.8", "127.0.0.5", "::1"):
        with pytest.raises(NotPublic):
            net.literal(address)


def test_the_loop_connects_by_the_resolver_alone() -> None:
    async def connect(port: int) -> None:
        with pytest.raises(NotPublic):
            await asyncio.open_connection("localhost", port)
        GuardedLoop.resolver = Resolver({"here.test": f"127.0.0.1:{port}"})
        _, writer = await asyncio.open_connection("here.test", 443)
        assert writer.get_extra_info("peername") == ("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()

    with socket.create_server(("127.0.0.1", 0)) as server, asyncio.Runner(loop_factory=GuardedLoop) as runner:
        try:
            runner.run(connect(server.getsockname()[1]))
        finally:
            GuardedLoop.resolver = Resolver({})
