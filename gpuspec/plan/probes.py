"""Startup, readiness and liveness of a model server.

The startup budget covers reading the weights and building the engine, so that liveness, which
only begins after it, cannot kill a server that loads. Readiness asks for proof that the model
answers; liveness is looser, for a server that is stuck, not slow.
"""

import math
from typing import Any

import msgspec

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, from_spec, from_table
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.wording import GIB, MIB, gib
from gpuspec.spec import InferenceSpec, Probe
from gpuspec.spec.bandwidth import ASSUMED_DOWNLOAD, ASSUMED_VOLUME, reading_speed

# Seconds to pull an image of some 10 GB at 50 MB/s, with a margin for the scheduler.
LEAST_PULL = 300
# A server that starts is asked this often (seconds); the budget is counted in such steps.
STARTUP_PERIOD = 10
# A neighbour that reads from the same storage halves the bandwidth; a budget that is too long
# costs nothing while one that is too short never starts.
MARGIN = 2
# Seconds. Small models start sooner, but a busy node or a cold image cache is no failure.
SHORTEST_BUDGET = 300
# Seconds for a model of which nothing is known, not even the GPU that bounds it.
UNKNOWN_WEIGHTS_BUDGET = 1800
# A probe of the spec that leaves these out: seconds for an answer, and failures in a row.
DEFAULT_TIMEOUT = 5
DEFAULT_FAILURES = 3


class Budget(msgspec.Struct, frozen=True):
    """The longest startup of a server, in seconds, and its arithmetic in words."""

    seconds: int
    reason: str
    origin: Origin
    notes: tuple[Note, ...] = ()


class ProbesPlan(msgspec.Struct, frozen=True):
    """The probes of the server."""

    startup: Decision
    readiness: Decision
    liveness: PlanPart


def probes(
    resolution: Resolution, spec: InferenceSpec, budget: Budget, ports: dict[str, int]
) -> ProbesPlan:
    """Return probes from the spec, or else from the runtime's table. `ports` maps port names to
    numbers."""
    ready = _probe(resolution, "readiness", spec.probes.readiness, ports)
    startup_probe = spec.probes.startup or (
        spec.probes.readiness if resolution.runtime.probes is None else None
    )
    start = _probe(resolution, "startup", startup_probe, ports)
    assert ready is not None and start is not None
    live = _probe(resolution, "liveness", spec.probes.liveness, ports)
    period = start.value["periodSeconds"]
    failures = math.ceil(budget.seconds / period)
    reason = f"{failures} × {period}s: {budget.reason}"
    handler = {**start.value, "failureThreshold": failures}
    return ProbesPlan(Decision(handler, reason, budget.origin), ready, live)


def _probe(
    resolution: Resolution, field: str, probe: Probe | None, ports: dict[str, int]
) -> Decision | None:
    if probe is not None:
        path: Path = ("spec", "probes", field)
        return from_spec(
            path,
            _asked(probe, ports),
            "as the spec says; gpuspec knows nothing about the server",
        )
    if resolution.runtime.probes is None:
        return None
    server_probe: runtimes.ServerProbe = getattr(resolution.runtime.probes, field)
    value: dict[str, Any] = {
        "httpGet": {"path": server_probe.path, "port": server_probe.port},
        "periodSeconds": server_probe.period,
        "timeoutSeconds": server_probe.timeout,
    }
    if server_probe.failures is not None:
        value["failureThreshold"] = server_probe.failures
    return from_table(
        f"runtimes/{resolution.runtime.name} probes.{field}", value, server_probe.proves
    )


def _asked(probe: Probe, ports: dict[str, int]) -> dict[str, Any]:
    value: dict[str, Any]
    if probe.path:
        value = {"httpGet": {"path": probe.path, "port": "http"}}
    elif probe.command:
        value = {"exec": {"command": list(probe.command)}}
    elif probe.tcp:
        value = {"tcpSocket": {"port": "http"}}
    else:
        # A gRPC probe takes a number, not a name.
        value = {"grpc": {"port": ports["http"], "service": probe.grpc or ""}}
    value["periodSeconds"] = probe.period.seconds if probe.period else STARTUP_PERIOD
    value["timeoutSeconds"] = probe.timeout.seconds if probe.timeout else DEFAULT_TIMEOUT
    value["failureThreshold"] = probe.failures or DEFAULT_FAILURES
    return value


def budget(resolution: Resolution, spec: InferenceSpec) -> Budget:
    """Return the startup budget: the spec's, or else twice the time to read the weights and build
    the engine."""
    if spec.startup.budget is not None:
        path: Path = ("spec", "startup", "budget")
        return Budget(spec.startup.budget.seconds, "the spec's budget", Origin("spec", path))
    startup = spec.probes.startup
    if startup is not None and startup.failures is not None:
        period = startup.period.seconds if startup.period else STARTUP_PERIOD
        path = ("spec", "probes", "startup", "failures")
        return Budget(startup.failures * period, "the spec's own probe", Origin("spec", path))
    origin = Origin("derived", row="startup-budget")
    notes: list[Note] = []
    size, size_source = _weights(resolution)
    if size is None:
        return Budget(
            UNKNOWN_WEIGHTS_BUDGET,
            "30m, because the size of the weights is unknown",
            origin,
            (_assumed("start-up takes at most 30m, because the size of the weights is unknown"),),
        )
    speed, where = _bandwidth(resolution)
    if speed is None:
        downloads = resolution.model is None or resolution.model[1].source.hub is not None
        speed = ASSUMED_DOWNLOAD if downloads else ASSUMED_VOLUME
        where = "assumed"
        notes.append(_assumed(f"weights are read at {_rate(speed)} (profile: bandwidth)"))
    read_seconds = size / speed
    build = resolution.runtime.startup.build(size)
    seconds = max(SHORTEST_BUDGET, math.ceil((read_seconds + build) * MARGIN))
    seconds = -(-seconds // STARTUP_PERIOD) * STARTUP_PERIOD
    wait = LEAST_PULL if spec.nodes > 1 else 0
    reason = (
        f"({size_source} ÷ {_rate(speed)} ({where}) = {read_seconds:.0f}s to read, {build:.0f}s to build the "
        f"engine) × {MARGIN} = {seconds}s"
    )
    if wait:
        reason += f" + {wait}s until the pods on the other nodes run"
    return Budget(seconds + wait, reason, origin, tuple(notes))


def _weights(resolution: Resolution) -> tuple[int | None, str]:
    if resolution.weights is not None:
        size = resolution.model[1].size if resolution.model else None
        return resolution.weights.most, gib(resolution.weights.most) if size is None else str(size)
    memories = [chosen.device_option.memory for chosen in resolution.pools]
    memories = memories or [model.memory for model in resolution.models if model.memory]
    if not memories:
        return None, ""
    # Whatever is served fits into the GPUs, so their memory bounds it.
    most = max(memories) * resolution.gpus * resolution.workers
    return most, f"at most {most // GIB}Gi (all GPU memory)"


def _bandwidth(resolution: Resolution) -> tuple[int | None, str]:
    """Return bytes per second from the place of the weights, and the profile entry with this value,
    or for it."""
    source = resolution.model[1].source if resolution.model else None
    claim = source.pvc if source else None
    mounted = claim or (source and source.host_path)
    return reading_speed(resolution.profile.spec, claim, downloads=not mounted)


def _rate(speed: int) -> str:
    return f"{speed / MIB:.0f}Mi/s"


def _assumed(text: str) -> Note:
    return Note(text, Origin("derived", row="startup-budget"), loud=True, assumed=True)
