"""Policies of GKE's Gateways, next to Gateway API. Source: the CRDs of gke-gateway-api (1.4)."""

from gpuspec.kinds.model import Kind
from gpuspec.kinds.references import chosen, secret

_TARGET = chosen("spec.targetRef", "", "Service", "group", "namespace")

KINDS = (
    Kind(
        "networking.gke.io",
        "GCPBackendPolicy",
        "traffic",
        refers=(_TARGET, secret("spec.default.iap.oauth2ClientSecret")),
    ),
    Kind("networking.gke.io", "HealthCheckPolicy", "traffic", refers=(_TARGET,)),
)
