"""Single requests asked of our replay, a bare Master and stock server_replay while all three run: CPU and wall time.

They are asked in turns of 20 requests, the order turned round each time, so that what else the machine does at that
moment slows all of them alike. Each request is the first for its address until all have been asked once.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack

import httpx

from tests.bench import replay_fronts as fronts
from tests.bench import replay_site as site
from tests.recorder.rig import trusting

TURN = 20
type Spent = dict[str, list[tuple[float, float]]]
"""Front end -> (CPU ms, wall ms) a request, of each turn."""


async def asked(
    opens: Mapping[str, Callable[[], AbstractAsyncContextManager[fronts.Front]]], paths: list[str], requests: int
) -> Spent:
    """What each turn took; one turn before the first is not counted."""
    async with AsyncExitStack() as stack:
        up = {name: await stack.enter_async_context(start()) for name, start in opens.items()}
        clients = {
            name: await stack.enter_async_context(
                httpx.AsyncClient(proxy=front.proxy, verify=trusting(front.ca), trust_env=False, timeout=60)
            )
            for name, front in up.items()
        }
        found: Spent = {name: [] for name in up}
        order = list(up)
        for turn in range(-1, requests // TURN):
            for name in order:
                spent = await _turn(up[name], clients[name], paths, turn * TURN)
                found[name] += [spent] if turn >= 0 else []
            order.reverse()
    return found


async def _turn(front: fronts.Front, client: httpx.AsyncClient, paths: list[str], first: int) -> tuple[float, float]:
    cpu, wall = front.cpu(), time.perf_counter()
    for number in range(first, first + TURN):
        (await client.get(f"https://{site.HOST}{paths[number % len(paths)]}")).raise_for_status()
    return (front.cpu() - cpu) * 1000 / TURN, (time.perf_counter() - wall) * 1000 / TURN


def show(found: Spent) -> None:
    """Medians of each front end, and ours over bare: the median of the turns and the ratio of the sums."""
    for name, turns in found.items():
        cpu, wall = (round(statistics.median(column), 3) for column in zip(*turns, strict=True))
        fronts.show({"front": name, "cpu_ms": cpu, "wall_ms": wall, "turns": len(turns)})
    pairs = [(mine[0], its[0]) for mine, its in zip(found["ours"], found["bare"], strict=True)]
    mine, its = (sum(column) for column in zip(*pairs, strict=True))
    median = round(statistics.median(a / b for a, b in pairs), 3)
    figure = "CPU a request, ours over bare (bar 1.1)"
    fronts.show({"figure": figure, "value": median, "of the sums": round(mine / its, 3)})
