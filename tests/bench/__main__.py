"""`make bench`: prints the figures, one a line. `python -m tests.bench startup`, `steps`, `replay`,
`answers` or `running`: only that."""

import sys

from tests.bench import comparisons, replay_run, running, steps
from tests.bench.startup import help_ratio, medians

PARTS = ("startup", "steps", "replay", "answers", "running")
wanted = sys.argv[1:] or PARTS
if unknown := sorted(set(wanted) - set(PARTS)):
    sys.exit(f"bench: no part {', '.join(unknown)}; known: {', '.join(PARTS)}")
if "startup" in wanted:
    found = medians()
    for name, spent in found.items():
        print(f"{spent:7.3f} s  {name}")
    print(f"{help_ratio(found):7.2f} x  webds --help over the empty app (bar: 1.30)")
if "steps" in wanted:
    print("\n".join(steps.lines(steps.measure())))
if "replay" in wanted:
    replay_run.measure(requests=1200, rounds=5, pages=40)
    replay_run.measure_bulk(rounds=3)
if "answers" in wanted:
    print("\n".join(comparisons.lines()))
if "running" in wanted:
    print("\n".join(running.lines()))
