"""A Service as rank 0's address that leads to any rank."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import addresses
from gpuspec.lint.analysis.serving.selecting import services_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.gangs import ranks
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU755",
    "rendezvous-anywhere",
    "warning",
    "The rendezvous address is a Service that routes to any rank",
)

_NUMBER = {
    "StatefulSet": "apps.kubernetes.io/pod-index",
    "Job": "batch.kubernetes.io/job-completion-index",
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods of several ranks that call a Service which selects all of them."""
    count = ranks(pod) or pod.role.count or 0
    if count < 2:
        return
    services = {obj.name: obj for obj in services_of(pod, context.collection)}
    for host, path in addresses(pod) if services else ():
        service = services.get(host.partition(".")[0])
        if service is None:
            continue
        yield RawFinding(
            path,
            f"`{host}` routes to any of the {count} ranks, not to rank 0: the ranks reach rank 0 "
            "only by chance",
            note=_right(pod.object, service),
            confidence="likely",
            related=(
                RelatedPlace(
                    service.number, service.path("spec", "selector"), "selects all of the ranks"
                ),
            ),
        )
        return


def _right(owner: Object, service: Object) -> str:
    """Return what leads to rank 0 alone, as far as its controller numbers pods."""
    label = _NUMBER.get(owner.kind)
    if label is None:
        return "use the DNS name of rank 0's pod, which a Job or a StatefulSet provides"
    by_label = f'select only rank 0 in the Service: `{label}: "0"`'
    if service.spec.get("clusterIP") != "None":
        return by_label
    return f"{by_label}, or use `{owner.name}-0.{service.name}`"
