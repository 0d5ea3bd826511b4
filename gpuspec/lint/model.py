"""What a rule says, and what a reader gets: rules, what they found, findings, fixes."""

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
"""How sure a finding is: from the text alone (or the profile), or from what is usual."""

Scope = Literal["object", "pod", "set", "spec", "text"]
"""What a rule is shown: each object, each pod in it, all objects together, a gpuspec workload. What
a rule of scope `text` says is found by whoever reads the text; it has a page and no check."""


class Rule(msgspec.Struct, frozen=True):
    """What is known of a rule beside its check. Its page lies beside its module."""

    code: str
    """`GPU` and three digits; stable for ever, never given to another rule."""
    name: str
    """The idea in a few words, joined by dashes."""
    severity: Severity
    """The loudest that the rule gets. A single finding may be softer."""
    title: str
    """What is wrong, in one line."""
    gives_way: tuple[str, ...] = ()
    """Codes of rules that say the same better: silent where one of them speaks of the same object
    at this path, above or below it, and is as loud, or says that nothing is decided yet."""
    undecided: bool = False
    """Whether it says of a value that it is still to be written: louder rules give way to it too."""
    fix: Literal["safe", "unsafe", "both"] | None = None
    """Which fixes its findings may carry, for the table of rules; None for a rule without any."""


class Put(msgspec.Struct, frozen=True, tag="put"):
    """Write a value at a path; parents that are missing are made.

    A list's next index appends. Steps are from the document's root.
    """

    path: Path
    value: Any
    as_written: bool = False
    """Only where the value's text already stands there, bare: who wrote `0777` or `yes` meant a
    text that the value does not tell."""


class Drop(msgspec.Struct, frozen=True, tag="drop"):
    """Remove an entry or an item."""

    path: Path
    emptied: bool = False
    """The mapping or list that it leaves empty goes too, and what that leaves empty."""


class Rename(msgspec.Struct, frozen=True, tag="rename"):
    """Give an entry another key; its value stays as it is written."""

    path: Path
    key: str


Change = Put | Drop | Rename


class Fix(msgspec.Struct, frozen=True):
    """How to mend it. Safe: provably what was meant. The others change what runs."""

    title: str
    """What it does, in the imperative: `set limits equal to requests`."""
    changes: tuple[Change, ...]
    safe: bool = False


class RelatedPlace(msgspec.Struct, frozen=True):
    """A second place that belongs to a finding: the Service that selects nothing, say."""

    object: int
    """Which object: its `number` in the set."""
    path: Path
    message: str


class RawFinding(msgspec.Struct, frozen=True):
    """What a rule says: a path, not a line. The engine works out where that is written."""

    path: Path
    """From the document's root. A field that is missing is named all the same: its nearest parent
    that exists is pointed at."""
    message: str
    """One sentence: what is wrong and what will happen. Fields and values in backquotes."""
    note: str | None = None
    """The evidence, or what to write where no fix can say it."""
    key: bool = False
    """Point at the key rather than at the value."""
    fix: Fix | None = None
    severity: Severity | None = None
    """Softer than the rule's."""
    confidence: Confidence = "certain"
    object: int | None = None
    """For a rule that sees the whole set: the `number` of the object that `path` is in."""
    related: tuple[RelatedPlace, ...] = ()
    inside: Path | None = None
    """Where `path` is a text that is YAML itself: the path in that."""
    unless: Callable[[Collection], bool] | None = None
    """For what other pods may excuse: asked when all are known, and nothing is said where it is
    true."""


class Edit(msgspec.Struct, frozen=True):
    """A text edit: the text from one position to another is replaced. Lines and columns from 1."""

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
    """A second place of a finding, as a reader gets it."""

    file: str
    line: int
    column: int
    message: str


class Finding(msgspec.Struct, frozen=True):
    """What a reader gets. Lines and columns count from 1; the end is behind the last character."""

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
    """The chart's template, where Helm's output names it."""
    profiles: tuple[str, ...] = ()
    """The profiles on which it is so, of several that its file was linted for; empty for all."""

    @property
    def said(self) -> str:
        """The message, with the profiles that it is about where it is not about all."""
        return f"{self.message} (on {', '.join(self.profiles)})" if self.profiles else self.message
