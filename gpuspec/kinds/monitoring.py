"""prometheus-operator (0.93): scrape targets and their credentials. Source: its CRDs."""

from gpuspec.kinds.model import Kind, Reference, Selects
from gpuspec.kinds.references import config_map, secret

GROUP = "monitoring.coreos.com"


def _key(holder: str) -> Reference:
    return secret(holder, "name", "key")


def _either(holder: str) -> tuple[Reference, ...]:
    return _key(f"{holder}.secret"), config_map(f"{holder}.configMap", "name", "key")


def _tls(holder: str) -> tuple[Reference, ...]:
    return *_either(f"{holder}.ca"), *_either(f"{holder}.cert"), _key(f"{holder}.keySecret")


def _login(holder: str) -> tuple[Reference, ...]:
    """Return the references to the credentials of a scrape endpoint."""
    return (
        _key(f"{holder}.authorization.credentials"),
        _key(f"{holder}.basicAuth.password"),
        _key(f"{holder}.basicAuth.username"),
        _key(f"{holder}.bearerTokenSecret"),
        *_either(f"{holder}.oauth2.clientId"),
        _key(f"{holder}.oauth2.clientSecret"),
        _key(f"{holder}.oauth2.proxyConnectHeader.*.*"),
        *_tls(f"{holder}.oauth2.tlsConfig"),
        *_tls(f"{holder}.tlsConfig"),
    )


KINDS = (
    Kind(
        GROUP,
        "ServiceMonitor",
        "monitoring",
        refers=(*_login("spec.endpoints.*"), _key("spec.endpoints.*.proxyConnectHeader.*.*")),
        selects=(Selects("spec.selector", "Service", ("spec.endpoints.*.port",)),),
    ),
    Kind(
        GROUP,
        "PodMonitor",
        "monitoring",
        refers=(
            *_login("spec.podMetricsEndpoints.*"),
            _key("spec.podMetricsEndpoints.*.proxyConnectHeader.*.*"),
        ),
        selects=(Selects("spec.selector", "Pod", ("spec.podMetricsEndpoints.*.port",)),),
    ),
    Kind(
        GROUP,
        "Probe",
        "monitoring",
        refers=(*_login("spec"), _key("spec.prober.proxyConnectHeader.*.*")),
    ),
    Kind(GROUP, "PrometheusRule", "monitoring"),
)
