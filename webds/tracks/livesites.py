"""Politeness on the live web: sites_live.toml of this package, and a file of the user's own over it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webds.config import read_toml
from webds.errors import InputFault

SHIPPED = Path(__file__).with_name("sites_live.toml")
_POLICY: Mapping[str, type] = {"delay": float, "per_minute": float, "burst": int, "robots": str}
_SITE = ("slug", "host", "url", "guess", "note", *_POLICY)
ROBOTS = ("respect", "record")


def policies(own: str, robots: str) -> dict[str, Any]:
    """{"default": policy, "hosts": {host: policy}} for the proxy. `robots`, where not empty, goes over all of them."""
    tables = [SHIPPED, *([Path(own)] if own else [])]
    default: dict[str, Any] = {}
    hosts: dict[str, dict[str, Any]] = {}
    for file in tables:
        table = read_toml(file)
        _known(table, ("default", "site"), f"{file}")
        default |= _policy(table.get("default", {}), f"{file}: default")
        for row in sites(file):
            own_policy = {name: row[name] for name in _POLICY if name in row}
            hosts[row["host"]] = {**hosts.get(row["host"], {}), **own_policy}
    if robots:
        default["robots"] = robots
        hosts = {host: {**policy, "robots": robots} for host, policy in hosts.items()}
    return {"default": default, "hosts": hosts}


def sites(file: Path = SHIPPED) -> list[dict[str, Any]]:
    """The [[site]] tables. InputFault names file, site and field."""
    rows = read_toml(file).get("site", [])
    if not isinstance(rows, list):
        raise InputFault(f"{file}: field site: wanted [[site]] tables")
    for number, row in enumerate(rows, start=1):
        where = f"{file}: site {row.get('slug', f'number {number}') if isinstance(row, dict) else number}"
        if not isinstance(row, dict) or not isinstance(row.get("host"), str) or not row["host"]:
            raise InputFault(f"{where}: field host: missing; wanted a name like example.org")
        _known(row, _SITE, where)
        _policy({name: row[name] for name in _POLICY if name in row}, where)
    return rows


def resolver(file: str) -> dict[str, str]:
    """The test resolver's table: name -> "address:port"; empty where there is no file."""
    if not file:
        return {}
    table = read_toml(Path(file))
    for name, place in table.items():
        address, _, port = str(place).rpartition(":")
        if not isinstance(place, str) or not address or not port.isdigit():
            raise InputFault(f'{file}: field {name}: {place!r}; wanted "127.0.0.2:8443"')
    return table


def host_of(url: str, task: str) -> str:
    """The host that a live task starts on. InputFault where the address cannot be opened on the live web."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputFault(f"task {task}: field start.url: {url!r}; wanted an address like https://example.org/")
    return parts.hostname


def _policy(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    _known(values, tuple(_POLICY), where)
    for name, value in values.items():
        numeric = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name == "robots" and value not in ROBOTS:
            raise InputFault(f"{where}: field robots: {value!r}; known: {', '.join(ROBOTS)}")
        if name != "robots" and not numeric:
            raise InputFault(f"{where}: field {name}: {value!r}; wanted a number from 0 on")
    return {name: _POLICY[name](value) for name, value in values.items()}


def _known(table: Mapping[str, Any], fields: tuple[str, ...], where: str) -> None:
    for name in table:
        if name not in fields:
            raise InputFault(f"{where}: field {name}: unknown; known: {', '.join(fields)}")
