"""The settings with which manifests and specs are found and linted."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.settings.severity import Severity
    from gpuspec.spec import Profile


class LintSettings(TypedDict, total=False):
    """The settings of `lint`, `mend` and `suppress`; those that are left out come from the
    configuration above the first path."""

    profile: Profile | Sequence[Profile] | None
    """The profile of the cluster. With several, a finding names its profiles, unless it applies to
    all for which the file is linted. A file that was rendered for one of them, according to a
    record, is linted for that one only."""
    select: Iterable[str]
    """The rules that run: codes, beginnings of codes, or names."""
    ignore: Iterable[str]
    """The rules that do not run."""
    severity: Severity
    """Findings below this severity are left out. Default: `info`."""
    baseline: str | None
    """The file of known findings; an empty string means none."""
    schemas: Iterable[str]
    """Locations of schemas for custom kinds: folders or path templates."""
    config: str | None
    """The configuration file to use instead of the nearest one."""
    force_exclude: bool
    """Whether the configuration's `exclude` applies to paths that are named."""
    stdin: str | None
    """The file name of standard input in findings."""
