"""Namespaces of a cluster, with defaults, quotas and Pod Security levels."""

from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelName, Natural, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class ContainerDefaults(Model):
    """The default requests and limits of a container."""

    cpu: Annotated[Quantity | None, doc("CPU request in cores. Default: none.", "500m")] = None
    memory: Annotated[
        Quantity | None, doc("Memory request in bytes; no limit. Default: none.", "1Gi")
    ] = None


class Namespace(Model):
    """A namespace, with the Pod Security level that its labels enforce."""

    name: Annotated[LabelName, doc("Name.", "serving")]
    pod_security: Annotated[
        Literal["privileged", "baseline", "restricted"], doc("Enforced level.", "restricted")
    ] = "restricted"
    quota: Annotated[
        dict[str, Quantity],
        doc(
            "Maximum total requests of its pods: devices by the resource that the pools "
            "advertise, `cpu`, `memory`, `ephemeral-storage`.",
            {"nvidia.com/gpu": 16},
        ),
    ] = {}
    scc: Annotated[
        dict[str, tuple[ObjectName, ...]],
        doc(
            "OpenShift's SecurityContextConstraints for ServiceAccounts of the namespace, "
            "in addition to `restricted-v2`, which all may use: a chosen user needs "
            "`nonroot-v2`, root needs `anyuid`. `cluster render` binds them.",
            {"nonroot-v2": ["ranker"]},
        ),
    ] = {}
    defaults: Annotated[
        ContainerDefaults | None,
        doc(
            "Default requests of a container that sets no CPU or memory, by a LimitRange. "
            "Default: none; with a `quota` such pods are rejected.",
            {"cpu": "500m", "memory": "1Gi"},
        ),
    ] = None
    max_gpus_per_pod: Annotated[
        Natural | None,
        doc(
            "Maximum number of GPUs, slices and shares per pod, by a "
            "ValidatingAdmissionPolicy. Default: as many as a node has.",
            8,
        ),
    ] = None
    default_deny: Annotated[
        bool,
        doc(
            "A NetworkPolicy isolates all its pods, except for DNS and the peers in "
            "`network`: pods of training and batch work may talk to each other and reach "
            "`egress`, `metrics` may scrape all. Servers have their own policies.",
            True,
        ),
    ] = False
