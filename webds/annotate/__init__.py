"""The human verification pass: a sample drawn before anyone looks, blind labels, adjudication (docs/annotation.md)."""
