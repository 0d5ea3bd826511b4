"""Gateway API (1.7): gateways, and routes to backends. Source: its CRDs."""

from gpuspec.kinds.model import Kind, Reference
from gpuspec.kinds.references import GATEWAY, chosen


def route(spec: str) -> tuple[Reference, ...]:
    """Return the references of a route's spec at a pattern."""
    rules = f"{spec}.rules.*"
    backends = f"{rules}.backendRefs.*"
    filters = tuple(f"{path}.filters.*" for path in (rules, backends))
    return (
        chosen(f"{spec}.parentRefs.*", GATEWAY, "Gateway", "group", "namespace", "sectionName"),
        _backend(backends),
        *(_backend(f"{path}.requestMirror.backendRef") for path in filters),
        *(_backend(f"{path}.externalAuth.backendRef") for path in filters),
        *(chosen(f"{path}.extensionRef", "", "", "group") for path in filters),
    )


def _backend(holder: str) -> Reference:
    return chosen(holder, "", "Service", "group", "namespace", "port")


_PARENTS = chosen("spec.parentRefs.*", GATEWAY, "Gateway", "group", "namespace", "sectionName")
_CONNECTIONS = (_PARENTS, _backend("spec.rules.*.backendRefs.*"))
_CERTIFICATES = chosen("spec.listeners.*.tls.certificateRefs.*", "", "Secret", "group", "namespace")
_TLS = (
    _CERTIFICATES,
    chosen("spec.tls.backend.clientCertificateRef", "", "Secret", "group", "namespace"),
    *(
        chosen(
            f"spec.tls.frontend.{path}.validation.caCertificateRefs.*", "", "", "group", "namespace"
        )
        for path in ("default", "perPort.*.tls")
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
    Kind(
        GATEWAY,
        "ListenerSet",
        "traffic",
        refers=(
            chosen("spec.parentRef", GATEWAY, "Gateway", "group", "namespace"),
            _CERTIFICATES,
        ),
    ),
    *(Kind(GATEWAY, name, "traffic", refers=route("spec")) for name in ("HTTPRoute", "GRPCRoute")),
    *(
        Kind(GATEWAY, name, "traffic", refers=_CONNECTIONS)
        for name in ("TLSRoute", "TCPRoute", "UDPRoute")
    ),
    Kind(
        GATEWAY,
        "BackendTLSPolicy",
        "traffic",
        refers=(
            chosen("spec.targetRefs.*", "", "Service", "group", "", "sectionName"),
            chosen("spec.validation.caCertificateRefs.*", "", "", "group"),
        ),
    ),
    Kind(GATEWAY, "ReferenceGrant", "traffic"),
)
