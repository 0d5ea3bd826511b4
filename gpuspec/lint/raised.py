"""Findings that rules raised, with the sites of their objects."""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.model import Finding, RawFinding, Rule
from gpuspec.lint.suppressions.annotations import Annotation
from gpuspec.loading.alternatives import EVERYWHERE, Side
from gpuspec.loading.origins import ChartOrigin
from gpuspec.loading.units import Where
from gpuspec.manifests import Document, format_path
from gpuspec.manifests.blocks import span_inside
from gpuspec.settings.severity import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path, Place
    from gpuspec.settings.severity import Severity


class Site(msgspec.Struct, frozen=True):
    """The identity and place of an object, which are kept for all objects."""

    named: ObjectIdentity
    where: Where
    document: Document | None
    template: str | None
    annotations: tuple[Annotation, ...] = ()
    """The annotations that suppress findings."""
    side: Side = EVERYWHERE
    """The side of its file among mutually exclusive files."""
    charted: ChartOrigin | None = None
    """The origin of the object, if a chart creates it."""


class RaisedFinding(msgspec.Struct, frozen=True):
    """A finding of a rule in an object."""

    rule: Rule
    found: RawFinding
    site: Site
    missing: bool = False
    """Whether the field of the finding is missing."""

    @property
    def severity(self) -> Severity:
        """The rule's severity, or a lower one. An error must be certain, because it stops other
        people's work."""
        loudest = self.found.severity or self.rule.severity
        is_sure = self.found.confidence == "certain"
        return loudest if is_sure or loudest != "error" else "warning"

    def finding(self) -> Finding:
        """Return the finding as reported, without its fix and related places.

        A missing field has no text of its own: the finding shows the first line of what should
        contain it.
        """
        # Of a text that is YAML itself the key is one in it.
        key = self.found.key and self.found.inside is None
        start, end = self.site.where.span(self.found.path, key=key)
        if self.found.inside is not None and self.site.document is not None:
            raw_finding = self.found
            start, end = span_inside(
                self.site.document,
                raw_finding.path,
                self.found.inside,
                (start, end),
                key=raw_finding.key,
            )
        if self.missing and self.site.document is not None:
            end = self.site.document.first_line(start, end)
        return _finding(self, start, end)


def given_way(raised: list[RaisedFinding]) -> Iterator[RaisedFinding]:
    """Yield the findings without those that give way to another rule's finding about the same
    cause, which must not have a lower severity."""
    better = {code for raised_finding in raised for code in raised_finding.rule.gives_way}
    spoken: dict[tuple[str, Severity], _Paths] = {}
    for raised_finding in raised if better else ():
        if raised_finding.rule.code in better:
            loudest = (
                0 if raised_finding.rule.undecided else SEVERITIES.index(raised_finding.severity)
            )
            for severity in SEVERITIES[loudest:]:
                spoken.setdefault((raised_finding.rule.code, severity), _Paths()).add(
                    raised_finding.found.path
                )
    for raised_finding in raised:
        keys = ((code, raised_finding.severity) for code in raised_finding.rule.gives_way)
        if not any(spoken[key].touch(raised_finding.found.path) for key in keys if key in spoken):
            yield raised_finding


class _Paths:
    """A set of paths that can be tested for ancestors and descendants of another path."""

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self._above: set[Path] = set()
        """The paths and their ancestors."""

    def add(self, path: Path) -> None:
        self._paths.add(path)
        self._above.update(path[:end] for end in range(len(path) + 1))

    def touch(self, path: Path) -> bool:
        """Return whether a path is one of them, or an ancestor or descendant of one."""
        if path in self._above:
            return True
        return any(path[:end] in self._paths for end in range(len(path)))


def _finding(raised: RaisedFinding, start: Place, end: Place) -> Finding:
    rule, finding = raised.rule, raised.found
    return Finding(
        rule=rule.code,
        name=rule.name,
        severity=raised.severity,
        confidence=finding.confidence,
        # Large runs say the same few thousand times, and all of it is kept to the end.
        message=intern(finding.message),
        file=start.file,
        line=start.line,
        column=start.column,
        end_line=end.line,
        end_column=end.column,
        path=format_path(finding.path),
        object=raised.site.named,
        note=None if finding.note is None else intern(finding.note),
        template=raised.site.template,
    )
