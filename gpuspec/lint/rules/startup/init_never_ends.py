"""An init container that never ends, behind which nothing starts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.agents import never_ends, only_waits, sleeps_a_while
from gpuspec.lint.analysis.serving.endless import LEAVES, endless_part, script_of
from gpuspec.lint.analysis.serving.selecting import services_of, target_number
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.shell_text import unquoted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU988",
    "init-never-ends",
    "warning",
    "An init container never ends, so the pod's containers never start",
)
_THEN = "the pod stays in `Init`, and its containers never start"
_WAITS = re.compile(r"(?:^|[;&|\n])[ \t]*(?:until|while)\b")
_SERVES = ("serve", "start")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield init containers that are no sidecars."""
    for container in pod.every:
        if container.stage != "init":
            continue
        fault = _endless(container) or _own_service(pod, container, context)
        if fault is not None:
            path, message, note = fault
            yield RawFinding(path, message, note=note, confidence="likely")


def _endless(container: PodContainer) -> tuple[Path, str, str] | None:
    name = never_ends(container)
    server = server_of(container)
    script = script_of(container)
    if script is not None:
        name = endless_part(script[0])
    elif server is not None and container.words.has(*_SERVES) is not None:
        name = server.title
    elif only_waits(container) and not sleeps_a_while(container):
        name = "sleep" if container.words.has("sleep") is not None else container.name
    if name is None:
        return None
    return (
        container.path() if script is None else script[1],
        f"`{name}` in an init container never ends: {_THEN}",
        "set `restartPolicy: Always` on the init container, which makes it a sidecar, or end its script",
    )


def _own_service(
    pod: Pod, container: PodContainer, context: Context
) -> tuple[Path, str, str] | None:
    """Return a loop that waits for a Service of the pod that the container holds up."""
    script = script_of(container)
    if (
        script is None
        or _WAITS.search(unquoted(script[0])) is None
        or LEAVES.search(script[0]) is not None
    ):
        return None
    for service in services_of(pod, context.collection):
        if service.spec.get("publishNotReadyAddresses") is True:
            continue
        if (
            re.search(rf"(?:^|[\s'\"]|//){re.escape(service.name)}(?:[.:/\s'\";]|$)", script[0])
            is None
        ):
            continue
        if _serves(pod, service):
            return (
                script[1],
                f"the init container waits for Service `{service.name}`, which leads to this pod: {_THEN}",
                "wait in a container that starts after the server, or set `publishNotReadyAddresses: true`",
            )
    return None


def _serves(pod: Pod, service: Object) -> bool:
    """Return whether a Service leads to a port that the pod's own containers have: other pods may
    have the same labels."""
    ports = {port.get("containerPort") for container in pod.containers for port in container.ports}
    return any(target_number(mapping(port)) in ports for port in items(service.spec.get("ports")))
