"""A port of nodes that the API server does not give out."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU874",
    "node-port-outside",
    "warning",
    "A Service requests a node port outside the API server's range",
)
_FIRST, _LAST = 30000, 32767


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Compare a Service's explicit node ports with the API server's default range."""
    for index, port in enumerate(items(obj.spec.get("ports"))):
        number = mapping(port).get("nodePort")
        if not isinstance(number, int) or number <= 0 or _FIRST <= number <= _LAST:
            continue
        yield RawFinding(
            obj.path("spec", "ports", index, "nodePort"),
            f"node port {number} is outside {_FIRST} to {_LAST}, the API server's default range: "
            "the API server refuses the Service",
            note=(
                "remove `nodePort`, so that the API server chooses a port, or set the range with "
                "`--service-node-port-range`"
            ),
            confidence="likely",
        )
