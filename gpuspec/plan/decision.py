"""A decision of a plan: a value, why it is that value, and where it came from.

From decisions come `gpuspec explain`, the lines of findings on rendered objects, and the promise
that a template cannot be injected into: templates never see a value, its decision.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from gpuspec.manifests import Path, format_path


class Origin(msgspec.Struct, frozen=True):
    """Where a value came from.

    `spec` and `profile`: a path of that document. `table`: a row of the shipped data.
    `derived`: a rule of gpuspec, described in the documentation. `option`: the command line.
    """

    kind: Literal["spec", "profile", "table", "derived", "override", "option"]
    path: Path = ()
    row: str = ""

    def __str__(self) -> str:
        if self.kind in ("spec", "profile", "override"):
            return f"{self.kind} {format_path(self.path)}".rstrip()
        return f"{self.kind} {self.row}".rstrip()


class Decision(msgspec.Struct, frozen=True):
    """One decision. The value is plain data: a scalar, or a list or mapping of such."""

    value: Any
    reason: str
    origin: Origin


PlanPart = Decision | Mapping[str, "PlanPart"] | Sequence["PlanPart"] | None
"""A part of a plan: a decision, a mapping or list of parts, or None where nothing is written."""


class Note(msgspec.Struct, frozen=True):
    """Something a person should know that is no field: an assumption, a pool left out."""

    text: str
    origin: Origin
    loud: bool = False
    """Loud notes go to stderr with every render; the others are for `explain`."""
    assumed: bool = False
    """A number that nobody said: `render` says in one sentence what it assumed, loud or not."""
    doubt: bool = False
    """The spec contradicts itself, or what is known: the linter says it too."""

    @property
    def sentence(self) -> str:
        """The note as it is read alone."""
        return f"assumed: {self.text}" if self.assumed else self.text


def from_spec(path: Path, value: Any, reason: str) -> Decision:
    """Return a decision whose value the spec states at `path`."""
    return Decision(value, reason, Origin("spec", path))


def from_profile(path: Path, value: Any, reason: str) -> Decision:
    """Return a decision whose value the profile states at `path`."""
    return Decision(value, reason, Origin("profile", path))


def from_table(row: str, value: Any, reason: str) -> Decision:
    """Return a decision whose value stands in a shipped table."""
    return Decision(value, reason, Origin("table", row=row))


def derived(rule: str, value: Any, reason: str) -> Decision:
    """Return a decision whose value follows from a rule of gpuspec."""
    return Decision(value, reason, Origin("derived", row=rule))
