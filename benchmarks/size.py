"""What an installation takes on disk: gpuspec's runtime dependencies, all the way down."""

import re
from importlib import metadata
from pathlib import Path


def dependencies(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """Installed distributions that one needs at run time, without itself, without extras."""
    for requirement in metadata.requires(name) or []:
        marker = requirement.partition(";")[2]
        needed = normal(re.split(r"[^A-Za-z0-9._-]", requirement.strip())[0])
        if "extra" in marker or needed in seen or not installed(needed):
            continue
        seen = dependencies(needed, seen | {needed})
    return seen


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(name: str) -> bool:
    """A dependency that is not installed is one whose marker excludes this platform."""
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def megabytes(names: frozenset[str]) -> float:
    """Size of all files that the distributions installed, compiled modules included."""
    files = {
        path
        for name in names
        for file in metadata.files(name) or []
        if (path := Path(file.locate())).is_file()
    }
    return sum(path.stat().st_size for path in files) / 1e6
