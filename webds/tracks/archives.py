"""Built archives of the checkout's sites: where they lie, when they are stale, and whether they are the pinned ones.

    sites_docker/_archives/<site>/        not committed; made by `make sites`
    sites_docker/_archives/<site>.key     sha256 over what the archive was made from
    sites_docker/lock.toml                [<site>] digest, rows; committed
    sites_docker/lock/<site>.txt          one line an address: sha256 of status, media type and body, then the address

A digest other than the pinned one is an error in CI and with --strict-lock; elsewhere it is a warning that names the
addresses which differ.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from webds import __version__
from webds.codec import digest
from webds.config import cpu_count, environment, read_toml
from webds.errors import InputFault
from webds.files import held, is_locked, make_folder, write_atomic
from webds.tracks.build import build, digest_of
from webds.tracks.sites import Site, data_of
from webds_recorder.archive import ArchiveReader
from webds_recorder.verify import verify

SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """One archive. `differs` names addresses that are not as pinned (empty: as pinned, or not pinned at all)."""

    site: str
    folder: Path
    digest: str
    pinned: str
    fresh: bool
    differs: tuple[str, ...] = ()

    @property
    def warning(self) -> str:
        """One line where the archive is not the pinned one, else empty."""
        if self.digest == self.pinned:
            return ""
        if not self.pinned:
            return (
                f"archive of {self.site}: not in sites_docker/lock.toml; pin it with: webds sites build --update-lock"
            )
        shown = ", ".join(self.differs[:SHOWN]) or "nothing that a page shows"
        more = f" and {len(self.differs) - SHOWN} more" if len(self.differs) > SHOWN else ""
        return f"archive of {self.site}: digest {self.digest[:12]} is not the pinned {self.pinned[:12]}: {shown}{more}"


def archived(sites: Iterable[Site]) -> list[Site]:
    """The sites that run from an archive: those whose site.toml says serve = "archive"."""
    return [site for site in sites if site.serve == "archive"]


def folder_of(root: Path, site: str) -> Path:
    """Where the site's archive lies."""
    return root / "sites_docker" / "_archives" / site


def folders(root: Path, sites: Iterable[Site]) -> dict[str, Path]:
    """Site name -> archive, for the sites that run from one. InputFault where one is not built."""
    found = {site.name: folder_of(root, site.name) for site in archived(sites)}
    for name, folder in found.items():
        if not (folder / "manifest.json").is_file():
            raise InputFault(f"site {name}: its archive is not built; build it with: webds sites build {name}")
    return found


def ensure(
    root: Path, sites: Iterable[Site], say: Callable[[str], None], force: bool = False, whole: bool = False
) -> list[Built]:
    """Build what is missing or stale, as many at a time as there are cores; what there is then, in order of `sites`.

    `whole`: every byte is read, and an archive that was changed since it was made is made anew. A manifest's own word
    for its digest is taken without.
    """
    wanted = archived(sites)
    keys = {site.name: key_of(root, site) for site in wanted}

    def stale() -> list[Site]:
        return [site for site in wanted if force or not _is_fresh(root, site, keys[site.name])]

    if whole and not force:
        for site in wanted:
            _check(folder_of(root, site.name), say)
    with _locked(root, stale(), say):
        made = stale()  # less what another process built while we waited
        if made:
            say(f"building archives: {', '.join(site.name for site in made)}")
        _build_all(root, made, say)
        for site in made:
            write_atomic(folder_of(root, site.name).with_suffix(".key"), keys[site.name].encode())
    names = {site.name for site in made}
    return [_compared(root, site, site.name in names) for site in wanted]


@contextmanager
def _locked(root: Path, sites: list[Site], say: Callable[[str], None]) -> Iterator[None]:
    """One builder an archive over all processes: the lock of each of `sites`, in order of name so that none waits for
    another in a ring."""
    with ExitStack() as locks:
        for name in sorted(site.name for site in sites):
            file = folder_of(root, name).with_suffix(".lock")
            make_folder(file.parent)
            if file.exists() and is_locked(file):
                say(f"another process builds the archive of {name}: waiting for it")
            locks.enter_context(held(file))
        yield


