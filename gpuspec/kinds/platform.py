"""Platform components around workloads: Karpenter (1.14), classes of nodes of its providers and of
GKE, Gateway API's inference extension (1.6), Flux, Cilium, Node Feature Discovery."""

from gpuspec.kinds.model import Kind, Reference, Selects
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import account, chosen, config_map, secret

INFERENCE = "inference.networking.k8s.io"
_INFERENCE_X = "inference.networking.x-k8s.io"
_FLUX = "source.toolkit.fluxcd.io"
_HELM = "helm.toolkit.fluxcd.io"
_KUSTOMIZE = "kustomize.toolkit.fluxcd.io"
_VALUES = Reference("spec.valuesFrom.*", "name", "", "", ("valuesKey=values.yaml",), kind_at="kind")


def _waited_for(group: str, kind: str) -> Reference:
    """Return the references to objects that must be ready first; the default namespace is the
    waiting object's."""
    return Reference("spec.dependsOn.*", "name", group, kind, namespace_at="namespace")


_CLUSTER = (config_map("spec.kubeConfig.configMapRef"), secret("spec.kubeConfig.secretRef"))
"""The reference by which Flux reaches another cluster."""


def _source(name: str, *secrets: str, more: tuple[Reference, ...] = ()) -> Kind:
    """Return a kind of Flux source, with references to its Secrets."""
    references = (secret(f"spec.{field}") for field in ("secretRef", *secrets))
    return Kind(_FLUX, name, "data", refers=(*references, *more))


KINDS = (
    Kind("cloud.google.com", "ComputeClass", "cluster", namespaced=False),
    Kind("karpenter.azure.com", "AKSNodeClass", "cluster", namespaced=False),
    Kind("karpenter.k8s.aws", "EC2NodeClass", "cluster", namespaced=False),
    Kind(
        "karpenter.sh",
        "NodePool",
        "cluster",
        namespaced=False,
        scaled=REPLICAS,
        refers=(chosen("spec.template.spec.nodeClassRef", "", "", "group"),),
    ),
    Kind("karpenter.sh", "NodeOverlay", "cluster", namespaced=False),
    Kind(
        "karpenter.sh",
        "NodeClaim",
        "cluster",
        namespaced=False,
        refers=(chosen("spec.nodeClassRef", "", "", "group"),),
    ),
    Kind(
        INFERENCE,
        "InferencePool",
        "traffic",
        refers=(chosen("spec.endpointPickerRef", "", "Service", "group", "", "port.number"),),
        selects=(Selects("spec.selector"),),
    ),
    # Until 0.5 its selector is the labels themselves.
    Kind(
        _INFERENCE_X,
        "InferencePool",
        "traffic",
        refers=(chosen("spec.extensionRef", "", "Service", "group", "", "portNumber"),),
        selects=(Selects("spec.selector"),),
    ),
    Kind(
        _INFERENCE_X,
        "InferenceModel",
        "traffic",
        refers=(chosen("spec.poolRef", _INFERENCE_X, "InferencePool", "group"),),
    ),
    Kind(
        _INFERENCE_X,
        "InferenceObjective",
        "traffic",
        refers=(chosen("spec.poolRef", INFERENCE, "InferencePool", "group"),),
    ),
    # They bring objects, and hold none.
    Kind(
        _HELM,
        "HelmRelease",
        "workload",
        refers=(
            chosen("spec.chart.spec.sourceRef", _FLUX, "HelmRepository", "", "namespace"),
            chosen("spec.chartRef", _FLUX, "OCIRepository", "", "namespace"),
            secret("spec.chart.spec.verify.secretRef"),
            account("spec"),
            *_CLUSTER,
            _VALUES,
            _waited_for(_HELM, "HelmRelease"),
        ),
    ),
    Kind(
        _KUSTOMIZE,
        "Kustomization",
        "workload",
        refers=(
            chosen("spec.sourceRef", _FLUX, "", "", "namespace"),
            chosen("spec.postBuild.substituteFrom.*", "", "", ""),
            secret("spec.decryption.secretRef"),
            account("spec.decryption"),
            account("spec"),
            *_CLUSTER,
            _waited_for(_KUSTOMIZE, "Kustomization"),
        ),
    ),
    _source(
        "GitRepository",
        *("proxySecretRef", "verify.secretRef"),
        more=(
            Reference("spec.include.*.repository", "name", _FLUX, "GitRepository"),
            account("spec"),
        ),
    ),
    _source(
        "OCIRepository",
        *("certSecretRef", "proxySecretRef", "verify.secretRef", "verify.trustedRootSecretRef"),
        more=(account("spec"),),
    ),
    _source("HelmRepository", "certSecretRef"),
    _source(
        "Bucket",
        *("certSecretRef", "proxySecretRef", "sts.secretRef", "sts.certSecretRef"),
        more=(account("spec"),),
    ),
    Kind(
        _FLUX,
        "HelmChart",
        "data",
        refers=(chosen("spec.sourceRef", _FLUX, "", ""), secret("spec.verify.secretRef")),
    ),
    Kind("cilium.io", "CiliumNetworkPolicy", "policy"),
    Kind("cilium.io", "CiliumClusterwideNetworkPolicy", "policy", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureRule", "cluster", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureGroup", "cluster"),
)
