"""A device whose request is not its limit, or that has no limit."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU102",
    "request-differs-from-limit",
    "error",
    "A device's request differs from its limit",
    fix="both",
)
_NATIVE = "kubernetes.io"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield requests without a limit, and requests that differ from it."""
    for container in pod.every:
        path = container.path(container.resources_at)
        for name in _extended(container):
            request, limit = container.requests[name], container.limits.get(name)
            if request is None or request == limit:
                continue
            at, most_at = (*path, "requests", name), (*path, "limits", name)
            if limit is None:
                yield RawFinding(
                    at,
                    f"`{name}` has a request but no limit: the API server rejects the pod",
                    fix=set_field(most_at, request, safe=True),
                    key=True,
                )
                continue
            requested, most = quantity(request), quantity(limit)
            if requested is not None and most is not None and requested != most:
                yield RawFinding(
                    at,
                    f"`{name}` has a request of {requested} and a limit of {most}: devices "
                    "cannot be overcommitted, and the API server rejects the pod",
                    fix=set_field(at, limit),
                )


def _extended(container: PodContainer) -> Iterator[str]:
    """Yield all requested extended resources, because the API server allows none to be
    overcommitted (`IsOvercommitAllowed`, pkg/apis/core/v1/helper/helpers.go)."""
    for name in container.requests:
        if isinstance(name, str) and "/" in name:
            domain = name.partition("/")[0]
            if domain != _NATIVE and not domain.endswith(f".{_NATIVE}"):
                yield name
