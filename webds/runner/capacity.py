"""How many slots the free memory holds."""

from pathlib import Path

import psutil

_CGROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)


def free_mb() -> float:
    """Megabytes that can be had without swapping: the machine's, or what a container is still allowed."""
    free = float(psutil.virtual_memory().available)
    for place, limit, used, cache in _CGROUPS:
        try:
            folder = Path(place)
            rows = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
            cached = next((float(row[1]) for row in rows if row[0] == cache), 0.0)
            free = min(free, float((folder / limit).read_text()) - float((folder / used).read_text()) + cached)
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return max(free, 0.0) / (1 << 20)


def slots(wanted: int, slot_mb: float, free: float) -> tuple[int, str]:
    """How many of `wanted` slots fit into `free` megabytes, at least one, and a line where that is fewer."""
    fit = max(1, min(wanted, int(free // slot_mb) if slot_mb > 0 else wanted))
    if fit == wanted:
        return wanted, ""
    return fit, (
        f"concurrency lowered from {wanted} to {fit}: {free / 1024:.1f} GB of memory are free, "
        f"a slot takes {slot_mb / 1024:.1f} GB (config field limits.slot_mb)"
    )
