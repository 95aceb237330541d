"""A committed try read for the rubric: its steps, what it was served, what it sent, and every field to quote from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from webds.codec import load, sha256
from webds.store import read_lines
from webds.types import Evidence, Step
from webds_judge.rubric.exhibits import ANSWER, Exhibits, Field
from webds_judge.rubric.texts import text_of
from webds_judge.rubric.triplets import TOOLS, said


@dataclass(frozen=True)
class Record:
    """Evidence and the folder that it lies in."""

    evidence: Evidence
    folder: Path
    known: tuple[Step, ...] | None = None
    """The steps where they were read already, by webds_judge.trail."""

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The trajectory."""
        if self.known is not None:
            return self.known
        path = self.folder / "trajectory.jsonl"
        return tuple(load(Step, line, path.name) for line in read_lines(path)) if path.is_file() else ()

    @cached_property
    def requests(self) -> tuple[Mapping[str, Any], ...]:
        """The proxy's log."""
        path = self.folder / "requests.jsonl"
        return tuple(read_lines(path)) if path.is_file() else ()

    @cached_property
    def downloads(self) -> Mapping[int, tuple[Path, ...]]:
        """By step, the files that a site served in it and that still lie there byte for byte."""
        sent = {str(row.get("sha256")) for row in self.requests if row.get("outcome", "served") == "served"}
        found: dict[int, tuple[Path, ...]] = {}
        known: set[str] = set()
        for step in self.steps:
            listed = step.then.view.get("downloads", ())
            for item in listed if isinstance(listed, tuple | list) else ():
                path = self._served(item, sent) if isinstance(item, Mapping) else None
                if path is not None and str(path) not in known:
                    known.add(str(path))
                    found[step.index] = (*found.get(step.index, ()), path)
        return found

    def _served(self, item: Mapping[str, Any], sent: set[str]) -> Path | None:
        files = (self.folder / "files").resolve()
        path = (files / str(item.get("name"))).resolve()
        if not path.is_relative_to(files) or not path.is_file() or item.get("sha256") not in sent:
            return None
        return path if sha256(path.read_bytes()) == item["sha256"] else None

    @cached_property
    def served(self) -> Mapping[int, str]:
        """Text of the files that each step loaded."""
        return {
            step: "\n".join(f"{path.name}:\n{text_of(path)}" for path in paths)
            for step, paths in self.downloads.items()
        }

    @cached_property
    def posts(self) -> frozenset[int]:
        """Steps during which something was sent to a site."""
        times = [float(row["at"]) for row in self.requests if row.get("method") not in ("GET", "HEAD", "OPTIONS")]
        path = self.folder / "timings.jsonl"
        rows = tuple(read_lines(path)) if times and path.is_file() else ()
        ends = {int(row["index"]): (datetime.fromisoformat(row["at"]).timestamp(), row["seconds"]) for row in rows}
        return frozenset(
            step for step, (end, lasted) in ends.items() if any(end - lasted <= at <= end for at in times)
        )  # fmt: skip

    @cached_property
    def writers(self) -> frozenset[int]:
        """Steps whose code names a file that was handed in: they may have written it."""
        names = [file.name for file in self.evidence.files]
        codes = {step.index: "\n".join(_words(step.did.args)) for step in self.steps if step.did.name in TOOLS}
        return frozenset(step for step, code in codes.items() if any(name in code for name in names))

    def exhibits(self, reasoning: bool = False, pictured: Iterable[int] = ()) -> Exhibits:
        """Everything that a quote may be found in. `pictured`: steps whose picture the model is shown."""
        return Exhibits(self._fields(reasoning), pictured)

    def _fields(self, reasoning: bool) -> Iterator[Field]:
        yield Field(step=ANSWER, kind="answer", text=self.evidence.answer or self.evidence.unachievable)
        for name, text in self.handed.items():
            yield Field(step=ANSWER, kind="file", text=f"{name}\n{text}")
        for step in self.steps:
            yield Field(step=step.index, kind="page", text=step.saw.text if step.index == 0 or _on_page(step) else "")
            yield Field(step=step.index, kind="tool" if step.did.name in TOOLS else "page", text=step.then.text)
            yield Field(step=step.index, kind="action", text=said(step.did, reasoning))
            for words in _words(step.did.args):
                yield Field(step=step.index, kind="action", text=words)
        for index, text in self.served.items():
            yield Field(step=index, kind="served", text=text)

    @cached_property
    def handed(self) -> Mapping[str, str]:
        """Text of the files handed in, by name."""
        return {file.name: text_of(self.folder / file.path) for file in self.evidence.files}


def _on_page(step: Step) -> bool:
    """Whether `saw` is a page and not the print-out of a tool call before it."""
    return not step.saw.text.startswith("result of ") and not step.saw.refused


def _words(args: Mapping[str, Any]) -> Iterator[str]:
    """Texts as the agent wrote them: in JSON a line break is two characters."""
    yield from (value for value in args.values() if isinstance(value, str))
