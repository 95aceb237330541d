"""Which request of a WARC an answer belongs to.

Records of a pair name each other with WARC-Concurrent-To. Where they do not, the one that stands next to the other, at
the same address, is its partner. An answer that is left out takes its request with it: else the next answer there
would have it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from webds_recorder.exchange import Exchange, Request


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Half:
    """One record: a request, an answer, or an answer that is left out (neither). `named`: records it belongs to."""

    url: str
    id: str
    named: frozenset[str] = frozenset()
    request: Request | None = None
    answer: Exchange | None = None


class Pairs:
    """Takes records as they come and gives the exchanges that are whole; `rest` gives what is left at the end."""

    def __init__(self) -> None:
        self._requests: dict[str, list[Half]] = {}
        self._answers: dict[str, list[Half]] = {}
        self._others: set[str] = set()

    def other(self, record: str) -> None:
        """A record of another kind: to be named with it says nothing about requests and answers."""
        self._others.add(record)

    def take(self, half: Half) -> Iterator[Exchange]:
        """The exchanges that this record completes."""
        own, others = (self._answers, self._requests) if half.request is None else (self._requests, self._answers)
        waiting = others.setdefault(half.url, [])
        partner = next((item for item in waiting if item.id in half.named or half.id in item.named), None)
        if partner is None and self._free(half):
            partner = next((item for item in reversed(waiting) if self._free(item)), None)
            if partner is not None:
                yield from self._passed(waiting, partner)
        if partner is None:
            mine = own.setdefault(half.url, [])
            if half.request is not None and self._free(half):
                # Two requests in a row: the first one's answer is not in the file.
                mine[:] = [item for item in mine if not self._free(item)]
            mine.append(half)
            return
        waiting.remove(partner)
        yield from _exchange(*((partner, half) if half.request is None else (half, partner)))

    def _free(self, half: Half) -> bool:
        return half.named <= self._others

    def _passed(self, waiting: list[Half], partner: Half) -> Iterator[Exchange]:
        """Two answers in a row: the request of the first is not in the file."""
        for item in waiting[: waiting.index(partner)]:
            if self._free(item):
                waiting.remove(item)
                yield from _exchange(None, item)

    def rest(self) -> Iterator[Exchange]:
        """Answers without a request of their own. One that waits alone with a request at its address is its answer."""
        for url, answers in self._answers.items():
            requests = self._requests.get(url, [])
            alone = requests[0] if len(requests) == len(answers) == 1 else None
            for answer in answers:
                yield from _exchange(alone, answer)


def _exchange(request: Half | None, answer: Half) -> Iterator[Exchange]:
    if answer.answer is None:
        return
    asked = request.request if request is not None else None
    yield replace(answer.answer, request=asked) if asked is not None else answer.answer
