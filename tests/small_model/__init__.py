"""A real small model in tests: its weights, its server, and a table of what agents do with it (docs/small-model.md)."""
