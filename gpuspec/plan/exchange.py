"""Data that a server exchanges with other servers, and the network policies for it."""

from gpuspec import runtimes
from gpuspec.plan.decision import Decision, Note, Origin, from_table
from gpuspec.plan.resolution import Resolution
from gpuspec.runtimes.serving import Exchange, RendezvousPort
from gpuspec.spec import InferenceSpec
from gpuspec.spec.inference import connector_of
from gpuspec.spec.network import Traffic

_FIELD = ("spec", "network")


def notes(resolution: Resolution, spec: InferenceSpec) -> list[Note]:
    """Return a loud note if the profile's policy separates servers that work together, and if the
    spec's peers have no effect."""
    if resolution.profile.spec.network is None:
        if spec.network == Traffic():
            return []
        text = "network: the profile has none, so no NetworkPolicy is rendered"
        return [Note(text, Origin("spec", _FIELD), loud=True)]
    if spec.network.peers or resolution.side is not None:
        return []
    return [
        Note(_said(spec, exchange), Origin("profile", _FIELD), loud=True)
        for exchange in resolution.runtime.exchanges
        if _is_told(spec, exchange)
    ]


def address(resolution: Resolution, spec: InferenceSpec) -> tuple[Decision, ...]:
    """Return the variable with the pod's own address, which a server sends to others for its
    cache."""
    connector = connector_of(spec)
    if connector is None or not connector.address:
        return ()
    entry = {"name": connector.address, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    why = f"{connector.title} connects there; by default the server announces localhost"
    return (from_table(f"runtimes/{resolution.runtime.name} disaggregation", entry, why),)


def _is_told(spec: InferenceSpec, exchange: Exchange) -> bool:
    line = " ".join((*spec.command, *spec.args))
    return any(word in line for word in exchange.words) or any(
        str(spec.env.get(name, "")).lower() not in ("", "0", "false") for name in exchange.variables
    )


def _said(spec: InferenceSpec, exchange: Exchange) -> str:
    ports = "ports that are free"
    if exchange.port is not None:
        ports = f"port {port_of(spec, exchange.port)} and {ports}"
    return (
        f"it has {exchange.what}, on {ports}, but the profile's network closes them: name "
        "the servers in network.peers, on both sides"
    )


def port_of(spec: InferenceSpec, port: RendezvousPort) -> str:
    """Return the port that others contact first: the spec's, or else the server's default."""
    words = (*spec.command, *spec.args)
    for index, word in enumerate(words):
        if port.option and runtimes.flag(word) == port.option:
            return runtimes.value_of(words, index) or str(port.number)
    port_text = spec.env.get(port.variable) if port.variable else None
    return str(port_text) if isinstance(port_text, str | int) else str(port.number)
