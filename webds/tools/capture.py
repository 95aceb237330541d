"""The output of one call, read without end in bounded memory."""

import asyncio


class Capture:
    """Keeps the first `limit` characters of what comes before the end mark and counts the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._mark = b""
        self._kept = bytearray()
        self._tail = b""
        self._lost = 0
        self._found = False
        self.ended = asyncio.Event()

    def begin(self, mark: bytes) -> None:
        """A new call starts; output of processes left running since the last one belongs to it."""
        self._mark = mark
        self._kept, self._tail, self._lost = bytearray(self._tail), b"", 0
        self._found = False
        self.ended.clear()

    def feed(self, piece: bytes) -> None:
        """Bytes as they come. The mark may lie across two pieces."""
        if self._found:
            self._tail = (self._tail + piece)[: self._limit]
            return
        data = self._tail + piece
        before, found, after = data.partition(self._mark)
        if found:
            self._keep(before)
            self._tail = after
            self._found = True
            self.ended.set()
            return
        edge = max(len(data) - len(self._mark), 0)
        self._keep(data[:edge])
        self._tail = data[edge:]

    def _keep(self, data: bytes) -> None:
        room = max(4 * self._limit - len(self._kept), 0)  # a character has at most four bytes
        self._kept += data[:room]
        self._lost += len(data[room:])

    def close(self) -> None:
        """The source has ended: nobody needs to wait for the mark any longer."""
        self.ended.set()

    def text(self) -> tuple[str, bool]:
        """The output as text, and whether it was cut; a cut is said in the last line."""
        data = bytes(self._kept) + (b"" if self._found else self._tail)
        text = data.decode("utf-8", "replace")
        lost = self._lost + len(text[self._limit :].encode())
        if not lost:
            return text, False
        return f"{text[: self._limit]}\n[output cut: {self._limit} characters shown, {lost} more bytes]", True
