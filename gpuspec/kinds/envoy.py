"""Kinds of Envoy Gateway (1.9) that configure it, next to Gateway API. Source: its CRDs."""

from gpuspec.kinds.model import Kind
from gpuspec.kinds.references import GATEWAY, chosen

ENVOY = "gateway.envoyproxy.io"
_TARGETS = (
    chosen("spec.targetRef", GATEWAY, "Gateway", "group", "", "sectionName"),
    chosen("spec.targetRefs.*", GATEWAY, "Gateway", "group", "", "sectionName"),
)
_CLIENTS = "spec.tls.clientValidation"

KINDS = (
    Kind(
        ENVOY,
        "BackendTrafficPolicy",
        "traffic",
        refers=(
            *_TARGETS,
            chosen("spec.responseOverride.*.response.body.valueRef", "", "ConfigMap", "group"),
        ),
    ),
    Kind(
        ENVOY,
        "ClientTrafficPolicy",
        "traffic",
        refers=(
            *_TARGETS,
            chosen(f"{_CLIENTS}.caCertificateRefs.*", "", "Secret", "group", "namespace"),
            chosen(f"{_CLIENTS}.crl.refs.*", "", "Secret", "group", "namespace"),
        ),
    ),
)
