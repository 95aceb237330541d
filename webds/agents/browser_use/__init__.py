"""Agent `browser-use`: the library of that name, driven in the sandbox (docs/agents.md)."""
