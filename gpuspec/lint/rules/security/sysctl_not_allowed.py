"""A sysctl that a kubelet allows only if it is configured to."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.enforced import minor_of
from gpuspec.lint.analysis.pod_security.baseline import unsafe_sysctls
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU826",
    "sysctl-not-allowed",
    "warning",
    "A pod sets a sysctl that kubelets forbid by default, or that belongs to the node",
    gives_way=("GPU601",),
)
_NAMESPACED = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.", "net.")
"""How those begin that a pod has of its own: Kubernetes 1.36, pkg/kubelet/sysctl/namespace.go."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield sysctls beyond the safe ones."""
    is_bound = bool(pod.spec.get("nodeSelector") or pod.spec.get("nodeName"))
    then = "" if pod.object.is_a("", "Pod") else ", and the controller creates the next one"
    for name, path in unsafe_sysctls(pod, minor_of(context)):
        if name.replace("/", ".").startswith(_NAMESPACED):
            yield RawFinding(
                path,
                f"kubelets allow `{name}` only if `--allowed-unsafe-sysctls` lists it: on other "
                f"nodes the pod fails with `SysctlForbidden`{then}",
                note="allow the sysctl on the nodes of one pool, and bind the pod to that pool",
                # Who chose the nodes may have allowed it there.
                severity="info" if is_bound else None,
                confidence="possible" if is_bound else "likely",
            )
        else:
            yield RawFinding(
                path,
                f"`{name}` is a setting of the whole node, not of a pod: every kubelet rejects "
                "the pod with `SysctlForbidden`",
                note="set the sysctl on the nodes: in their image, in the provider's node settings, "
                "or with a privileged DaemonSet",
            )
