"""Taints of transient node conditions, which do not belong to a pool."""

_PASSING = frozenset(
    (
        "ToBeDeletedByClusterAutoscaler",
        "DeletionCandidateOfClusterAutoscaler",
        "karpenter.sh/disrupted",
        "karpenter.sh/disruption",
        "karpenter.sh/unregistered",
        "cloud.google.com/impending-node-termination",
    )
)
_PREFIXES = (
    "node.kubernetes.io/",
    "node.cloudprovider.kubernetes.io/",
    "aws-node-termination-handler/",
)
_SUFFIX = "/agent-not-ready"  # of CSI drivers and CNIs, until they run


def is_passing(key: str) -> bool:
    """Return whether a taint with this key is transient: a cordon, a drain, a node that is not
    ready yet."""
    return key in _PASSING or key.startswith(_PREFIXES) or key.endswith(_SUFFIX)
