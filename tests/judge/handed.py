"""A try's folder with submitted files, for tests of checks that read them."""

from pathlib import Path

from webds.codec import sha256
from webds.types import Ending, Evidence, File


def handed(folder: Path, files: dict[str, bytes], answer: str = "", unachievable: str = "") -> Evidence:
    """Evidence of a try that submitted `files`."""
    listed = []
    for name, data in files.items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        listed.append(File(name=name, path=f"files/{name}", sha256=sha256(data), size=len(data)))
    return Evidence(
        task="t", revision=1, repeat=0, attempt=1, agent="a", ending=Ending.SUBMITTED, answer=answer,
        unachievable=unachievable, files=tuple(listed),
    )  # fmt: skip
