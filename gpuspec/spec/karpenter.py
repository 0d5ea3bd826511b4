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

    name: Annotated[ObjectName, doc("Name of the class.", "gpu")]
    group: Annotated[
        NonEmpty | None,
        doc("Group of its kind. Unset: that of the provider.", "karpenter.k8s.aws"),
    ] = None
    kind: Annotated[
        NonEmpty | None, doc("Its kind. Unset: that of the provider.", "EC2NodeClass")
    ] = None


class Karpenter(Model):
    """How Karpenter makes the nodes of a pool, and takes them away."""

    node_class: Annotated[NodeClassRef, doc("The class of its machines.", {"name": "gpu"})]
    consolidation: Annotated[
        Literal["WhenEmpty", "WhenEmptyOrUnderutilized"] | None,
        doc(
            "Which nodes it takes away to save them. Unset: `WhenEmpty` where a queue hands the pool "
            "out, since finite work moves nowhere; else `WhenEmptyOrUnderutilized`, by which servers "
            "move together.",
            "WhenEmpty",
        ),
    ] = None
    consolidate_after: Annotated[
        Duration,
        doc("How long nothing has come or gone before it does.", "30m", default="10m"),
    ] = duration("10m")
    expire_after: Annotated[
        Duration,
        doc(
            "Age at which a node is drained, for a fresh one in its place. What may not be disrupted "
            "runs to its end first, unless `terminationGracePeriod` is shorter.",
            "14d",
            default="30d",
        ),
    ] = duration("30d")
    termination_grace_period: Annotated[
        Duration | None,
        doc(
            "The longest that a node drains: whatever still runs then is ended, training that may not "
            "be disrupted too. Unset: as long as it takes.",
            "24h",
        ),
    ] = None


class NodeClass(Model):
    """An EC2NodeClass, which Karpenter on AWS reads."""

    name: Annotated[ObjectName, doc("Name; pools name it in `karpenter.nodeClass`.", "gpu")]
    role: Annotated[
        NonEmpty, doc("IAM role of its nodes, by name and not by ARN.", "KarpenterNodeRole-eu")
    ]
    ami_alias: Annotated[
        AmiAlias,
        doc(
            "The family of its images and their version. `@latest` replaces nodes whenever there is "
            "a newer one.",
            "al2023@v20260805",
            "bottlerocket@v1.62.0",
        ),
    ]
    subnets: Annotated[
        dict[str, str],
        doc("Tags of the subnets that it starts machines in.", {"karpenter.sh/discovery": "eu"}),
    ]
    security_groups: Annotated[
        dict[str, str],
        doc(
            "Tags of the security groups that its machines have.", {"karpenter.sh/discovery": "eu"}
        ),
    ]
