"""What a rule said of an object, and where that object is written."""

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
    """What is kept of every object: what it is called, and where it is written."""

    named: ObjectIdentity
    where: Where
    document: Document | None
    template: str | None
    annotations: tuple[Annotation, ...] = ()
    """Those that wave findings through."""
    side: Side = EVERYWHERE
    """Where its file stands among files that exclude each other."""
    charted: ChartOrigin | None = None
    """Where its object comes from, if a chart makes it."""


class RaisedFinding(msgspec.Struct, frozen=True):
    """What a rule said of an object."""

    rule: Rule
    found: RawFinding
    site: Site
    missing: bool = False
    """What it is about is not written."""

    @property
    def severity(self) -> Severity:
        """As loud as the rule, or softer. An error is certain: it ends what others wait for."""
        loudest = self.found.severity or self.rule.severity
        is_sure = self.found.confidence == "certain"
        return loudest if is_sure or loudest != "error" else "warning"

    def finding(self) -> Finding:
        """Return the finding for a reader, without its fix and its second places.

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
    """Yield what is left when of two rules for one cause one is silent; never for one that is
    softer."""
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
    """Some paths, and whether another one lies in any of them or holds any."""

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self._above: set[Path] = set()
        """They, and all that they lie in."""

    def add(self, path: Path) -> None:
        self._paths.add(path)
        self._above.update(path[:end] for end in range(len(path) + 1))

    def touch(self, path: Path) -> bool:
        """Return whether it lies in one of them, is one, or holds one."""
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
