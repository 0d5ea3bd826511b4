"""Node label keys that a fix replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import requirement_path
from gpuspec.lint.model import Change, Fix, Put, Rename

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement
    from gpuspec.objects.objects import Pod


def rename_key(pod: Pod, requirement: Requirement, key: str, *, safe: bool = False) -> Fix | None:
    """Return changes that replace the key in a selector; None if the new key exists already."""
    path = requirement_path(pod, requirement)
    change: Change = Put((*path, "key"), key)
    if requirement.path[0] == "nodeSelector":
        if key in pod.node_selector:
            return None
        change = Rename(path, key)
    return Fix(f"write `{key}`", (change,), safe=safe)
