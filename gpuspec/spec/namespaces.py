"""Namespaces of a cluster, and what pods may be and do in them."""

from typing import Literal

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import LabelName, Natural, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class ContainerDefaults(Model):
    """What a container asks for that does not say."""

    cpu: Annotated[Quantity | None, doc("CPU request in cores. Unset: none.", "500m")] = None
    memory: Annotated[
        Quantity | None, doc("Memory request in bytes; no limit. Unset: none.", "1Gi")
    ] = None


class Namespace(Model):
    """A namespace and the Pod Security level that its labels enforce."""

    name: Annotated[LabelName, doc("Name.", "serving")]
    pod_security: Annotated[
        Literal["privileged", "baseline", "restricted"], doc("Enforced level.", "restricted")
    ] = "restricted"
    quota: Annotated[
        dict[str, Quantity],
        doc(
            "The most that its pods may ask for together: devices by the resource that the pools "
            "advertise, `cpu`, `memory`, `ephemeral-storage`.",
            {"nvidia.com/gpu": 16},
        ),
    ] = {}
    scc: Annotated[
        dict[str, tuple[ObjectName, ...]],
        doc(
            "SecurityContextConstraints of OpenShift that ServiceAccounts of the namespace may use, "
            "beside `restricted-v2`, which everybody may: a user of its own choice takes "
            "`nonroot-v2`, root takes `anyuid`. `cluster render` binds them.",
            {"nonroot-v2": ["ranker"]},
        ),
    ] = {}
    defaults: Annotated[
        ContainerDefaults | None,
        doc(
            "What a container asks for that says nothing of CPU or memory, by a LimitRange. Unset: "
            "nothing; pods of such containers are refused where a `quota` counts it.",
            {"cpu": "500m", "memory": "1Gi"},
        ),
    ] = None
    max_gpus_per_pod: Annotated[
        Natural | None,
        doc(
            "The most GPUs, slices and shares together, that one pod may ask for, by a "
            "ValidatingAdmissionPolicy. Unset: as many as a node has.",
            8,
        ),
    ] = None
    default_deny: Annotated[
        bool,
        doc(
            "A NetworkPolicy closes all its pods, but for DNS and what `network` opens: pods of training "
            "and batch work may talk to each other and reach `egress`, `metrics` may scrape all. "
            "Servers have policies of their own.",
            True,
        ),
    ] = False
