"""Usage of an episode's tries as they lie on disk. Every try was paid for, those that a kill cut off too."""

from dataclasses import dataclass

from webds.prices import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What an episode took. `counted` is the try that counts; `lost` are the earlier ones and those cut off."""

    counted: Usage
    lost: Usage
    tries: int
    """Committed ones."""
    cut_off: int
    """Begun and never committed."""


NOTHING = Spent(counted=Usage(), lost=Usage(), tries=0, cut_off=0)
