"""A pod with GPUs in the node's process or IPC namespace."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU606",
    "host-namespaces",
    "warning",
    "A GPU pod shares the node's process or IPC namespace",
)
_SAID = {
    "hostPID": (
        (
            "`hostPID` shows this pod every process of the node: it can read the "
            "environment, including tokens, of other tenants' GPU processes, and kill them"
        ),
        ("remove `hostPID`: only programs that monitor other pods' processes need it"),
    ),
    "hostIPC": (
        (
            "`hostIPC` shares the node's `/dev/shm` with other pods that use `hostIPC`: "
            "segments of crashed ranks stay until the node restarts, and other tenants can read "
            "the segments"
        ),
        "mount a memory-backed `emptyDir` at `/dev/shm` instead: ranks need nothing more",
    ),
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `hostPID` and `hostIPC`, of pods that are no agents of the node."""
    fields = [field for field in _SAID if pod.spec.get(field) is True]
    if not fields or pod.object.kind == "DaemonSet" or refuses_baseline(pod, context):
        return
    for field in fields:
        message, note = _SAID[field]
        yield RawFinding(pod.path(field), message, note=note)
