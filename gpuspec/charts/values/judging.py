"""Whether the values of a release can be judged by what the templates of its chart read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from gpuspec.charts.model import KnownChart, ReadReleases
    from gpuspec.charts.release import Release

NUMBERS = 3
"""As many numbers has a release; with fewer it is a range."""
_OWN = ("_", "x-", ".")
"""Beginnings of keys under which people keep parts that anchors refer to."""


def is_read(span: ReadReleases | None, version: tuple[int, ...]) -> bool:
    """Return whether a release is among those whose templates were evaluated."""
    if span is None or len(version) != NUMBERS:
        return False
    return not is_later(span, version) and read_version(span.first) <= version <= read_version(
        span.last
    )


def is_later(span: ReadReleases | None, version: tuple[int, ...]) -> bool:
    """Return whether a release came after those that were read, though its number is in between."""
    if span is None or span.gap is None:
        return False
    return read_version(span.gap[0]) < version < read_version(span.gap[1])


def is_of_another(release: Release, chart: KnownChart) -> bool:
    """Return whether most of a release's values are none of a chart's: another chart has its name."""
    tops = [closed for closed in chart.mappings if closed.span is not None and "" in closed.at]
    known_keys = sum(key in closed.keys for closed in tops for key in release.values)
    return len(release.values) > 2 * known_keys if tops else False


def uses_values(release: Release) -> bool:
    """Return whether a text among the values is a template that reads values itself."""
    waiting: list[object] = [release.values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and ".Values" in value:
            return True
    return False


def is_shared(key: str) -> bool:
    """Return whether a key is one under which people keep parts for anchors."""
    return key.startswith(_OWN)
