"""Tier 2: a model answers the criteria of rubric.toml over a whole trajectory; a formula makes the score of them."""
