"""Default values: writing one, or leaving it out, changes nothing that runs.

Sources: the defaults of the API server of Kubernetes 1.37 for pods; further ones of each kind in
the table of kinds. Never used to fill in a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.steps import begins
from gpuspec.diff.values import ABSENT
from gpuspec.kinds import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.diff.fields import Raw
    from gpuspec.diff.steps import Steps

_SERVED = ("", "apps", "batch")
"""API groups with objects in which the server fills in defaults of pods; other objects stay as
written."""

# By the field's name: in a pod's template each of these names has one meaning.
_VALUES: dict[str, Any] = {
    "protocol": "TCP",
    "scheme": "HTTP",
    "periodSeconds": 10,
    "timeoutSeconds": 1,
    "successThreshold": 1,
    "failureThreshold": 3,
    "initialDelaySeconds": 0,
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "defaultMode": 0o644,
    "hostNetwork": False,
    "hostPID": False,
    "hostIPC": False,
    "readOnly": False,
    "stdin": False,
    "tty": False,
}


def is_default(kind: tuple[str, str], raw: Raw, *, in_pod: bool) -> bool:
    """Return whether a field is on one side only, and has its default value there."""
    if (raw.old is ABSENT) == (raw.new is ABSENT):
        return False
    value = raw.new if raw.old is ABSENT else raw.old
    name = raw.steps[-1]
    if in_pod and kind[0] in _SERVED and name in _VALUES:
        return _same(value, _VALUES[name])
    filled = traits_of(*kind).filled
    return bool(filled) and all(
        any(
            begins(steps, tuple(text.split("."))) and _same(value_inside, default)
            for text, default in filled
        )
        for steps, value_inside in _leaves(raw.steps, value)
    )


def _same(value: object, default: object) -> bool:
    return type(value) is type(default) and bool(value == default)


def _leaves(steps: Steps, value: object) -> Iterator[tuple[Steps, object]]:
    """Yield the values inside a value that are no mappings."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves((*steps, str(key)), inner)
    else:
        yield steps, value
