"""Sealed tasks: heads that anybody reads, and what only the operator's secret key opens. docs/sealing.md."""
