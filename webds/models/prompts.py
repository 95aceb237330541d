"""What every prompt is made with: Jinja2 files that fail on a missing value, and screenshots as message parts."""

import base64
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def engine(folder: Path, *, trim: bool = False) -> Environment:
    """Templates of a folder. `trim`: a line that holds only a block leaves no line in the text."""
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=trim,
        lstrip_blocks=trim,
        autoescape=False,  # noqa: S701 - text for a model, not a page
    )


def text_part(text: str) -> dict[str, Any]:
    """A text among the parts of a message."""
    return {"type": "text", "text": text}


def image_part(png: bytes) -> dict[str, Any]:
    """A picture among the parts of a message."""
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64.b64encode(png).decode()}"}}
