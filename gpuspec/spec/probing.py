"""Probes of a model server, where the runtime's own are not the ones."""

from gpuspec.spec.forms import AbsolutePath, Positive
from gpuspec.spec.types import Annotated, Duration, Model, doc


class Probe(Model):
    """How a probe asks: exactly one of `path`, `tcp`, `grpc`, `command`."""

    path: Annotated[
        AbsolutePath | None, doc("HTTP path on the server's port; 200 to 399 is a yes.", "/health")
    ] = None
    tcp: Annotated[bool, doc("Only that the port is open: proves little.")] = False
    grpc: Annotated[
        str | None,
        doc('Service name of the gRPC health protocol; "" for the whole server.', "inference"),
    ] = None
    command: Annotated[tuple[str, ...], doc("Command that exits 0.", ["cat", "/tmp/ok"])] = ()
    period: Annotated[Duration | None, doc("Time between tries. Unset: 10s.", "10s")] = None
    timeout: Annotated[Duration | None, doc("Time for one answer. Unset: 5s.", "5s")] = None
    failures: Annotated[
        Positive | None,
        doc("Failures in a row that count. Unset: 3; of a startup probe, as the budget says.", 3),
    ] = None


class Probes(Model):
    """Probes that replace the runtime's; the runtime `custom` needs `readiness`."""

    readiness: Annotated[
        Probe | None,
        doc("Proves that the model answers. Unset: the runtime's.", {"path": "/health"}),
    ] = None
    startup: Annotated[
        Probe | None,
        doc("Unset: as readiness, with the start-up budget.", {"path": "/health"}),
    ] = None
    liveness: Annotated[
        Probe | None,
        doc(
            "Looser than readiness: a yes of it must not depend on load. Unset: the runtime's, or "
            "none for `custom`.",
            {"path": "/ping", "failures": 6},
        ),
    ] = None


class Startup(Model):
    """What is known about start-up, where the derived budget does not fit."""

    budget: Annotated[
        Duration | None,
        doc(
            "Time until the startup probe gives up. Unset: twice what reading the weights and "
            "building the engine take.",
            "30m",
        ),
    ] = None
