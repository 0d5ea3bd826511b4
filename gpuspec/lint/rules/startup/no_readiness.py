"""A server that gets requests as soon as its process runs."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.agents import loads_no_model
from gpuspec.lint.analysis.serving.selecting import asking
from gpuspec.lint.analysis.serving.servers import (
    answers,
    gpu_workers,
    listening,
    loads_on_request,
    server_of,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU503",
    "no-readiness",
    "warning",
    "A server has no readiness probe and receives requests before it can answer",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers that serve without a readiness probe."""
    owner = pod.object
    if not owner.traits.as_written or not answers(pod):
        return
    if any(container.value.get("readinessProbe") is not None for container in pod.containers):
        return
    service = asking(pod, context.collection)
    related = (
        (
            RelatedPlace(
                service.number,
                service.path("spec", "selector"),
                "this Service sends requests to the server",
            ),
        )
        if service
        else ()
    )
    for container in gpu_workers(pod):
        server = server_of(container)
        if server is None and not (service and container.ports):
            continue
        if loads_no_model(container) if server is None else loads_on_request(server):
            continue
        started = container.value.get("startupProbe") is not None
        sends = f"Service `{service.name}` sends requests" if service else "requests arrive"
        if started and container.value.get("livenessProbe") is not None:
            message = (
                f"no `readinessProbe`: if the engine hangs, {sends} until the liveness probe "
                "restarts the container"
            )
        elif started:
            message = (
                f"no `readinessProbe`: {sends} even after the engine has died, since only "
                "startup is probed"
            )
        else:
            message = (
                f"no `readinessProbe`: {sends} as soon as the process runs, minutes before the "
                "model is loaded, and a rollout continues at once"
            )
        fix = None if server is None else _fix(container, server)
        yield RawFinding(
            container.path("readinessProbe"),
            message,
            severity="warning" if service and not started else "info",
            confidence="certain" if service else "likely",
            related=related,
            note="add a `readinessProbe` on a path that answers only when the model is loaded"
            if fix is None
            else None,
            fix=fix,
        )


def _fix(container: PodContainer, server: Runtime) -> Fix | None:
    where = listening(container, server)
    if server.probes is None or where is None:
        return None
    readiness = server.probes.readiness
    name = next(
        (
            port["name"]
            for port in container.ports
            if port.get("containerPort") == where.port and isinstance(port.get("name"), str)
        ),
        where.port,
    )
    probe = {
        "httpGet": {"path": readiness.path, "port": name},
        "periodSeconds": readiness.period,
        "timeoutSeconds": readiness.timeout,
        "failureThreshold": readiness.failures,
    }
    return Fix(f"probe `{readiness.path}`", (Put(container.path("readinessProbe"), probe),))
