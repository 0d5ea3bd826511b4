"""Checks of the path of an output folder."""

# Homes are asked for as texts: Path would take an empty one for the folder at hand, and fail over one
# that is out of reach.

import os
from pathlib import Path as FilePath

from gpuspec.manifests import Problem


def check_place(folder: FilePath) -> Problem | None:
    """Return the problem with a folder in which files are replaced and removed; None if there is
    none.

    A root or home directory is never intended; a variable in the name may have been empty.
    """
    # The way to a folder that is there may lead through one that is not: `new/..`.
    path = FilePath(os.path.realpath(folder))
    if not path.exists():
        return None
    if not path.is_dir():
        return Problem(f"{folder} is not a folder")
    hint = "name a folder of its own for what is rendered"
    if path.samefile("/"):
        return Problem(f"{folder} is the root of the file system", hint=hint)
    if any(os.path.isdir(home) and path.samefile(home) for home in _homes(path)):
        return Problem(f"{folder} is a home folder", hint=hint)
    return None


def _homes(folder: FilePath) -> set[str]:
    """Return the home directories of the current user and of the folder's owner."""
    import pwd

    homes = {os.path.expanduser("~")}
    for user in (os.geteuid(), folder.stat().st_uid):
        try:
            homes.add(pwd.getpwuid(user).pw_dir)
        except KeyError:  # a container's user may have no name
            continue
    return homes
