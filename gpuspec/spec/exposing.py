"""The Service in front of a server, and the rollout of its pods."""

from gpuspec.spec.forms import LabelName, Natural, Port
from gpuspec.spec.types import Annotated, Duration, Model, doc


class Expose(Model):
    """How clients reach the server."""

    port: Annotated[Port | None, doc("Port of the Service. Default: the runtime's own.", 8000)] = (
        None
    )
    container_port: Annotated[
        Port | None,
        doc(
            "Port that the server listens on; ports below 1024 need root and the "
            "capability NET_BIND_SERVICE. Default: the runtime's own; for `custom` the "
            "same as `port`.",
            8000,
        ),
    ] = None
    ports: Annotated[
        dict[str, Port],
        doc(
            "More ports of the Service by name: at most 15 characters of a-z, 0-9 and '-'. "
            "A port listed in a sidecar's `ports` leads to the sidecar; any other to the "
            "same number of the main container.",
            {"kv-events": 5557},
        ),
    ] = {}
    through: Annotated[
        LabelName | None,
        doc(
            "A sidecar's port, by name, that clients reach instead of the server: the "
            "Service's `port` leads to it, and network policies block callers from the "
            "server itself. Probes and scrapers still use the server. Default: the server.",
            "proxy",
        ),
    ] = None
    name: Annotated[
        LabelName | None,
        doc(
            "Name of the Service, if clients know it by another name than the workload's.",
            "chat-api",
        ),
    ] = None


class Rollout(Model):
    """The replacement of old pods by new ones; unset fields are derived."""

    surge: Annotated[
        Natural | None,
        doc(
            "New replicas that may start before old ones stop; each needs free GPUs. "
            "Default: the pools' `spare` slots, otherwise none.",
            1,
        ),
    ] = None
    unavailable: Annotated[
        Natural | None,
        doc("Replicas that may be missing at a time. Default: none with a surge, otherwise 1.", 1),
    ] = None
    deadline: Annotated[
        Duration | None,
        doc(
            "Time without progress after which a Deployment's rollout fails. Default: the "
            "startup budget plus the time to schedule a pod and pull its image.",
            "20m",
        ),
    ] = None
