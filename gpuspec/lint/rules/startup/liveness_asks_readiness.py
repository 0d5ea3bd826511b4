"""A liveness probe on a readiness endpoint, which restarts servers that only have to wait."""

from collections.abc import Iterator

from gpuspec.enumeration import proven
from gpuspec.lint.analysis.serving.probes import http_path
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU509",
    "liveness-asks-readiness",
    "warning",
    "The liveness probe uses the readiness endpoint",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers with separate paths for both whose liveness probe uses the readiness path."""
    for container in gpu_workers(pod):
        probe = container.probe("liveness")
        server = server_of(container)
        if probe is None or server is None or server.probes is None:
            continue
        ready, live = server.probes.readiness.path, server.probes.liveness.path
        if ready == live or http_path(probe) != ready:
            continue
        at = container.path("livenessProbe", "httpGet", "path")
        yield RawFinding(
            at,
            f"`livenessProbe` uses `{ready}`, which tells whether {server.title} can accept "
            "requests: the kubelet restarts a server that only needs time",
            note=f"probe `{live}`{proven(server.probes.liveness.proves)}",
            fix=Fix(f"probe `{live}`", (Put(at, live),)),
        )
