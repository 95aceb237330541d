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
    files = sorted((root / "sites_docker").glob("*/site.toml"))
    sites = [_read(file) for file in files]
    return {site.name: site for site in sites}


def pick(root: Path, names: Iterable[str]) -> list[Site]:
    """The named sites, in order. InputFault lists the known names."""
    known = all_sites(root)
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in known:
            raise InputFault(f"no site {name!r}; known: {', '.join(sorted(known)) or 'none'}")
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
    data = tuple(item for item in table.get("data", ()) if isinstance(item, dict))
    return Site(
        name=table["name"], folder=file.parent, title=table["title"], frozen=frozen, serve=table["serve"], data=data
    )


def load_app(root: Path, folder: Path, frozen: datetime) -> Any:
    """The ASGI app of the site in `folder`, made anew by its `create_app(folder, frozen)`."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return importlib.import_module(f"sites_docker.{folder.name}.app").create_app(folder, frozen)
