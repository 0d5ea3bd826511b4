"""How clients reach a server, and how its pods are replaced."""

from gpuspec.spec.forms import LabelName, Natural, Port
from gpuspec.spec.types import Annotated, Duration, Model, doc


class Expose(Model):
    """How clients reach the server."""

    port: Annotated[Port | None, doc("Port of the Service. Unset: the runtime's own.", 8000)] = None
    container_port: Annotated[
        Port | None,
        doc(
            "Port that the server listens on; below 1024 only root with the capability "
            "NET_BIND_SERVICE may. Unset: the runtime's own; for `custom` the same as `port`.",
            8000,
        ),
    ] = None
    ports: Annotated[
        dict[str, Port],
        doc(
            "Further ports of the Service by name: at most 15 characters of a-z, 0-9 and '-'. One that "
            "a sidecar has among its `ports` leads to it; any other to the same number of the main "
            "container.",
            {"kv-events": 5557},
        ),
    ] = {}
    through: Annotated[
        LabelName | None,
        doc(
            "A port of a sidecar, by its name, that clients reach in the server's place: `port` of the "
            "Service leads to it, and network policies let callers reach nothing else of the server. "
            "Probes and scrapers ask the server itself. Unset: the server.",
            "proxy",
        ),
    ] = None
    name: Annotated[
        LabelName | None,
        doc(
            "Name of the Service, where clients know it by another than the workload's.",
            "chat-api",
        ),
    ] = None


class Rollout(Model):
    """How pods of a new version take the place of old ones; unset fields are derived."""

    surge: Annotated[
        Natural | None,
        doc(
            "Replicas that may be new before an old one goes; each needs GPUs that the old ones do "
            "not hold. Unset: the `spare` slots of the pools, else none.",
            1,
        ),
    ] = None
    unavailable: Annotated[
        Natural | None,
        doc(
            "Replicas that may be missing at a time. Unset: none where there is a surge, else 1.", 1
        ),
    ] = None
    deadline: Annotated[
        Duration | None,
        doc(
            "Time without progress after which a rollout of a Deployment has failed. Unset: the "
            "start-up budget, and the time to schedule a pod and to pull its image.",
            "20m",
        ),
    ] = None
