"""Readiness that is there before the model is, or whatever happens to it."""

from collections.abc import Iterator
from typing import Any

from gpuspec import runtimes
from gpuspec.enumeration import proven
from gpuspec.lint.analysis.serving.probes import http_path, looks_for_process, port_of
from gpuspec.lint.analysis.serving.servers import gpu_workers, may_be_silent, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime, ServerProbes

RULE = Rule(
    "GPU504",
    "readiness-proves-nothing",
    "warning",
    "The readiness probe passes before the model can answer",
    fix="unsafe",
)

_LONGEST = 60


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield readiness by an open port, by a path that answers without a model, by a process that is
    there, by a rank that always answers."""
    for container in gpu_workers(pod):
        probe = container.probe("readiness")
        server = server_of(container)
        if probe is None or server is None or server.probes is None:
            continue
        if isinstance(probe.get("tcpSocket"), dict):
            if _proves_more(container, server.probes):
                yield _tcp(container, probe, server)
        elif http_path(probe) in server.probes.early:
            yield _early(container, server, "a model is loaded")
        elif _answers_unwarmed(container, http_path(probe), server.probes):
            yield _early(container, server, "its warm-up is over")
        elif (command := looks_for_process(probe)) is not None:
            if not may_be_silent(pod, container):
                yield _process(container, command, server)
        elif (rank := _rank(container, server)) is not None:
            yield RawFinding(
                container.path("readinessProbe"),
                f"`readinessProbe` asks rank `{rank}`, which always answers 200: {server.title} "
                "reports on the model only on rank 0",
                note="probe rank 0, or remove the probe on other ranks",
                severity="info",
            )


def _proves_more(container: PodContainer, server_probes: ServerProbes) -> bool:
    """Return whether the server's own path proves more than an open port does."""
    since = server_probes.notices_since
    if server_probes.opens == "loaded" and since is not None:
        return runtimes.at_least(container.image, since) is not False
    return server_probes.opens != "anyway"


def _tcp(container: PodContainer, probe: dict[str, Any], server: Runtime) -> RawFinding:
    assert server.probes is not None
    ready = server.probes.readiness
    path = ready.path
    changes: list[Change] = [
        Drop(container.path("readinessProbe", "tcpSocket")),
        Put(container.path("readinessProbe", "httpGet"), {"path": path, "port": port_of(probe)}),
    ]
    if any(path == slow.path for slow in server.probes.slow):
        changes.append(Put(container.path("readinessProbe", "timeoutSeconds"), ready.timeout))
    if server.probes.opens == "early":
        fault = (
            f"{server.title} opens the port before its model is loaded, and requests arrive too "
            f"early; `{path}` answers 503 until then"
        )
    else:
        # The kernel accepts connections for a process that does nothing.
        fault = (
            f"the port stays open when {server.title} no longer answers or its engine is dead, and "
            f"requests still arrive; `{path}` fails then"
        )
    return RawFinding(
        container.path("readinessProbe", "tcpSocket"),
        f"`readinessProbe` only checks for an open port: {fault}",
        note=_use(server),
        fix=Fix(f"probe `{path}`", tuple(changes)),
    )


def _use(server: Runtime) -> str:
    """Return the advice to probe the path for readiness, and what its success proves."""
    assert server.probes is not None
    ready = server.probes.readiness
    return f"probe `{ready.path}`{proven(ready.proves)}"


def _answers_unwarmed(
    container: PodContainer, path: str | None, server_probes: ServerProbes
) -> bool:
    """Return whether the server answers a path while it warms up, which this one does."""
    warm_up = server_probes.warm_up
    if warm_up is None or path not in warm_up.paths:
        return False
    return not warm_up.unless or container.words.flag(warm_up.unless) is None


def _early(container: PodContainer, server: Runtime, before: str) -> RawFinding:
    assert server.probes is not None
    ready = server.probes.readiness
    path = container.path("readinessProbe", "httpGet", "path")
    ready_path = http_path(container.probe("readiness") or {})
    changes: list[Change] = [Put(path, ready.path)]
    timeout = whole((container.probe("readiness") or {}).get("timeoutSeconds"), 1) or 1
    if timeout < ready.timeout and any(ready.path == slow.path for slow in server.probes.slow):
        changes.append(Put(container.path("readinessProbe", "timeoutSeconds"), ready.timeout))
    return RawFinding(
        path,
        f"`readinessProbe` uses `{ready_path}`, which {server.title} answers before {before}: "
        f"requests arrive too early; `{ready.path}` fails until then",
        fix=Fix(f"probe `{ready.path}`", tuple(changes)),
    )


def _process(container: PodContainer, command: str, server: Runtime) -> RawFinding:
    assert server.probes is not None
    ready = server.probes.readiness
    fix = None
    if len(container.ports) == 1:
        port = container.ports[0].get("name") or container.ports[0].get("containerPort")
        http_get = {"path": ready.path, "port": port}
        changes = (
            Drop(container.path("readinessProbe", "exec")),
            Put(container.path("readinessProbe", "httpGet"), http_get),
        )
        fix = Fix(f"probe `{ready.path}`", changes)
    shown_command = command if len(command) <= _LONGEST else f"{command[:_LONGEST]}…"
    return RawFinding(
        container.path("readinessProbe", "exec", "command"),
        f"`readinessProbe` runs `{shown_command}`, which succeeds as soon as the process exists: "
        f"requests arrive before {server.title} has loaded its model, and while "
        f"{server.title} hangs",
        note=_use(server),
        fix=fix,
    )


def _rank(container: PodContainer, server: Runtime) -> str | None:
    """Return a rank other than 0, where such ranks answer whatever happens."""
    if server.probes is None or not server.probes.ranks:
        return None
    flag = container.words.flag(server.probes.ranks)
    return flag.value if flag is not None and flag.number not in (None, 0) else None
