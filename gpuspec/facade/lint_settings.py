"""What manifests and specs are linted by, and how they are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpuspec.settings.severity import Severity
    from gpuspec.spec import Profile


class LintSettings(TypedDict, total=False):
    """The settings of `lint`, `mend` and `suppress`; the configuration above the first path gives those
    that are left out."""

    profile: Profile | Sequence[Profile] | None
    """The profile of the cluster. For several, each finding says which of them it is about, unless it is
    about all that its file is linted for; a file that a record says is rendered for one of them is linted
    for that alone."""
    select: Iterable[str]
    """The rules that run: codes, beginnings of codes, or names."""
    ignore: Iterable[str]
    """The rules that do not run."""
    severity: Severity
    """Findings below this severity are left out. Default: `info`."""
    baseline: str | None
    """The file of known findings; the empty text means none."""
    schemas: Iterable[str]
    """Where schemas of custom kinds are: folders or templates of paths."""
    config: str | None
    """The configuration file that applies in the place of the nearest one."""
    force_exclude: bool
    """Whether the configuration's `exclude` applies to paths that are named."""
    stdin: str | None
    """The name under which standard input is known."""
