"""`webds requeue`: ask for episodes to be run once more, of a run that goes on or is resumed later."""

from pathlib import Path
from typing import Annotated

import typer

from webds.control import Control
from webds.errors import InputFault
from webds.runner.status import find_episodes
from webds.store import RunFolder
from webds.types import Outcome

app = typer.Typer()


@app.command()
def requeue(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.", show_default=False)],
    episodes: Annotated[
        list[str] | None,
        typer.Argument(metavar="EPISODE...", help="TASK or TASK~REPEAT, as in the plan.", show_default=False),
    ] = None,
    outcome: Annotated[str, typer.Option(help="All episodes with this outcome, such as ungraded or infra.")] = "",
) -> None:
    """Run episodes once more, with fresh tries. The old tries stay and are counted; the report flags the episode."""
    known = [str(item.value) for item in Outcome]
    if outcome and outcome not in known:
        raise InputFault(f"--outcome {outcome}: unknown; known: {', '.join(known)}")
    if not episodes and not outcome:
        raise InputFault("requeue: name an EPISODE, or an --outcome")
    folder = RunFolder.view(run)
    keys = find_episodes(folder, episodes or [], outcome)
    for key in keys:
        Control(run).requeue(key)
    where = "" if folder.in_use() else f"; they run with: webds run --resume {run}"
    typer.echo(f"{run}: {len(keys)} {'episode' if len(keys) == 1 else 'episodes'} requeued{where}")
