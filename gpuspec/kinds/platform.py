"""What platforms add around workloads: Karpenter (1.14), Gateway API (1.6) and its inference
extension, prometheus-operator (0.93), Flux, Argo CD, Cilium, Node Feature Discovery."""

from gpuspec.kinds.model import Kind, Reference
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import GATEWAY, chosen, secret

INFERENCE = "inference.networking.k8s.io"
_FLUX = "source.toolkit.fluxcd.io"
_ROUTE = (
    chosen("spec.parentRefs.*", GATEWAY, "Gateway", "group", "namespace"),
    chosen("spec.rules.*.backendRefs.*", "", "Service", "group", "namespace"),
)
_VALUES = Reference("spec.valuesFrom.*", "name", "", "", "valuesKey", kind_at="kind")

KINDS = (
    Kind(
        "karpenter.sh",
        "NodePool",
        "cluster",
        namespaced=False,
        scaled=REPLICAS,
        refers=(chosen("spec.template.spec.nodeClassRef", "", "", "group"),),
    ),
    *(
        Kind("karpenter.sh", name, "cluster", namespaced=False)
        for name in ("NodeOverlay", "NodeClaim")
    ),
    Kind(GATEWAY, "GatewayClass", "cluster", namespaced=False),
    Kind(
        INFERENCE,
        "InferencePool",
        "traffic",
        refers=(chosen("spec.endpointPickerRef", "", "Service", "group"),),
    ),
    Kind(
        "inference.networking.x-k8s.io",
        "InferenceObjective",
        "traffic",
        refers=(chosen("spec.poolRef", INFERENCE, "InferencePool", "group"),),
    ),
    Kind(
        GATEWAY,
        "Gateway",
        "traffic",
        refers=(
            Reference("spec", "gatewayClassName", GATEWAY, "GatewayClass"),
            chosen("spec.listeners.*.tls.certificateRefs.*", "", "Secret", "group", "namespace"),
        ),
    ),
    *(Kind(GATEWAY, name, "traffic", refers=_ROUTE) for name in ("HTTPRoute", "GRPCRoute")),
    Kind(GATEWAY, "ReferenceGrant", "traffic"),
    *(
        Kind("monitoring.coreos.com", name, "monitoring")
        for name in ("ServiceMonitor", "PodMonitor", "Probe", "PrometheusRule")
    ),
    # They bring objects, and hold none.
    Kind(
        "helm.toolkit.fluxcd.io",
        "HelmRelease",
        "workload",
        refers=(
            chosen("spec.chart.spec.sourceRef", _FLUX, "HelmRepository", "", "namespace"),
            chosen("spec.chartRef", _FLUX, "OCIRepository", "", "namespace"),
            _VALUES,
        ),
    ),
    Kind(
        "kustomize.toolkit.fluxcd.io",
        "Kustomization",
        "workload",
        refers=(
            chosen("spec.sourceRef", _FLUX, "", "", "namespace"),
            chosen("spec.postBuild.substituteFrom.*", "", "", ""),
            secret("spec.decryption.secretRef"),
        ),
    ),
    *(
        Kind(_FLUX, name, "data", refers=(secret("spec.secretRef"),))
        for name in ("GitRepository", "OCIRepository", "HelmRepository", "Bucket")
    ),
    Kind(_FLUX, "HelmChart", "data", refers=(chosen("spec.sourceRef", _FLUX, "", ""),)),
    Kind("cilium.io", "CiliumNetworkPolicy", "policy"),
    Kind("cilium.io", "CiliumClusterwideNetworkPolicy", "policy", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureRule", "cluster", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureGroup", "cluster"),
)