def site_digest(root: Path, site: Site) -> str:
    """What a task was verified on: the pinned digest of the site's archive, or of the data that its app serves."""
    pin = _pins(root).get(site.name, {}).get("digest") if site.serve == "archive" else None
    return str(pin) if pin else digest(data_of(site))


def _build_all(root: Path, sites: list[Site], say: Callable[[str], None]) -> None:
    if len(sites) < 2:
        for site in sites:
            build(root, site, folder_of(root, site.name))
        return
    # A fresh interpreter each: apps of several sites must not share one process's state. As in webds.interpreter, it
    # takes no module from the current folder.
    with (
        environment(PYTHONSAFEPATH="1"),
        ProcessPoolExecutor(min(cpu_count(), len(sites)), mp_context=get_context("spawn")) as pool,
    ):
        jobs = {site.name: pool.submit(build, root, site, folder_of(root, site.name)) for site in sites}
        for name, job in jobs.items():
            say(f"built {name}: {job.result()[:12]}")


def _check(folder: Path, say: Callable[[str], None]) -> None:
    """Take away the key of an archive that was changed: whoever looks next, also another process, finds it stale."""
    if not (folder / "manifest.json").is_file():
        return
    try:
        verify(folder)
    except InputFault as fault:
        say(f"{fault}: changed since it was made, so it is made anew")
        folder.with_suffix(".key").unlink(missing_ok=True)


def _is_fresh(root: Path, site: Site, key: str) -> bool:
    folder = folder_of(root, site.name)
    stamp = folder.with_suffix(".key")
    return (folder / "manifest.json").is_file() and stamp.is_file() and stamp.read_text() == key


def key_of(root: Path, site: Site) -> str:
    """sha256 over everything that the archive is made from: the site, the kit, the builder's version."""
    made = hashlib.sha256(f"webds {__version__} {site.name}".encode())
    builder = (Path(__file__).with_name("build.py"), Path(__file__).with_name("siteapps.py"))
    for file in (*_sources(site.folder), *_sources(root / "sites_docker" / "kit"), *builder):
        made.update(f"{file.name} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return made.hexdigest()


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def contents(folder: Path) -> dict[str, str]:
    """Address -> sha256 over what a reader gets there: status, media type, body."""
    found: dict[str, str] = {}
    with ArchiveReader(folder, check=False) as archive:
        for row in archive.rows():
            media = next((value for name, value in row.headers if name.lower() == "content-type"), "")
            text = hashlib.sha256(f"{row.status} {media} ".encode() + archive.body(row)).hexdigest()
            found[row.request.url] = text
    return found


def lock(root: Path, built: Iterable[Built]) -> None:
    """Pin these archives; pins of other sites stay."""
    pins = dict(_pins(root))
    for item in built:
        rows = contents(item.folder)
        pins[item.site] = {"digest": item.digest, "rows": len(rows)}
        text = "".join(f"{value[:16]} {address}\n" for address, value in sorted(rows.items()))
        write_atomic(root / "sites_docker" / "lock" / f"{item.site}.txt", text.encode())
    head = "# Digests of the sites' archives, written by: webds sites build --update-lock\n"
    body = "".join(
        f"\n[{name}]\ndigest = {json.dumps(pin['digest'])}\nrows = {pin['rows']}\n"
        for name, pin in sorted(pins.items())
    )
    write_atomic(root / "sites_docker" / "lock.toml", (head + body).encode())


def _pins(root: Path) -> Mapping[str, Mapping[str, object]]:
    file = root / "sites_docker" / "lock.toml"
    return read_toml(file) if file.is_file() else {}


def _compared(root: Path, site: Site, fresh: bool) -> Built:
    folder = folder_of(root, site.name)
    digest, pinned = digest_of(folder), str(_pins(root).get(site.name, {}).get("digest", ""))
    differs = () if digest == pinned or not pinned else tuple(_differing(root, site.name, folder))
    return Built(site=site.name, folder=folder, digest=digest, pinned=pinned, fresh=fresh, differs=differs)


def _differing(root: Path, site: str, folder: Path) -> list[str]:
    file = root / "sites_docker" / "lock" / f"{site}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    pinned = {address: value for value, _, address in (line.partition(" ") for line in lines)}
    now = {address: value[:16] for address, value in contents(folder).items()}
    return sorted(address for address in {*pinned, *now} if pinned.get(address) != now.get(address))
