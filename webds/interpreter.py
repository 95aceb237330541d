"""How a module of ours is started in a process of its own."""

import sys


def module(name: str, *words: str) -> list[str]:
    """argv that runs the module in this interpreter, blind to the current folder: what an agent or a person left there
    (an h2.py, a random.py) is no module of ours."""
    return [sys.executable, "-P", "-m", name, *words]
