"""A startup probe that gives up before the weights can have been read."""

from collections.abc import Iterator
from math import ceil

from gpuspec.lint.analysis.serving.loading import Loading, loading
from gpuspec.lint.analysis.serving.probes import Times, times
from gpuspec.lint.analysis.serving.servers import gpu_workers, loads_on_request, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU502",
    "startup-budget-short",
    "error",
    "The startup probe fails before the model can load",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield startup probes whose budget is below the known need of the model or server."""
    for container in gpu_workers(pod):
        probe = container.probe("startup")
        probe_times = None if probe is None else times(probe)
        if probe is None or probe_times is None:
            continue
        server = server_of(container)
        load = loading(pod, container, server, context)
        if load is not None:
            finding = _against(load, probe_times, container)
        elif server is not None and not loads_on_request(server):
            finding = _unsized(server, probe_times, container)
        else:
            finding = None
        if finding is not None:
            yield finding


def _against(load: Loading, probe_times: Times, container: PodContainer) -> RawFinding | None:
    if probe_times.budget >= load.seconds:
        return None
    reads = probe_times.budget < load.read
    work = "read the weights" if reads else "read the weights and build the engine"
    needs = load.read if reads else load.seconds
    again = (
        "continues where it stopped"
        if load.kept
        else "starts from scratch, since the cache is lost with the container"
    )
    sure = reads and load.known and not load.kept
    return RawFinding(
        _path(container),
        f"the startup probe kills the server after {probe_times.budget} s, but the server needs {needs} "
        f"s to {work}: each restart {again}",
        note=load.words,
        severity="error" if sure else "warning",
        confidence="certain" if sure else "likely",
        fix=_fix(container, probe_times, max(300, 2 * load.seconds)),
    )


def _unsized(server: Runtime, probe_times: Times, container: PodContainer) -> RawFinding | None:
    """Return a finding for a model of unknown size: the server's minimum for any model is a
    lower bound."""
    least = server.startup.seconds
    if probe_times.budget >= least:
        return None
    return RawFinding(
        _path(container),
        f"the startup probe kills the server after {probe_times.budget} s, but {server.title} may need "
        f"{least} s for imports, engine and graphs alone, plus the weights",
        note="set sizes under `models` in the configuration, and bandwidths in the profile, for an exact "
        "number",
        severity="warning" if probe_times.budget <= least // 2 else "info",
        confidence="possible",
        fix=_fix(container, probe_times, 1800),
    )


def _path(container: PodContainer) -> tuple[str | int, ...]:
    return container.path("startupProbe", "failureThreshold")


def _fix(container: PodContainer, probe_times: Times, seconds: int) -> Fix:
    failures = max(ceil((seconds - probe_times.delay) / probe_times.period), 1)
    title = f"set `failureThreshold: {failures}`, which allows {seconds} s"
    return Fix(title, (Put(_path(container), failures),))
