"""A sysctl that a kubelet sets only where it was told that it may."""

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
    for name, path in unsafe_sysctls(pod, minor_of(context)):
        if name.replace("/", ".").startswith(_NAMESPACED):
            yield RawFinding(
                path,
                f"kubelets set `{name}` only where `--allowed-unsafe-sysctls` names it: on other nodes "
                "the pod ends with `SysctlForbidden`, and its controller makes the next one",
                note="have it allowed on the nodes of one pool, and bind the pod to them",
                confidence="likely",
            )
        else:
            yield RawFinding(
                path,
                f"`{name}` is the node's, and no pod has one of its own: every kubelet rejects the pod "
                "with `SysctlForbidden`",
                note="set it on the nodes: in their image, by the provider's node settings, or by a "
                "privileged DaemonSet",
            )
