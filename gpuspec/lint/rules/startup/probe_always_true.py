"""A probe whose command cannot fail, or tells no more than that the process is there."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.probes import always_true, looks_for_process, probes
from gpuspec.lint.analysis.serving.servers import gpu_workers, may_be_silent, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU505",
    "probe-always-true",
    "warning",
    "A probe's command always succeeds",
)
_HARM = {
    "startup": (
        "startup counts as done at once, and the liveness probe kills the server while it loads"
    ),
    "readiness": "requests arrive before the model is loaded, and after the server has failed",
    "liveness": "a server that hangs keeps its GPUs and answers nothing",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield probes like `true`, `exit 0`, `echo ok`; of servers, those that look for the
    process."""
    for container in gpu_workers(pod):
        for kind, probe in probes(container):
            command = always_true(probe)
            if command is not None:
                yield RawFinding(
                    container.path(f"{kind}Probe", "exec", "command"),
                    f"`{kind}Probe` runs `{command}`, which succeeds whatever the server does: "
                    f"{_HARM[kind]}",
                    note=_advice(container),
                )
        if server_of(container) is not None and not may_be_silent(pod, container):
            yield from _processes(container)


def _advice(container: PodContainer) -> str:
    """Return the request that shows whether the server works."""
    server = server_of(container)
    if server is None or server.probes is None:
        return "send a request that only a working server answers"
    return f"probe `{server.probes.readiness.path}`"


def _processes(container: PodContainer) -> Iterator[RawFinding]:
    """Yield probes for start and liveness that succeed as soon as there is a process."""
    startup, liveness = (container.probe(kind) or {} for kind in ("startup", "liveness"))
    command = looks_for_process(startup)
    if command is not None and liveness and looks_for_process(liveness) is None:
        yield RawFinding(
            container.path("startupProbe", "exec", "command"),
            f"`startupProbe` runs `{command}`, which succeeds as soon as the process is there: "
            f"{_HARM['startup']}",
            note="use a request that succeeds only after the model is loaded",
        )
    command = looks_for_process(liveness)
    if command is not None:
        yield RawFinding(
            container.path("livenessProbe", "exec", "command"),
            f"`livenessProbe` runs `{command}`: a process that ends is restarted anyway, and "
            f"{_HARM['liveness']}",
            note=_advice(container),
            severity="info",
        )
