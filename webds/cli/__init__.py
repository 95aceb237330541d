"""The command line: one module a verb, loaded only when its verb is called, so that `webds --help` stays quick."""

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from webds import __version__
from webds.errors import InputFault, WebdsError

VERBS: dict[str, tuple[str, str]] = {
    "run": ("webds.cli.run", "Run tasks with an agent, judge the episodes, write the report."),
    "judge": ("webds.cli.judge", "Grade the episodes of a run again."),
    "report": ("webds.cli.report", "Write report.html, results.json and episodes.parquet of a run."),
    "tasks": ("webds.cli.tasks", "List, show, open and validate tasks."),
    "sites": ("webds.cli.sites", "List, serve and open the frozen sites."),
    "export": ("webds.cli.export", "Export a run's (observation, action, next observation) triplets."),
    "doctor": ("webds.cli.doctor", "Say what this machine has and lacks, each with its fix."),
}
"""verb -> (module with a Typer app called `app`, one line of help)."""
