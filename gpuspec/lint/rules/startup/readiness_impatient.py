"""Readiness that one slow answer takes away."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.probes import http_path, times
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU921",
    "readiness-impatient",
    "warning",
    "One slow answer removes a model server from its Service",
    gives_way=("GPU507",),
    fix="unsafe",
)

_ENOUGH = 3


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield readiness of model servers that fails at the first answer which is late."""
    if pod.life == "finite":
        return
    for container in gpu_workers(pod):
        server, probe = server_of(container), container.probe("readiness")
        if server is None or server.probes is None or probe is None or http_path(probe) is None:
            continue
        probe_times = times(probe)
        if (
            probe_times is None
            or probe_times.failures > 1
            or probe_times.timeout >= server.probes.readiness.timeout
        ):
            continue
        at = container.path("readinessProbe", "failureThreshold")
        yield RawFinding(
            at,
            f"one answer slower than {probe_times.timeout} s removes this server from its Service: "
            "under load this happens at every long batch, and the other servers get its "
            "requests too",
            fix=set_field(at, _ENOUGH),
        )
