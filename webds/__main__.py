"""`python -m webds`: the same as the `webds` command."""

from webds.cli import main

main()
