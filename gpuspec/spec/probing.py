"""Probes of a model server that replace the runtime's."""

from gpuspec.spec.forms import AbsolutePath, Positive
from gpuspec.spec.types import Annotated, Duration, Model, doc


class Probe(Model):
    """The action of a probe: exactly one of `path`, `tcp`, `grpc`, `command`."""

    path: Annotated[
        AbsolutePath | None,
        doc("HTTP path on the server's port; 200 to 399 is a success.", "/health"),
    ] = None
    tcp: Annotated[bool, doc("Only check that the port is open: proves little.")] = False
    grpc: Annotated[
        str | None,
        doc('Service name for the gRPC health protocol; "" for the whole server.', "inference"),
    ] = None
    command: Annotated[
        tuple[str, ...], doc("Command that exits with 0 on success.", ["cat", "/tmp/ok"])
    ] = ()
    period: Annotated[Duration | None, doc("Time between probes. Default: 10s.", "10s")] = None
    timeout: Annotated[Duration | None, doc("Timeout of one probe. Default: 5s.", "5s")] = None
    failures: Annotated[
        Positive | None,
        doc(
            "Failures in a row that count. Default: 3; for a startup probe, derived from "
            "the budget.",
            3,
        ),
    ] = None


class Probes(Model):
    """Probes that replace the runtime's; the runtime `custom` needs `readiness`."""

    readiness: Annotated[
        Probe | None,
        doc("Proves that the model answers. Default: the runtime's.", {"path": "/health"}),
    ] = None
    startup: Annotated[
        Probe | None,
        doc("Default: the readiness probe, with the startup budget.", {"path": "/health"}),
    ] = None
    liveness: Annotated[
        Probe | None,
        doc(
            "Looser than readiness: its success must not depend on load. Default: the "
            "runtime's, or none for `custom`.",
            {"path": "/ping", "failures": 6},
        ),
    ] = None


class Startup(Model):
    """Facts about start-up that replace the derived budget."""

    budget: Annotated[
        Duration | None,
        doc(
            "Time until the startup probe gives up. Default: twice the time to read the "
            "weights and build the engine.",
            "30m",
        ),
    ] = None
