"""`webds doctor`: what this machine has and lacks, each with its fix."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webds.codec import plain
from webds.config import resolve
from webds.doctor import Finding, examine

app = typer.Typer()
_STYLES = {"ok": "green", "warn": "yellow", "missing": "bold red"}


@app.command()
def doctor(
    config: Annotated[Path | None, typer.Option("--config", metavar="FILE", help="A TOML file of settings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say what this machine has and lacks, each with its fix; exit 1 where something required is missing."""
    settings = resolve(config, ())
    findings = examine(settings["chromium"], cgroup=settings["sandbox"]["cgroup"])
    if as_json:
        typer.echo(json.dumps(plain(findings), indent=1))
    else:
        show(findings, Console())
    if any(finding.state == "missing" for finding in findings):
        raise typer.Exit(1)


def show(findings: list[Finding], console: Console) -> None:
    """The findings as a table, then the fixes, each on a line that can be copied whole."""
    table = Table(box=None, pad_edge=False)
    for title in ("what", "state", "found"):
        table.add_column(title, no_wrap=title != "found")
    for finding in findings:
        table.add_row(finding.name, Text(finding.state, style=_STYLES[finding.state]), Text(finding.detail))
    console.print(table)
    for finding in findings:
        if finding.fix:
            console.print(Text(f"fix {finding.name}: {finding.fix}"), soft_wrap=True)
