"""Settings of a container's program, by an option or a variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.loading.placeholders import placeholder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpuspec.objects.containers import PodContainer
    from gpuspec.runtimes.permissions import PermissionCondition


def told(names: Sequence[str], container: PodContainer) -> str | None:
    """Return the value of the first of some options and variables; None if none is set.

    Empty for a value from elsewhere; `true` for an option without a value.
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
    """Return whether a container certainly has this setting."""
    value = told(condition.names, container)
    return condition.absent if value is None else value in condition.values


def _plain(value: str) -> str:
    """Return a literal value; None for one that the kubelet or a template assembles."""
    return "" if "$(" in value or placeholder(value) else value
