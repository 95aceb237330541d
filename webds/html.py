"""What every page is made with: Jinja2 files with everything escaped, and a policy that allows no script."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def engine(*folders: Path, filters: Mapping[str, Any], finalize: Callable[..., Any] | None = None) -> Environment:
    """Templates of the folders, the first that has one. A missing value fails; `finalize` is put on what is printed."""
    made = Environment(
        autoescape=True,
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= filters
    return made


def style_source(css: str) -> str:
    """The source expression of a Content-Security-Policy that allows this one style sheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()}'"


def closed_policy(css: str) -> str:
    """The policy of a file with one style sheet and nothing else: no script, no picture, no way out."""
    return f"default-src 'none'; style-src {style_source(css)}; base-uri 'none'; form-action 'none'"
