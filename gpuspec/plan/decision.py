"""A decision of a plan: a value, its reason, and its origin.

Decisions are the basis of `gpuspec explain` and of the lines of findings on rendered objects.
Templates never see a value, only its decision, so that nothing can be injected into a template.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from gpuspec.manifests import Path, format_path


class Origin(msgspec.Struct, frozen=True):
    """The origin of a value. `spec` and `profile`: a path of that document. `table`: a row of the
    shipped data. `derived`: a rule of gpuspec, described in the documentation. `option`: the
    command line."""

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
"""A part of a plan: a decision, a mapping or list of parts, or None for an absent field."""


class Note(msgspec.Struct, frozen=True):
    """Information for the user that is no field: an assumption, an excluded pool."""

    text: str
    origin: Origin
    loud: bool = False
    """Loud notes are printed on stderr at every render; the others by `explain`."""
    assumed: bool = False
    """Whether the note is about an assumed number: `render` lists assumptions in one sentence, loud
    or not."""
    doubt: bool = False
    """Whether the spec contradicts itself, or a known fact. The linter reports it too: its text ends
    in a semicolon and what to write."""

    @property
    def sentence(self) -> str:
        """The note as a sentence by itself."""
        return f"assumed: {self.text}" if self.assumed else self.text


def from_spec(path: Path, value: Any, reason: str) -> Decision:
    """Return a decision whose value is at `path` of the spec."""
    return Decision(value, reason, Origin("spec", path))


def from_profile(path: Path, value: Any, reason: str) -> Decision:
    """Return a decision whose value is at `path` of the profile."""
    return Decision(value, reason, Origin("profile", path))


def from_table(row: str, value: Any, reason: str) -> Decision:
    """Return a decision whose value is in a shipped table."""
    return Decision(value, reason, Origin("table", row=row))


def derived(rule: str, value: Any, reason: str) -> Decision:
    """Return a decision whose value follows from a rule of gpuspec."""
    return Decision(value, reason, Origin("derived", row=rule))
