"""A Service whose selector misses the pods that it is meant for."""

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.missed import found, missed
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.collection import Collection

RULE = Rule(
    "GPU806",
    "service-selects-nothing",
    "warning",
    "A Service's selector does not match its pods",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield Services that select no pod, where one comes near. Else the pods may be in another
    file."""
    for service in collection.of("", "Service"):
        labels = selector(service)
        if not labels or collection.selected(service.namespace, labels).pods:
            continue
        near = missed(service, labels, "Pod", collection)
        if near is not None:
            yield found(
                service, service.path("spec", "selector"), "pod", "requests are refused", near
            )
