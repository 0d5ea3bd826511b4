"""Work that ends, with a priority over a server on the same kind of device."""

from collections.abc import Iterable, Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU751",
    "experiment-preempts",
    "warning",
    "Training or batch work may preempt a server",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield PriorityClasses of the set, as the pods of the set use them."""
    classes = {obj.name: obj for obj in collection.of("scheduling.k8s.io", "PriorityClass")}
    if not classes:
        return
    default = next(
        (
            _value(class_) or 0
            for class_ in classes.values()
            if class_.value.get("globalDefault") is True
        ),
        0,
    )
    servers = _unlike(pod for pod in collection.pods if pod.life == "service" and pod.devices)
    victims: dict[tuple[str, tuple[str, ...]], tuple[PodFacts, int] | None] = {}
    reported_priorities: set[str] = set()
    for pod in collection.pods:
        priority = classes.get(pod.priority)
        if (
            pod.life != "finite"
            or not pod.devices
            or priority is None
            or pod.priority in reported_priorities
        ):
            continue
        value = _value(priority)
        if value is None or priority.value.get("preemptionPolicy") == "Never":
            continue
        priority_and_devices = pod.priority, pod.devices
        if priority_and_devices not in victims:
            victims[priority_and_devices] = _victim(pod, value, servers, classes, default)
        victim = victims[priority_and_devices]
        if victim is None:
            continue
        reported_priorities.add(pod.priority)
        server, less = victim
        yield RawFinding(
            priority.path("value"),
            f"{pod.kind} `{pod.name}` (priority {value}) may preempt {server.kind} "
            f"`{server.name}` (priority {less}): requests fail until the server is "
            "rescheduled and has loaded its model",
            note=(
                "give servers a class above training, or set `preemptionPolicy: Never` in this "
                "class"
            ),
            object=priority.number,
            related=(RelatedPlace(server.object, ("metadata", "name"), "the server"),),
            confidence="likely",
        )


def _unlike(servers: Iterable[PodFacts]) -> list[PodFacts]:
    """Return the first server of each class and with the same devices."""
    servers_by_shape: dict[object, PodFacts] = {}
    for server in servers:
        servers_by_shape.setdefault((server.priority, server.devices), server)
    return list(servers_by_shape.values())


def _victim(
    pod: PodFacts,
    value: int,
    servers: list[PodFacts],
    classes: dict[str, Object],
    default: int,
) -> tuple[PodFacts, int] | None:
    for server in servers:
        if not {*server.devices} & {*pod.devices}:
            continue
        if server.priority and server.priority not in classes:
            # Its value is not known.
            continue
        server_value = _value(classes[server.priority]) if server.priority else default
        if server_value is not None and server_value < value:
            return server, server_value
    return None


def _value(obj: Object) -> int | None:
    value = obj.value.get("value")
    return value if isinstance(value, int) and not isinstance(value, bool) else None
