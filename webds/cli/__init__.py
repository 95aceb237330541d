"""The command line: one module a verb, loaded only when its verb is called, so that `webds --help` stays quick.

Exit codes: 0 completed whatever the scores, 1 a check asked for failed, 2 bad input, 3 infrastructure.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import typer

from webds import __version__
from webds.errors import Fault, InputFault, WebdsError

VERBS: dict[str, tuple[str, str]] = {
    "run": ("webds.cli.run", "Run tasks with an agent, judge the episodes, write the report."),
    "judge": ("webds.cli.judge", "Grade the episodes of a run again."),
    "report": ("webds.cli.report", "Write report.html, results.json and episodes.parquet of a run."),
    "merge": ("webds.cli.merge", "Merge shards, or what several machines ran, into one run."),
    "diff": ("webds.cli.diff", "Compare two runs task by task: difference, interval, test, what flipped."),
    "status": ("webds.cli.status", "Show how a run stands, while it runs or after."),
    "pause": ("webds.cli.pause", "Pause a run: running episodes finish, no other begins."),
    "unpause": ("webds.cli.unpause", "Go on with a paused run."),
    "cancel": ("webds.cli.cancel", "Stop a run as Ctrl-C does, from another shell."),
    "requeue": ("webds.cli.requeue", "Run episodes once more, with fresh tries."),
    "submit": ("webds.cli.submit", "Reserve a run's id, pack, verify and send a run for scoring."),
    "board": ("webds.cli.board", "Run a scoring server: teams, scoring, decisions."),
    "tasks": ("webds.cli.tasks", "List, show, open and validate tasks."),
    "agents": ("webds.cli.agents", "List agents; try one on three small tasks."),
    "freeze": ("webds.cli.freeze", "Capture a real site into an archive."),
    "archive": ("webds.cli.archive", "Verify, show, compare, export and import archives."),
    "sites": ("webds.cli.sites", "List, serve and open the frozen sites."),
    "export": ("webds.cli.export", "Export a run's (observation, action, next observation) triplets."),
    "annotate": ("webds.cli.annotate", "Have people label a sample of tries, blind, and report how far they agree."),
    "serve": ("webds.cli.serve", "Serve the annotation pass and the leaderboard to browsers."),
    "doctor": ("webds.cli.doctor", "Say what this machine has and lacks, each with its fix."),
}
"""verb -> (module with a Typer app called `app`, one line of help)."""

_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"webds {__version__}")
        raise typer.Exit


def _top(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Show whether an AI agent can do real data science on the web."""


def _placeholder(text: str) -> Callable[[], None]:
    def verb() -> None:
        raise AssertionError("a verb that was not called was run")

    verb.__doc__ = text
    return verb


def build(arguments: Sequence[str]) -> typer.Typer:
    """The app for this command line: only the verb that is called is imported, the others are their help line."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
    app.callback()(_top)
    called = next((word for word in arguments if not word.startswith("-")), "")
    for verb, (module, text) in VERBS.items():
        if verb != called:
            app.command(verb, help=text)(_placeholder(text))
            continue
        sub: typer.Typer = import_module(module).app
        commands = sub.registered_commands
        if len(commands) == 1 and sub.registered_callback is None and commands[0].callback is not None:
            app.command(verb, help=text, context_settings=_SETTINGS)(commands[0].callback)
        else:
            app.add_typer(sub, name=verb, help=text, context_settings=_SETTINGS)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: every error that a person can mend is one line on stderr, never a traceback."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        build(words)(args=words, prog_name="webds")
    except InputFault as error:
        _stop(str(error), 2)
    except Fault as error:
        _stop(str(error), 3)
    except WebdsError as error:
        _stop(str(error), 2)
    except OSError as error:
        _stop(f"{error.filename or 'system'}: {error.strerror or error}", 3)


def _stop(text: str, code: int) -> None:
    sys.stderr.write(f"webds: {' '.join(text.split())}\n")
    raise SystemExit(code)
