"""The capture archives of a live run in its bundle, one an episode: what a replay is served in place of the web.

A stranger's index is a database: nothing is asked of it before its schema is the recorder's own, word for word.
"""

import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path

from webds.errors import InputFault
from webds.submit import secrets
from webds.submit.texts import windows
from webds.tracks.live import ARCHIVE
from webds_recorder.archive import SCHEMA, ArchiveReader
from webds_recorder.verify import verify


def there(folder: Path) -> bool:
    """Whether the try in `folder` has one."""
    return (folder / ARCHIVE / "manifest.json").is_file()


def members(folder: Path) -> list[str]:
    """Paths, relative to the try, of all that its archive needs. InputFault: it is not whole.

    Its provenance, which is outside the digest, stays with the packer: it may name paths.
    """
    place = folder / ARCHIVE
    with ArchiveReader(place) as archive:
        files = [str(file.relative_to(folder)) for file in archive.files()]
    return sorted({f"{ARCHIVE}/manifest.json", f"{ARCHIVE}/index.sqlite", *files})


def check(folder: Path, base: str, listed: set[str]) -> None:
    """InputFault where the try's archive is none of ours, is not whole, or holds what looks like a key.

    `base`: how the try is called in a reason; `listed`: the archive's members, relative to the try.
    """
    try:
        _schema(folder / ARCHIVE / "index.sqlite")
        verify(folder / ARCHIVE)
        wanted = set(members(folder))
    except InputFault as fault:
        raise InputFault(f"{base}: {str(fault).replace(str(folder), '').lstrip('/')}") from fault
    for name in sorted(listed ^ wanted):
        raise InputFault(f"{base}: {name!r:.100} is {'not in' if name in listed else 'missing from'} its archive")
    if kind := kept_secret(folder):
        raise InputFault(f"{base}: its archive holds what looks like {kind}; capture again without it")


def kept_secret(folder: Path) -> str:
    """The kind of secret that something sent to a site holds, or "". A page's own keys are the site's, and public."""
    with ArchiveReader(folder / ARCHIVE, check=False) as archive:
        sent = (archive.request_body(row) or b"" for row in archive.rows())
        return next((kind for body in sent for text in windows(BytesIO(body)) if (kind := secrets.found(text))), "")


def _schema(file: Path) -> None:
    """A view, a trigger or a computed column would run a stranger's queries in this process."""
    query = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(SCHEMA)
        wanted = own.execute(query).fetchall()
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as index:
            found = index.execute(query).fetchall()
    except sqlite3.Error as error:
        raise InputFault(f"{ARCHIVE}/index.sqlite: damaged: {error}") from error
    if found != wanted:
        raise InputFault(f"{ARCHIVE}/index.sqlite: not an index as webds writes it")
