"""A client that looks for a server in its own pod, where another pod has it."""

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU815",
    "asks-itself",
    "warning",
    "An address points to the pod itself instead of to a Service",
    fix="unsafe",
)
_ITSELF = re.compile(r"\bhttps?://(localhost|127\.0\.0\.1):([0-9]{1,5})\b")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield URLs of the pod itself in variables, at a port that it does not have and a Service
    has."""
    for container in pod.containers:
        for name in container.env:
            value = container.env_value(name) or ""
            match = _ITSELF.search(value) if "://" in value else None
            port = read_whole(match[2]) if match is not None else None
            if match is None or port is None or _may_listen(pod, container, port):
                continue
            service = _service(pod, port, context)
            if service is None:
                continue
            path = (*container.env_path(name), "value")
            right_url = f"{value[: match.start(1)]}{service.name}{value[match.end(1) :]}"
            yield RawFinding(
                path,
                f"`{match[0]}` is this pod itself, where no container has port {match[2]}, but "
                f"Service `{service.name}` has it: each connection is refused",
                fix=Fix(f"use the name of Service `{service.name}`", (Put(path, right_url),)),
                confidence="likely",
                related=(
                    RelatedPlace(service.number, service.path("metadata", "name"), "this Service"),
                ),
            )


def _may_listen(pod: Pod, asking: PodContainer, port: int) -> bool:
    """Return whether anything in the pod, or on its node, may listen on a port."""
    if pod.spec.get("hostNetwork") is True or not asking.ports:
        return True
    for container in pod.every:
        # Who lists no ports may have any; who names the number elsewhere may listen there.
        if container.stage in ("main", "sidecar") and not container.ports:
            return True
        texts = [word.text for word in container.words]
        texts += [_ITSELF.sub("", container.env_value(name) or "") for name in container.env]
        if any(str(port) in text for text in texts) or any(
            container_port.get("containerPort") == port for container_port in container.ports
        ):
            return True
    return False


def _service(pod: Pod, port: int, context: Context) -> Object | None:
    """Return the Service for other pods in the pod's namespace that has a port; None if there are
    several."""
    objects = [
        obj
        for obj in context.collection.within("", "Service", pod.object.namespace)
        if obj.namespace == pod.object.namespace
        and any(
            whole(mapping(service_port).get("port")) == port
            for service_port in items(obj.spec.get("ports"))
        )
    ]
    if len(objects) != 1 or not selector(objects[0]):
        return None
    return None if selector(objects[0]).items() <= pod.labels.items() else objects[0]
