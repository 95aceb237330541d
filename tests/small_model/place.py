"""Where the small model lives: a folder that git does not see, with the weights, the server's own Python, and runs."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
HOME = ROOT / ".llm"


class Unavailable(Exception):
    """The packages cannot be fetched, are not what they were, or do not run on this machine; one line says what."""
