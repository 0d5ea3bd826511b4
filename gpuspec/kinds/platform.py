"""What platforms add around workloads: Karpenter (1.14), Gateway API (1.6) and its inference
extension, prometheus-operator (0.93)."""

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
)
