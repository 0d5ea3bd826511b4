"""Liveness that takes a busy server for a dead one."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.serving.probes import Times, handler, http_path, times
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU508",
    "liveness-impatient",
    "warning",
    "The liveness probe restarts a server that is only busy",
    gives_way=("GPU501", "GPU507"),
    fix="unsafe",
)

_LONG = 60
"""Seconds after which a server without an answer rather hangs than is busy."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield one missed answer that ends the container; and, softer, a second's wait on a model
    server."""
    if pod.life == "finite":
        return
    for container in gpu_workers(pod):
        probe = container.probe("liveness")
        probe_times = None if probe is None else times(probe)
        if probe is None or probe_times is None or handler(probe) is None:
            continue
        if probe_times.failures == 1:
            at = container.path("livenessProbe", "failureThreshold")
            yield RawFinding(
                at,
                "`failureThreshold` is 1: a single late answer kills the server, and the model "
                "is loaded again",
                fix=set_field(at, 3),
            )
            continue
        if (finding := _before_readiness(container, probe, probe_times)) is not None:
            yield finding
            continue
        server = server_of(container)
        if server is None or server.probes is None or http_path(probe) is None:
            continue
        if server.probes.apart:
            continue
        liveness = server.probes.liveness
        if probe_times.timeout == 1 and probe_times.failures <= 3 and liveness.timeout > 1:
            at = container.path("livenessProbe", "timeoutSeconds")
            yield RawFinding(
                at,
                f"`livenessProbe` waits 1 s for an answer and kills {server.title} after "
                f"{probe_times.patience} s of failed probes: under load an answer can take more than 1 s",
                note=f"set `timeoutSeconds: {liveness.timeout}` and `failureThreshold: {liveness.failures}`",
                severity="info",
                confidence="possible",
                fix=set_field(at, liveness.timeout),
            )


def _before_readiness(
    container: PodContainer, probe: dict[str, Any], probe_times: Times
) -> RawFinding | None:
    """Return a liveness probe that gives up before the readiness probe with the same question."""
    ready = container.probe("readiness")
    ready_times = None if ready is None else times(ready)
    if (
        ready is None
        or ready_times is None
        or handler(ready) != handler(probe)
        or probe_times.timeout > ready_times.timeout
        or probe_times.patience >= ready_times.patience
    ):
        return None
    failures = 2 * -(-ready_times.patience // probe_times.period)
    at = container.path("livenessProbe", "failureThreshold")
    return RawFinding(
        at,
        f"`livenessProbe` gives up after {probe_times.patience} s, before `readinessProbe` after "
        f"{ready_times.patience} s: a busy server is killed while the Service still sends requests",
        severity=None if probe_times.patience < _LONG else "info",
        fix=set_field(at, failures),
    )
