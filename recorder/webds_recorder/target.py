"""Where an archive may be written: over archives, and never over anything else."""

from pathlib import Path

from webds.errors import InputFault


def beside(folder: Path, suffix: str) -> Path:
    """A path beside an archive's folder, also where that is called `.` or with a slash at its end."""
    place = folder.resolve()
    return place.with_name(place.name + suffix)


def check_place(folder: Path, resume: bool = False, force: bool = False) -> None:
    """InputFault where an archive cannot be written to `folder`: nothing but an archive, or what is left of one, is
    ever replaced, and a finished one only with `force` or by the resumed capture that was begun with it."""
    if not folder.resolve().name:
        raise InputFault(f"{folder}: not a folder that an archive can be written to")
    part = beside(folder, ".part")
    for where in (folder, part, beside(folder, ".old")):
        if not _replaceable(where):
            raise InputFault(f"{where}: holds what is no archive, and is not deleted; name another folder")
    if (folder / "manifest.json").is_file() and not force and not (resume and part.is_dir()):
        raise InputFault(f"{folder}: an archive is there already; --force replaces it")


def _replaceable(where: Path) -> bool:
    """Whether a path is free, an empty folder, or an archive by two of its three marks (one may have been lost). Of
    one that is being written there is the index from its first moment on."""
    if not where.exists() and not where.is_symlink():
        return True
    marks = sum((where / name).exists() for name in ("manifest.json", "index.sqlite", "blobs"))
    written = where.name.endswith(".part") and (where / "index.sqlite").is_file()
    return where.is_dir() and (marks > 1 or written or not any(where.iterdir()))
