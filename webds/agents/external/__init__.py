"""Agents that are programs of their own, in any language, in the sandbox (docs/agents.md)."""
