"""A probe that is over before the path can answer."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.enumeration import because
from gpuspec.lint.analysis.serving.probes import http_path, probes, times
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Slow

RULE = Rule(
    "GPU507",
    "probe-timeout-short",
    "error",
    "A probe's timeout is shorter than its endpoint takes to answer",
    fix="unsafe",
)
ENOUGH = 10


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check probes of paths that are slow even on an idle server."""
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is None or server.probes is None or not server.probes.slow:
            continue
        for kind, probe in probes(container):
            probe_times, path = times(probe), http_path(probe)
            slow = next(
                (slow_path for slow_path in server.probes.slow if slow_path.path == path), None
            )
            if probe_times is None or slow is None or probe_times.timeout > slow.seconds:
                continue
            if _is_quick(container, slow):
                continue
            at = container.path(f"{kind}Probe", "timeoutSeconds")
            yield RawFinding(
                at,
                (
                    f"`{path}` takes more than {slow.seconds} s to answer, but `{kind}Probe` waits "
                    f"{probe_times.timeout} s: every probe fails"
                )
                + (f" unless `{slow.unless}` is set" if slow.unless else ""),
                note=f"set `timeoutSeconds: {ENOUGH}`{because(slow.why)}",
                # A switch that is not seen may have been thrown elsewhere, or be newer than the image.
                severity="warning" if slow.unless else "error",
                confidence="likely" if slow.unless else "certain",
                fix=set_field(at, ENOUGH),
            )


def _is_quick(container: PodContainer, slow: Slow) -> bool:
    """Return whether the release or the environment makes the path answer at once, or may do so."""
    if slow.since and runtimes.at_least(container.image, slow.since) is False:
        return True
    name, _, value = slow.unless.partition("=")
    if not name or name not in container.env:
        return False
    env_value = container.env_value(name)
    return env_value is None or env_value.lower() in (value, "0")
