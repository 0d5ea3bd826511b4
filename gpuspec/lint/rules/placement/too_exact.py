"""A pod that only one node, or one state of a node, can take."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import in_all, requirement_path
from gpuspec.lint.analysis.security.users import keeps_on_node
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.settings.severity import Severity

RULE = Rule(
    "GPU204",
    "too-exact",
    "warning",
    "A GPU pod is pinned to one node or to one driver state",
)

HOSTNAME = "kubernetes.io/hostname"
_BY_PROPERTIES = "select nodes by their properties: the GPU model, a label of the pool"
_MOVE = "move the data from the node's disk to a volume that other nodes can mount"
# Labels that an upgrade of the driver, or time alone, changes.
_PASSING = {
    "nvidia.com/cuda.driver-version.full": "nvidia.com/cuda.driver-version.major",
    "nvidia.com/cuda.driver-version.revision": "nvidia.com/cuda.driver-version.major",
    "nvidia.com/cuda.driver.rev": "nvidia.com/cuda.driver-version.major",
    "nvidia.com/gfd.timestamp": None,
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield `nodeName`, a host name, an exact version of the driver."""
    owner = pod.object
    if owner.is_a("apps", "DaemonSet") or "status" in owner.value:
        return
    softer: Severity | None = "info" if owner.is_a("", "Pod") else None
    on_disk = keeps_on_node(pod, context.collection)
    if _is_told(pod.spec.get("nodeName")):
        yield RawFinding(
            pod.path("nodeName"),
            f"`nodeName` bypasses the scheduler: if `{pod.spec['nodeName']}` has no free device, "
            "the pod fails instead of waiting; if the node is gone, the pod never runs",
            note=_BY_PROPERTIES,
            severity=softer,
        )
    for requirement in in_all(pod):
        if requirement.key != HOSTNAME and requirement.key not in _PASSING:
            continue
        if (
            requirement.operator != "In"
            or len(requirement.values) != 1
            or not _is_told(requirement.values[0])
        ):
            continue
        if requirement.key == HOSTNAME:
            yield RawFinding(
                requirement_path(pod, requirement),
                f"only node `{requirement.values[0]}` matches: the pod stays Pending if its GPUs "
                "are taken or the node is replaced, although other nodes are free",
                note=f"{_MOVE}, then {_BY_PROPERTIES}" if on_disk else _BY_PROPERTIES,
                severity="info" if on_disk else softer,
            )
        else:
            wider = _PASSING[requirement.key]
            yield RawFinding(
                requirement_path(pod, requirement),
                f"`{requirement.key}: {requirement.values[0]}` is true only until the next "
                "driver upgrade: after that the pod stays Pending",
                note=f"require a minimum version instead: `{wider}` with `operator: Gt`"
                if wider
                else None,
            )


def _is_told(value: object) -> bool:
    """Return whether it is a name, and no placeholder for one."""
    return isinstance(value, str) and bool(value) and not any(sign in value for sign in "${<")
