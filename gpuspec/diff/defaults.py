"""Values that a pod has anyway: to write one out, or to leave it out, changes nothing that runs.

Source: the defaults of the API server of Kubernetes 1.37 for pods. Never used to fill a value in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.diff.values import ABSENT

if TYPE_CHECKING:
    from gpuspec.diff.fields import Raw

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


def is_default(raw: Raw) -> bool:
    """Whether a field of a pod is there on one side only, and says what holds without it."""
    if (raw.old is ABSENT) == (raw.new is ABSENT):
        return False
    value = raw.new if raw.old is ABSENT else raw.old
    name = raw.steps[-1]
    if not isinstance(name, str) or name not in _VALUES:
        return False
    known = _VALUES[name]
    return type(value) is type(known) and bool(value == known)
