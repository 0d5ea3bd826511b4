"""Keys that mean something to a GPU stack: labels, annotations, environment variables, resources.

Where each is read, what it may be, what it needs beside it, and what took its place. The facts lie in
`data/`, a file for each project, with their sources.
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
