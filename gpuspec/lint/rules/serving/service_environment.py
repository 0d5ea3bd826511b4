"""A Service whose name makes Kubernetes set a variable that the server reads as its own."""

from collections.abc import Iterator
from posixpath import dirname

from gpuspec import runtimes
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.reading.kustomizations import everywhere_above
from gpuspec.lint.analysis.reading.renaming import affixes
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object, Pod, meet
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU613",
    "service-environment-collides",
    "error",
    "Variables of a Kubernetes Service overwrite the server's own",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield Services of the pod's namespace that have a server's variables in their names."""
    at = pod.path("enableServiceLinks")
    if pod.spec.get("enableServiceLinks") is False or not is_whole(pod):
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None or not server.collisions:
            continue
        services = _beside(pod, context)
        for collision in server.collisions:
            service = next((obj for obj in services if obj.name == collision.service), None)
            if service is None or collision.variable in container.env:
                continue
            doubt = _doubt(pod, container, service)
            yield RawFinding(
                at,
                f"Service `{service.name}` makes Kubernetes set `{collision.variable}` to a URL "
                f"in this pod, but {server.title} reads this variable as its own setting: "
                f"{server.title} does not start{doubt}",
                note="rename the Service, or set `enableServiceLinks: false`",
                fix=set_field(at, False, safe=True),
                confidence="likely" if doubt else "certain",
                related=(RelatedPlace(service.number, ("metadata", "name"), "this Service"),),
            )
            return
        noisy, since = _noisy(server, _near(pod, services), container.image)
        if noisy:
            logs = "logs a warning for each at every start"
            service_names = list(dict.fromkeys(service.name for service in noisy))
            makes = "Service {} makes" if len(service_names) == 1 else "Services {} make"
            yield RawFinding(
                at,
                f"{makes.format(names(service_names))} Kubernetes set "
                f"variables that look like {server.title}'s own: {server.title}{since} {logs}",
                severity="info",
                fix=set_field(at, False),
                related=tuple(
                    RelatedPlace(service.number, ("metadata", "name"), "this Service")
                    for service in noisy
                ),
            )
            return


def _doubt(pod: Pod, container: PodContainer, service: Object) -> str:
    """Return what would keep the variable from the server; empty if nothing does."""
    if pod.object.namespace != service.namespace:
        return ", where both are in one namespace"
    return " unless `envFrom` sets another value" if container.value.get("envFrom") else ""


def _beside(pod: Pod, context: Context) -> list[Object]:
    """Return the Services of the pod's namespace that set variables which servers read."""
    return [
        obj
        for obj in context.collection.once(_telling).at((), pod.object.namespace)
        # A prefix or a suffix of the Service's name changes the variables.
        if meet(obj, pod.object)
        and not any(any(affixes(maker)) for maker in everywhere_above(obj, context.collection))
    ]


def _near(pod: Pod, services: list[Object]) -> list[Object]:
    """Return the Services that are near enough for a remark: examples of all sorts name the namespace
    `default`."""
    folder = dirname(pod.object.file)
    return [obj for obj in services if obj.namespace != "default" or dirname(obj.file) == folder]


def _telling(collection: Collection) -> NamespacedIndex[Object]:
    """Return the Services that any server could read a variable of."""
    service_names = {c.service for name in runtimes.names() for c in runtimes.get(name).collisions}
    return NamespacedIndex(
        ((), obj.namespace, obj)
        for obj in collection.of("", "Service")
        # Only those with an address of their own set any.
        if obj.spec.get("clusterIP") != "None"
        and obj.spec.get("type") != "ExternalName"
        and obj.name.partition("-")[0] in service_names
    )


def _noisy(server: Runtime, services: list[Object], image: str) -> tuple[list[Object], str]:
    """Return Services whose variables the server logs, and since which release if the image's
    release is unknown."""
    warning = [
        collision
        for collision in server.collisions
        if collision.warns_since and runtimes.at_least(image, collision.warns_since) is not False
    ]
    prefixes = tuple(f"{collision.service}-" for collision in warning)
    noisy = [service for service in services if prefixes and service.name.startswith(prefixes)]
    since = [
        f" {collision.warns_since} and newer"
        for collision in warning
        if runtimes.at_least(image, collision.warns_since or "") is None
    ]
    return noisy, since[0] if since else ""
