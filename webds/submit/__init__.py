"""Submissions: a run as one bundle, what is checked of it, and how it is scored. docs/submitting.md."""
