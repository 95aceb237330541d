"""webds_judge: the judge, a process of its own that alone reads answer keys (judge/README.md)."""

RULES = "answers-1"
"""Version of the answer rules: part of every verdict's settings digest, bumped when a rule changes."""
