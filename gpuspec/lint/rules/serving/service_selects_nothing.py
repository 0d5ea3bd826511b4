"""A Service whose selector misses the pods that it is meant for."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.lint.subjects.reading.labels import Near, may_be_unknown, pods
from gpuspec.lint.subjects.serving.selecting import selector
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU806",
    "service-selects-nothing",
    "warning",
    "A Service's selector misses its pods",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """Services that select no pod, where one comes near. Else the pods may be in another file."""
    for service in collection.of("", "Service"):
        wanted = selector(service)
        if not wanted or collection.selected(service.namespace, wanted).pods:
            continue
        near = collection.once(pods).meant(wanted, service.namespace)
        if near is not None and not may_be_unknown(wanted, service, collection):
            yield _found(service, near)


def _found(service: Object, near: Near) -> Found:
    key, value = near.first
    path = service.path("spec", "selector", key)
    return Found(
        path,
        f"the selector `{key}: {value}` selects no pod here, so that requests are refused: {near}",
        confidence="likely",
        object=service.number,
        related=(Related(near.thing.object, (), f"{near.thing.kind} `{near.thing.name}`"),),
        fix=near.fix(path),
    )
