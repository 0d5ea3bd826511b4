"""Admission checks of Kueue's own controllers: provisioning requests and MultiKueue."""

from gpuspec.spec.forms import NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class ProvisioningRequest(Model):
    """Nodes that an autoscaler creates or reserves before a workload starts."""

    class_name: Annotated[
        NonEmpty | None,
        doc(
            "The provisioning class requested from the autoscaler. Default: "
            "`queued-provisioning.gke.io` on GKE, otherwise Cluster Autoscaler's "
            "`best-effort-atomic-scale-up.autoscaling.x-k8s.io`, which creates all of the "
            "nodes or none.",
            "check-capacity.autoscaling.x-k8s.io",
        ),
    ] = None


class WorkerCluster(Model):
    """A cluster to which workloads are sent."""

    name: Annotated[ObjectName, doc("Name of the MultiKueueCluster.", "eu-west")]
    kube_config: Annotated[
        ObjectName,
        doc(
            "Secret in Kueue's own namespace whose key `kubeconfig` gives access to the cluster.",
            "eu-west-kubeconfig",
        ),
    ]


class MultiKueue(Model):
    """Clusters, of which the first to admit a workload runs it."""

    clusters: Annotated[
        tuple[WorkerCluster, ...],
        doc("The clusters.", [{"name": "eu-west", "kubeConfig": "eu-west-kubeconfig"}]),
    ]


class MadeCheck(Model):
    """An AdmissionCheck that `cluster render` creates; queues name it in their `admissionChecks`."""

    name: Annotated[ObjectName, doc("Name.", "nodes")]
    provisioning_request: Annotated[
        ProvisioningRequest | None,
        doc("Request the nodes from the autoscaler before admission.", {}),
    ] = None
    multi_kueue: Annotated[
        MultiKueue | None,
        doc(
            "Dispatch the work to other clusters.",
            {"clusters": [{"name": "eu-west", "kubeConfig": "eu-west-kubeconfig"}]},
        ),
    ] = None
