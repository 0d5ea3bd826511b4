"""Gateway API (1.7): gateways, and routes to what answers. Source: its CRDs."""

from gpuspec.kinds.model import Kind, Reference
from gpuspec.kinds.references import GATEWAY, chosen


def route(spec: str) -> tuple[Reference, ...]:
    """What a route's spec names, which lies at a pattern."""
    rules = f"{spec}.rules.*"
    backends = f"{rules}.backendRefs.*"
    filters = tuple(f"{each}.filters.*" for each in (rules, backends))
    return (
        chosen(f"{spec}.parentRefs.*", GATEWAY, "Gateway", "group", "namespace", "sectionName"),
        _backend(backends),
        *(_backend(f"{each}.requestMirror.backendRef") for each in filters),
        *(_backend(f"{each}.externalAuth.backendRef") for each in filters),
        *(chosen(f"{each}.extensionRef", "", "", "group") for each in filters),
    )


def _backend(holder: str) -> Reference:
    return chosen(holder, "", "Service", "group", "namespace", "port")


_TLS = (
    chosen("spec.listeners.*.tls.certificateRefs.*", "", "Secret", "group", "namespace"),
    chosen("spec.tls.backend.clientCertificateRef", "", "Secret", "group", "namespace"),
    *(
        chosen(
            f"spec.tls.frontend.{each}.validation.caCertificateRefs.*", "", "", "group", "namespace"
        )
        for each in ("default", "perPort.*.tls")
    ),
)

KINDS = (
    Kind(
        GATEWAY,
        "GatewayClass",
        "cluster",
        namespaced=False,
        refers=(chosen("spec.parametersRef", "", "", "group", "namespace"),),
    ),
    Kind(
        GATEWAY,
        "Gateway",
        "traffic",
        refers=(
            Reference("spec", "gatewayClassName", GATEWAY, "GatewayClass"),
            chosen("spec.infrastructure.parametersRef", "", "", "group"),
            *_TLS,
        ),
    ),
    *(Kind(GATEWAY, name, "traffic", refers=route("spec")) for name in ("HTTPRoute", "GRPCRoute")),
    Kind(GATEWAY, "ReferenceGrant", "traffic"),
)
