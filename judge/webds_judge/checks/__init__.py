"""Check kinds, found by entry point `webds.checks`: each module has `make(config) -> CheckFunction`."""
