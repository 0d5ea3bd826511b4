"""What a container tells its program, by an option or by a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.loading.placeholders import placeholder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes.permissions import PermissionCondition


def told(names: Sequence[str], container: PodContainer) -> str | None:
    """Return the value that the first of some options and variables has; None where none is there.

    Empty for a value that comes from elsewhere; `true` for an option that stands alone.
    """
    for name in names:
        if name.startswith("-"):
            flag = container.words.flag(name)
            if flag is not None:
                return "true" if flag.value is None else _plain(flag.value)
        elif name in container.env:
            return _plain(container.env_value(name) or "")
    return None


def holds(condition: PermissionCondition, container: PodContainer) -> bool:
    """Return whether a container certainly tells its program so."""
    value = told(condition.names, container)
    return condition.absent if value is None else value in condition.values


def _plain(value: str) -> str:
    """Return a value as it is, or nothing for one that the kubelet or a template puts together."""
    return "" if "$(" in value or placeholder(value) else value
