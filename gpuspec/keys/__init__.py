"""Keys that a GPU stack reads: labels, annotations, environment variables, resources.

A key has its place, its form, related keys and its replacement. The facts lie in `data/`, one file
for each project, with their sources.
"""

from gpuspec.keys.model import Field, Key, Level, Old, Project, RelatedKeys
from gpuspec.keys.slips import meant
from gpuspec.keys.tables import (
    is_known,
    keys_named,
    mistaken_for,
    old_named,
    project,
    projects,
    resources_beside,
)

__all__ = [
    "Field",
    "Key",
    "Level",
    "Old",
    "Project",
    "RelatedKeys",
    "is_known",
    "keys_named",
    "meant",
    "mistaken_for",
    "old_named",
    "project",
    "projects",
    "resources_beside",
]
