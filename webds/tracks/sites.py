"""Sites of a checkout: sites_docker/<folder>/site.toml as records, unknown names refused with the known ones."""

import importlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webds.codec import sha256
from webds.config import read_toml
from webds.errors import InputFault


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One data portal at https://<name>.test. `frozen` is the instant its pages and server believe in (UTC)."""

    name: str
    folder: Path
    title: str
    frozen: datetime
    serve: str
    data: tuple[dict[str, Any], ...]

    @property
    def host(self) -> str:
        return f"{self.name}.test"

    @property
    def frozen_ms(self) -> int:
        """Milliseconds since 1970 of the frozen instant."""
        return int(self.frozen.timestamp() * 1000)


def all_sites(root: Path) -> dict[str, Site]:
    """Every site of the checkout by name."""
    known, broken = readable(root)
    if broken:
        raise InputFault(broken[0])
    return known


def readable(root: Path) -> tuple[dict[str, Site], list[str]]:
    """(sites by name, what is wrong with each site.toml that gives none): one bad file stops no other site."""
    known, broken = {}, []
    for file in sorted((root / "sites_docker").glob("*/site.toml")):
        try:
            site = _read(file)
        except InputFault as error:
            broken.append(str(error))
        else:
            known[site.name] = site
    return known, broken


def pick(root: Path, names: Iterable[str]) -> list[Site]:
    """The named sites, in order. InputFault lists the known names, and the files that could not be read."""
    known, broken = readable(root)
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            unread = f"; not read: {'; '.join(broken)}" if broken else ""
            raise InputFault(f"no site {name!r}; known: {', '.join(sorted(known)) or 'none'}{unread}")
    return [known[name] for name in wanted]


def data_of(site: Site) -> dict[str, str]:
    """File -> digest of the data that a site is made of: rows of each extract, and what its forum begins with."""
    found = {str(item.get("file", "")): str(item.get("rows_sha256", "")) for item in site.data}
    seed = site.folder / "seed.toml"
    return {**found, **({seed.name: sha256(seed.read_bytes())} if seed.is_file() else {})}


def _read(file: Path) -> Site:
    table = read_toml(file)
    for field in ("name", "title", "frozen", "serve"):
        if not isinstance(table.get(field), str):
            raise InputFault(f"{file}: field {field}: missing; wanted a text")
    try:
        frozen = datetime.fromisoformat(table["frozen"]).astimezone(UTC)
    except ValueError as error:
        raise InputFault(
            f"{file}: field frozen: {table['frozen']!r}; wanted an instant like 2022-06-24T12:00:00Z"
        ) from error
    rows = table.get("data", ())
    data = tuple(item for item in rows if isinstance(item, dict)) if isinstance(rows, list) else ()
    return Site(
        name=table["name"], folder=file.parent, title=table["title"], frozen=frozen, serve=table["serve"], data=data
    )


def load_app(root: Path, folder: Path, frozen: datetime) -> Any:
    """The ASGI app of the site in `folder`, made anew by its `create_app(folder, frozen)`."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module(f"sites_docker.{folder.name}.app").create_app(folder, frozen)
