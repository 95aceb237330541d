"""`make bench`: prints the figures, one a line. `python -m tests.bench startup` or `steps` measures that part alone."""

import sys

from tests.bench import steps
from tests.bench.startup import help_ratio, medians

wanted = sys.argv[1:] or ["startup", "steps"]
if "startup" in wanted:
    found = medians()
    for name, spent in found.items():
        print(f"{spent:7.3f} s  {name}")
    print(f"{help_ratio(found):7.2f} x  webds --help over the empty app (bar: 1.30)")
if "steps" in wanted:
    print("\n".join(steps.lines(steps.measure())))
