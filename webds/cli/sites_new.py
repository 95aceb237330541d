"""`webds sites new`: start a site from the kit of the checkout."""

import importlib
import sys
from typing import Annotated

import typer

from webds import config as settings
from webds.errors import InputFault
from webds.tracks.sites import readable


def new(
    name: Annotated[str, typer.Argument(help="Name of the site: small letters, digits and -; its host is NAME.test.")],
    title: Annotated[str, typer.Option(help="Title on its pages; default: the name in words.")] = "",
    number: Annotated[int, typer.Option(help="Its number in the catalogue of sites.")] = 0,
    domain: Annotated[str, typer.Option(help="Field of its data, such as 'public health'.")] = "unnamed",
    root: Annotated[str, typer.Option(help="Checkout that holds sites_docker; default: the nearest parent.")] = "",
) -> None:
    """Start a site: a skeleton that serves, with placeholder rows and a crawl test. See sites_docker/kit/README.md."""
    where = settings.find_root(root)
    known, broken = readable(where)
    for line in broken:
        typer.echo(f"webds: not read: {line}", err=True)
    if name in known:
        raise InputFault(f"site {name!r} is there already; `webds sites list` shows all")
    if str(where) not in sys.path:
        sys.path.insert(0, str(where))
    kit = importlib.import_module("sites_docker.kit.new")
    try:
        written = kit.new_site(where, name, title or name.replace("-", " ").title(), number, domain)
    except FileExistsError as error:
        raise InputFault(f"site {name!r}: {error} is there already") from error
    except ValueError as error:
        raise InputFault(f"site {error}") from error
    for path in written:
        typer.echo(path.relative_to(where))
    typer.echo(f"next: webds sites serve {name}; then sites_docker/kit/README.md, from step 2")
