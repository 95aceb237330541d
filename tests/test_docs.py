"""Documents that can fail: what they name exists, and what exists is named.

`python -m tests.test_docs` writes the tables of docs/cli.md again from the command line itself.
"""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperArgument, TyperGroup

import webds
from tests.conftest import ROOT
from webds.cli import VERBS, build
from webds.plugins import GROUPS

CLI = ROOT / "docs" / "cli.md"
BEGIN, END = "<!-- verbs -->", "<!-- /verbs -->"
# Put together here, so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(
    "(?<![A-Za-z0-9_.~>-])/(?:" + "|".join(("root", "work", "farm", "home/[a-z]+", "Users/[a-z]+", "tmp/w")) + ")/"
)
REGISTRY_HOSTS = re.compile(
    "|".join((r"pypi\." + "org", r"python" + "hosted", r"npmjs\." + "org", r"deb\." + "debian", r"docker\." + "io"))
)


def option_rows(command: Any) -> Iterator[str]:
    """One table row for each argument and option, without --help."""
    for item in command.params:
        is_argument = isinstance(item, TyperArgument)
        name = (item.metavar or item.name.upper()) if is_argument else ", ".join((*item.opts, *item.secondary_opts))
        text = (item.help or "").replace("\\[", "[")  # a bracket that is no mark-up
        if name != "--help":
            yield f"| `{name}` | {' '.join(text.split()).replace('|', '/')} |"


def section(title: str, command: Any) -> Iterator[str]:
    """A verb, or a verb with its subcommands, as Markdown."""
    yield f"### webds {title}\n"
    yield f"{' '.join((command.help or '').split())}\n"
    rows = list(option_rows(command))
    if rows:
        yield "\n".join(("| word | meaning |", "|---|---|", *rows, ""))
    if isinstance(command, TyperGroup):
        for name, sub in command.commands.items():
            yield from section(f"{title} {name}", sub)


def verb(name: str) -> Any:
    """The command of one verb, as `webds NAME` would meet it."""
    top = typer.main.get_command(build([name]))
    assert isinstance(top, TyperGroup)
    return top.commands[name]


def rendered() -> str:
    """What docs/cli.md must hold between its marks."""
    table = [
        "| verb | what it does |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, (_, text) in VERBS.items()),
        "",
    ]
    parts = [part for name in VERBS for part in section(name, verb(name))]
    return "\n".join(("\n".join(table), *parts))


def between_marks(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0].strip()


def tracked(root: Path) -> list[Path]:
    words = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    return [root / name for name in listed if name and (root / name).is_file()]


def texts(root: Path) -> Iterator[tuple[Path, str]]:
    """Tracked files that are text."""
    for path in tracked(root):
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            yield path, data.decode("utf-8", "replace")


def documents(root: Path) -> str:
    return "\n".join(
        p.read_text(encoding="utf-8") for p in [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]
    )


@pytest.fixture(scope="module")
def targets(root: Path) -> dict[str, str]:
    """Makefile target -> its ## line."""
    found = re.findall(
        r"^([a-z-]+):[^=\n]*?(?:## (.*))?$", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    return dict(found)


def test_cli_page_is_what_the_command_line_says() -> None:
    again = "docs/cli.md differs from --help; write it again with: .venv/bin/python -m tests.test_docs"
    assert between_marks(CLI.read_text(encoding="utf-8")) == rendered().strip(), again


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_and_option_has_help(name: str) -> None:
    bare = [row for row in "\n".join(section(name, verb(name))).splitlines() if row.endswith("|  |")]
    assert bare == []


def test_every_target_has_a_help_line_and_stands_in_the_readme(root: Path, targets: dict[str, str]) -> None:
    wanted = {"help", "setup", "run", "test", "test-long", "test-extra", "check", "bench", "sites", "data", "clean"}
    assert wanted - set(targets) == set()
    assert [name for name, text in targets.items() if not text] == []
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert [name for name in targets if f"`make {name}`" not in readme] == []


def test_every_make_command_in_the_documents_exists(root: Path, targets: dict[str, str]) -> None:
    named = set(re.findall(r"`make ([a-z-]+)`", documents(root))) | set(
        re.findall(r"^make ([a-z-]+)$", documents(root), re.MULTILINE)
    )
    assert named - set(targets) == set()


def test_every_webds_command_in_the_documents_exists(root: Path) -> None:
    named = set(re.findall(r"(?:`|bin/)webds ([a-z]+)\b", documents(root)))
    assert named - set(VERBS) == set()


def test_every_plug_in_is_named(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups: dict[str, dict[str, str]] = project["entry-points"]
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = [*GROUPS, *groups, *(name for group in groups.values() for name in group)]
    assert [name for name in names if f"`{name}`" not in text] == []
    assert set(groups) - set(GROUPS) == set()


def test_links_between_documents_lead_somewhere(root: Path) -> None:
    pages = [root / "README.md", *sorted((root / "docs").glob("**/*.md"))]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert links
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_the_changelog_has_this_version(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == webds.__version__
    assert f"## [{webds.__version__}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_machine_path_and_no_registry_host_is_tracked(root: Path) -> None:
    found = [
        f"{path.relative_to(root)}:{text.count(chr(10), 0, hit.start()) + 1}: {hit.group()}"
        for path, text in texts(root)
        for pattern in (MACHINE_PATHS, REGISTRY_HOSTS)
        for hit in pattern.finditer(text)
    ]
    assert found == []


def test_the_search_for_machine_paths_can_fail() -> None:
    assert MACHINE_PATHS.search("see /ro" + "ot/x")
    assert REGISTRY_HOSTS.search("https://py" + "pi.org/simple")
    assert not MACHINE_PATHS.search("https://a.test/work/1 and ~/work/x and <home>/root/")


if __name__ == "__main__":
    page = CLI.read_text(encoding="utf-8")
    head, tail = page.partition(BEGIN)[0], page.partition(END)[2]
    CLI.write_text(f"{head}{BEGIN}\n\n{rendered().strip()}\n\n{END}{tail}", encoding="utf-8")
