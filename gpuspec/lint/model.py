"""The model of the linter: rules, raw findings, findings and fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.kinds import ObjectIdentity
from gpuspec.manifests import Path
from gpuspec.settings.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.objects.collection import Collection

Confidence = Literal["certain", "likely", "possible"]
"""The confidence of a finding: from the text alone (or the profile), or from common practice."""

Scope = Literal["object", "pod", "set", "spec", "text"]
"""What a rule checks: each object, each pod, all objects together, or a gpuspec workload. The
findings of a rule with scope `text` come from the parser; it has a page and no check."""


class Rule(msgspec.Struct, frozen=True):
    """The description of a rule. Its page is beside its module."""

    code: str
    """`GPU` and three digits; stable, and never reused for another rule."""
    name: str
    """The idea in a few words, joined by dashes."""
    severity: Severity
    """The highest severity of its findings; a single one may have a lower severity."""
    title: str
    """The fault in one line."""
    gives_way: tuple[str, ...] = ()
    """Codes of rules that report the same fault better. A finding is dropped if one of them has a
    finding in the same object at this path, above or below it, with at least the same severity, or
    one that the value is undecided."""
    undecided: bool = False
    """Whether it reports a value that is still to be written; rules of higher severity give way to
    it too."""
    fix: Literal["safe", "unsafe", "both"] | None = None
    """The kinds of fixes of its findings, for the table of rules; None for a rule without fixes."""


class Put(msgspec.Struct, frozen=True, tag="put"):
    """Set a value at a path; missing parents are added.

    A list's next index appends. The path starts at the document's root.
    """

    path: Path
    value: Any
    as_written: bool = False
    """Apply it only if the value's text is already there, unquoted: in `0777` or `yes` the author
    meant the text, which the value does not tell."""


class Drop(msgspec.Struct, frozen=True, tag="drop"):
    """Remove an entry or an item."""

    path: Path
    emptied: bool = False
    """Whether mappings and lists that become empty are removed too."""


class Rename(msgspec.Struct, frozen=True, tag="rename"):
    """Rename an entry's key; its value stays as written."""

    path: Path
    key: str


Change = Put | Drop | Rename


class Fix(msgspec.Struct, frozen=True):
    """A fix. A safe one provably does what was intended; the others change what runs."""

    title: str
    """What it does, as an imperative: `set limits equal to requests`."""
    changes: tuple[Change, ...]
    safe: bool = False


class RelatedPlace(msgspec.Struct, frozen=True):
    """A related place of a finding, such as the Service that selects nothing."""

    object: int
    """The `number` of the object in the set."""
    path: Path
    message: str


class RawFinding(msgspec.Struct, frozen=True):
    """A finding as a rule yields it: with a path instead of a line, which the engine computes."""

    path: Path
    """The path from the document's root. For a missing field it is the field's path, and the
    nearest existing parent is shown."""
    message: str
    """One sentence: the fault and its consequence, with fields and values in backquotes."""
    note: str | None = None
    """The evidence, or what to write if there is no fix."""
    key: bool = False
    """Whether to point at the key instead of the value."""
    fix: Fix | None = None
    severity: Severity | None = None
    """A lower severity than the rule's."""
    confidence: Confidence = "certain"
    object: int | None = None
    """For a rule on the whole set: the `number` of the object that contains `path`."""
    related: tuple[RelatedPlace, ...] = ()
    inside: Path | None = None
    """If the value at `path` is embedded YAML: the path in it."""
    unless: Callable[[Collection], bool] | None = None
    """A condition under which other pods excuse the finding. It is evaluated when all pods are
    known; if true, the finding is dropped."""


class Edit(msgspec.Struct, frozen=True):
    """A text edit: the text between two positions is replaced. Lines and columns count from 1."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class TextFix(msgspec.Struct, frozen=True):
    """A fix as text edits of its file, in the order of the text."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]
    reason: str | None = None
    """Why it is not safe: `changes which nodes are eligible`."""


class Also(msgspec.Struct, frozen=True):
    """A related place of a finding, as reported."""

    file: str
    line: int
    column: int
    message: str


class Finding(msgspec.Struct, frozen=True):
    """A finding as reported. Lines and columns count from 1; the end is after the last character."""

    rule: str
    name: str
    severity: Severity
    confidence: Confidence
    message: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    path: str
    """Like `spec.containers[0].resources.limits["nvidia.com/gpu"]`; empty for a whole file."""
    object: ObjectIdentity | None = None
    note: str | None = None
    fix: TextFix | None = None
    related: tuple[Also, ...] = ()
    template: str | None = None
    """The chart's template, if Helm's output names it."""
    profiles: tuple[str, ...] = ()
    """The profiles to which it applies, if its file was linted for several; empty for all."""

    @property
    def said(self) -> str:
        """The message, with its profiles unless it applies to all."""
        return f"{self.message} (on {', '.join(self.profiles)})" if self.profiles else self.message
