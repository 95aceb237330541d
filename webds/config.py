"""Configuration: defaults < TOML file < `--set a.b=c`. The only module that reads the environment."""

import glob
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from webds.errors import InputFault

DEFAULTS: dict[str, Any] = {
    "chromium": "",
    "viewport": {"width": 1280, "height": 720},
    "device_scale": 1,
    "launch_ahead": True,
    "colour_scheme": "light",
    "screenshot": {"full_page": False, "marks": False},
    "locale": "en-US",
    "zone": "UTC",
    "sandbox": {
        "seconds": 60,
        "memory_mb": 2048,
        "output_chars": 20000,
        "file_mb": 512,
        "folder_mb": 1024,
        "processes": 64,
        "cgroup": "",
    },
    "engine": {"name": "local", "address": "", "cpus": 1},
    "isolation": "auto",
    "provider": "process",
    "docker": {"base": "debian:trixie-slim"},
    "limits": {
        "page": 20,
        "settle": 3,
        "action": 180,
        "episode": 7200,
        "world": 60,
        "judge": 120,
        "endpoint_wait": 1800,
        "slot_mb": 700,
    },
    "split": "public",
    "caps": {
        "run": {"dollars": 0, "tokens": 0, "steps": 0, "seconds": 0},
        "episode": {"dollars": 0, "tokens": 0, "steps": 0, "seconds": 0},
    },
    "task_files": [],
    "archive": "",
    "live": {"capture": False, "robots": "", "sites": "", "resolver": "", "ca": ""},
    "prices": "",
    "agents": {},
    "rubric": {},
}
"""caps: of --max-cost, 0 means none (docs/running.md).
split: public, or private: the sealed tasks (docs/sealing.md). task_files: tasks of your own in place of the
checkout's, keys.toml beside each. archive: of a live run, served by the dockerized track in place of its sites. live
(docs/live.md): capture what is loaded; robots: respect or record, over all policies; sites: a file over
sites_live.toml; resolver: a table that stands for the whole net, and the ca of its hosts. agents: a table for each,
free in its fields. rubric: the judge's model (docs/models.md). prices: a price table (webds.prices), relative to the
working folder; empty: what is not recorded is unknown. isolation: auto, namespace (an error where the host has none)
or none. provider: of the dockerized track, process or docker; docker.base is the image that its own is built from
(docs/docker.md). limits are in seconds (docs/runner.md), but for slot_mb: the megabytes of memory that each of
several slots must find free. screenshot: the whole page instead of the window, and the ids drawn over the elements.
engine: where workers run (docs/scaling.md)."""

