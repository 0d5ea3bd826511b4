"""Nodes that Karpenter makes: what a pool says of its NodePool, and machines of EC2 by their class."""

from typing import Literal

from gpuspec.spec.forms import AmiAlias, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Duration, Model, doc, duration

# Group and kind of the classes that a provider's own Karpenter reads. Sources:
# aws/karpenter-provider-aws v1.14.1 pkg/apis/crds; docs.aws.amazon.com EKS Auto Mode, create-node-class;
# Azure/karpenter-provider-azure pkg/apis/crds; cloudpilot-ai/karpenter-provider-gcp pkg/apis/crds.
CLASSES = {
    "aks": ("karpenter.azure.com", "AKSNodeClass"),
    "eks": ("karpenter.k8s.aws", "EC2NodeClass"),
    "eks-auto": ("eks.amazonaws.com", "NodeClass"),
    "gke": ("karpenter.k8s.gcp", "GCENodeClass"),
}
# Whose platform runs Karpenter itself, so that nobody installs it.
MANAGED = ("aks", "eks-auto")


class NodeClassRef(Model):
    """A class of machines: image, network and disks, by the cloud's own kind."""

    name: Annotated[ObjectName, doc("Name of the NodeClass.", "gpu")]
    group: Annotated[
        NonEmpty | None,
        doc("API group of the NodeClass. Default: the provider's.", "karpenter.k8s.aws"),
    ] = None
    kind: Annotated[
        NonEmpty | None, doc("Kind of the NodeClass. Default: the provider's.", "EC2NodeClass")
    ] = None


class Karpenter(Model):
    """How Karpenter makes the nodes of a pool, and takes them away."""

    node_class: Annotated[NodeClassRef, doc("The NodeClass of its machines.", {"name": "gpu"})]
    consolidation: Annotated[
        Literal["WhenEmpty", "WhenEmptyOrUnderutilized"] | None,
        doc(
            "Which nodes Karpenter consolidates. Default: `WhenEmpty` if a queue allocates "
            "the pool, since finite work should not move; otherwise "
            "`WhenEmptyOrUnderutilized`, which moves servers together.",
            "WhenEmpty",
        ),
    ] = None
    consolidate_after: Annotated[
        Duration,
        doc(
            "How long the node's pods must be unchanged before consolidation.", "30m", default="10m"
        ),
    ] = duration("10m")
    expire_after: Annotated[
        Duration,
        doc(
            "Age at which a node is drained and replaced. Pods that may not be disrupted "
            "finish first, unless `terminationGracePeriod` is shorter.",
            "14d",
            default="30d",
        ),
    ] = duration("30d")
    termination_grace_period: Annotated[
        Duration | None,
        doc(
            "Maximum time for draining a node: anything that still runs is killed then, "
            "even training that may not be disrupted. Default: unlimited.",
            "24h",
        ),
    ] = None


class NodeClass(Model):
    """An EC2NodeClass, which Karpenter on AWS reads."""

    name: Annotated[ObjectName, doc("Name; pools reference it in `karpenter.nodeClass`.", "gpu")]
    role: Annotated[
        NonEmpty, doc("IAM role of its nodes, by name and not by ARN.", "KarpenterNodeRole-eu")
    ]
    ami_alias: Annotated[
        AmiAlias,
        doc(
            "Image family and version. `@latest` replaces nodes whenever there is a newer image.",
            "al2023@v20260805",
            "bottlerocket@v1.62.0",
        ),
    ]
    subnets: Annotated[
        dict[str, str],
        doc("Tags of the subnets in which machines start.", {"karpenter.sh/discovery": "eu"}),
    ]
    security_groups: Annotated[
        dict[str, str],
        doc("Tags of the machines' security groups.", {"karpenter.sh/discovery": "eu"}),
    ]
