"""What platforms add around workloads: Karpenter (1.14), Gateway API (1.6) and its inference
extension, prometheus-operator (0.93), Flux, Argo CD, Cilium, Node Feature Discovery."""

from gpuspec.kinds.model import Kind

KINDS = (
    *(
        Kind("karpenter.sh", name, "cluster", namespaced=False)
        for name in ("NodePool", "NodeOverlay", "NodeClaim")
    ),
    Kind("gateway.networking.k8s.io", "GatewayClass", "cluster", namespaced=False),
    Kind("inference.networking.k8s.io", "InferencePool", "traffic"),
    *(
        Kind("gateway.networking.k8s.io", name, "traffic")
        for name in ("Gateway", "HTTPRoute", "GRPCRoute", "ReferenceGrant")
    ),
    *(
        Kind("monitoring.coreos.com", name, "monitoring")
        for name in ("ServiceMonitor", "PodMonitor", "Probe", "PrometheusRule")
    ),
    # They bring objects, and hold none.
    Kind("helm.toolkit.fluxcd.io", "HelmRelease", "workload"),
    Kind("kustomize.toolkit.fluxcd.io", "Kustomization", "workload"),
    *(
        Kind("source.toolkit.fluxcd.io", name, "data")
        for name in ("GitRepository", "OCIRepository", "HelmRepository", "HelmChart", "Bucket")
    ),
    Kind("cilium.io", "CiliumNetworkPolicy", "policy"),
    Kind("cilium.io", "CiliumClusterwideNetworkPolicy", "policy", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureRule", "cluster", namespaced=False),
    Kind("nfd.k8s-sigs.io", "NodeFeatureGroup", "cluster"),
)
