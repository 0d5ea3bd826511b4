"""How a cluster's Knative Serving is set up: what it takes of a pod, and for how long of a request."""

from typing import Literal, get_args

from gpuspec.spec.types import Annotated, Duration, Model, doc

KnativeFeature = Literal[
    "kubernetes.containerspec-addcapabilities",
    "kubernetes.podspec-affinity",
    "kubernetes.podspec-dnspolicy",
    "kubernetes.podspec-fieldref",
    "kubernetes.podspec-hostnetwork",
    "kubernetes.podspec-init-containers",
    "kubernetes.podspec-nodeselector",
    "kubernetes.podspec-persistent-volume-claim",
    "kubernetes.podspec-persistent-volume-write",
    "kubernetes.podspec-priorityclassname",
    "kubernetes.podspec-runtimeclassname",
    "kubernetes.podspec-schedulername",
    "kubernetes.podspec-securitycontext",
    "kubernetes.podspec-tolerations",
    "kubernetes.podspec-topologyspreadconstraints",
    "kubernetes.podspec-volumes-csi",
    "kubernetes.podspec-volumes-ephemeral",
    "kubernetes.podspec-volumes-hostpath",
    "kubernetes.podspec-volumes-image",
]
"""Keys of ConfigMap `config-features` that a rendered pod may need: each is off as Knative comes."""
FEATURES: tuple[KnativeFeature, ...] = get_args(KnativeFeature)


class Knative(Model):
    """Knative Serving as it is set up here."""

    features: Annotated[
        tuple[KnativeFeature, ...],
        doc(
            "Features set to `enabled` in ConfigMap `config-features` of namespace "
            "knative-serving. Knative targets are refused if a pod needs one that is not "
            "listed.",
            ["kubernetes.podspec-tolerations", "kubernetes.podspec-affinity"],
        ),
    ] = ()
    longest_timeout: Annotated[
        Duration | None,
        doc(
            "`max-revision-timeout-seconds` of ConfigMap `config-defaults`: the maximum "
            "time of a request, including draining. Default: 10m, as in Knative.",
            "1h",
        ),
    ] = None
