"""`make bench`: prints the figures, one a line."""

from tests.bench.startup import help_ratio, medians

found = medians()
for name, spent in found.items():
    print(f"{spent:7.3f} s  {name}")
print(f"{help_ratio(found):7.2f} x  webds --help over the empty app (bar: 1.30)")
