"""Language models behind OpenAI-compatible endpoints: one client for agents and the judge's rubric (docs/models.md)."""