ACCEPTED = {
    "split": ("public", "private"),
    "isolation": ("auto", "namespace", "none"),
    "provider": ("process", "docker"),
    "colour_scheme": ("light", "dark"),
}
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLAYWRIGHT = (
    "~/.cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "~/Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
_MAC = "/Applications/{0}.app/Contents/MacOS/{0}"


def resolve(file: Path | None, sets: Iterable[str]) -> dict[str, Any]:
    """The whole config as one dict. InputFault names the file and field, or the `--set` word."""
    return resolve_table(read_toml(file) if file is not None else {}, str(file), sets)


def resolve_table(table: Mapping[str, Any], where: str, sets: Iterable[str]) -> dict[str, Any]:
    """As `resolve`, for a table that was read already; `where` is the file that errors name."""
    config = _merge(_merge(DEFAULTS, {}, ""), table, where)
    for word in sets:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise InputFault(f"--set {word}: wanted a.b=value")
        config = _merge(config, _nested(name.split("."), _value(text)), f"--set {word}")
    for field, accepted in ACCEPTED.items():
        if config[field] not in accepted:
            raise InputFault(f"config: field {field}: {config[field]!r}; known: {', '.join(accepted)}")
    return config


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a dict, or InputFault with file and line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputFault(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputFault(f"{path}: not TOML: {error}") from error


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        return text


def _nested(names: list[str], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def _merge(low: Mapping[str, Any], high: Mapping[str, Any], where: str, prefix: str = "") -> dict[str, Any]:
    merged = {key: _merge(item, {}, where) if isinstance(item, dict) else item for key, item in low.items()}
    for key, item in high.items():
        free = prefix.startswith(("agents", "rubric"))
        if key not in low and not free:
            raise InputFault(f"{where}: field {prefix}{key}: unknown; known: {', '.join(sorted(low))}")
        old = low.get(key)
        if isinstance(old, dict) and isinstance(item, dict):
            merged[key] = _merge(old, item, where, f"{prefix}{key}.")
        elif old is not None and not free and not _same_kind(old, item):
            raise InputFault(f"{where}: field {prefix}{key}: {item!r}; wanted a {type(old).__name__}")
        else:
            merged[key] = item
    return merged


def _same_kind(old: Any, new: Any) -> bool:
    numbers = (int, float)
    if isinstance(old, bool) or isinstance(new, bool):
        return isinstance(old, bool) and isinstance(new, bool)
    return isinstance(new, numbers) if isinstance(old, numbers) else isinstance(new, type(old))


def find_root(given: str = "") -> Path:
    """The checkout that holds sites_docker: --root, WEBDS_ROOT, or the nearest parent of the working folder."""
    named = given or os.environ.get("WEBDS_ROOT", "")
    if named:
        root = Path(named).resolve()
        if not (root / "sites_docker").is_dir():
            raise InputFault(f"root {named}: no sites_docker folder in it")
        return root
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parent.parent):
        if (folder / "sites_docker").is_dir() and (folder / "tasks_public").is_dir():
            return folder
    raise InputFault("no webds checkout here: name one with --root or WEBDS_ROOT (a folder with sites_docker)")


def find_chromium(configured: str = "") -> str:
    """Path of a Chromium: config, WEBDS_CHROMIUM, the usual places, Playwright's own. InputFault says how to get it."""
    for source, named in (
        ("config field chromium", configured),
        ("WEBDS_CHROMIUM", os.environ.get("WEBDS_CHROMIUM", "")),
    ):
        if named:
            if not os.access(named, os.X_OK) or Path(named).is_dir():
                raise InputFault(f"{source}: {named}: no program there")
            return named
    found = [path for name in _CHROMIUMS if (path := shutil.which(name))]
    found += [_MAC.format(name) for name in ("Chromium", "Google Chrome") if os.access(_MAC.format(name), os.X_OK)]
    found += sorted(path for pattern in _PLAYWRIGHT for path in glob.glob(str(Path(pattern).expanduser())))  # noqa: PTH207 - pattern holds folders
    if not found:
        raise InputFault(
            "no Chromium found; Debian/Ubuntu: apt-get install chromium; Fedora: dnf install chromium; "
            "macOS: brew install --cask chromium; or name one in WEBDS_CHROMIUM"
        )
    return found[0]


def child_environment(**more: str) -> dict[str, str]:
    """The environment of a process of ours: this one's, with `more` over it. Its Python, and its children's, take no
    module from the folder that they are started in: an agent's files may lie there. WEBDS_PRIVATE_* is left out.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEBDS_PRIVATE_")}
    return {**kept, "PYTHONSAFEPATH": "1", **more}


@contextmanager
def environment(**more: str) -> Iterator[None]:
    """Set variables of this process, which its children inherit, for the length of a block."""
    kept = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})


def secret(name: str) -> str:
    """The value of an environment variable that holds a key; empty where it is not set."""
    return os.environ.get(name, "")


def private_folder(root: Path) -> Path:
    """WEBDS_PRIVATE_DIR: plaintext of the private tasks. InputFault: not set, or inside of the checkout."""
    named = os.environ.get("WEBDS_PRIVATE_DIR", "")
    if not named:
        raise InputFault("WEBDS_PRIVATE_DIR: not set; wanted a folder outside of the checkout, for plaintext")
    folder = Path(named).absolute()
    if folder.resolve().is_relative_to(root.resolve()):
        raise InputFault(f"WEBDS_PRIVATE_DIR: {named}: lies inside of the checkout; plaintext must not")
    return folder


def private_key_file() -> Path | None:
    """WEBDS_PRIVATE_KEY_FILE: the operator's secret key; None where it is not set."""
    named = os.environ.get("WEBDS_PRIVATE_KEY_FILE", "")
    return Path(named) if named else None


def display() -> dict[str, str]:
    """What a program with a window needs of the environment; empty where there is no display."""
    found = {name: os.environ[name] for name in ("DISPLAY", "XAUTHORITY") if os.environ.get(name)}
    return found if "DISPLAY" in found else {}


def is_root() -> bool:
    """Chromium needs --no-sandbox, and jails switch to an ordinary uid, where this is true."""
    return os.geteuid() == 0


def in_ci() -> bool:
    """Whether this is a continuous-integration run (CI is set, as everywhere)."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def cpu_count() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
