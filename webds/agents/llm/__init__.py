"""Agent `llm`, our reference: an observation in, one action out, over any endpoint that webds.models can ask."""
