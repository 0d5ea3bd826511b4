"""Replicas of a model server that load one after the other."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import first_rank
from gpuspec.lint.analysis.serving.servers import loads_on_request, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.gangs import ranks
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU522",
    "servers-in-turn",
    "warning",
    "A model server's replicas start one after another",
    gives_way=("GPU745",),
    fix="unsafe",
)
_FEW = 2
"""Replicas of which one waits for one other."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield StatefulSets, which make the next pod when the last one is ready, unless told
    `Parallel`."""
    owner = pod.object
    if not owner.is_a("apps", "StatefulSet"):
        return
    replicas = owner.spec.get("replicas", 1)
    if not isinstance(replicas, int) or replicas < _FEW or ranks(pod) or first_rank(pod):
        return
    if owner.spec.get("podManagementPolicy") == "Parallel":
        return
    server = next(
        (container for container in pod.containers if _is_ready_when_loaded(container)), None
    )
    if server is None:
        return
    path = owner.path("spec", "podManagementPolicy")
    yield RawFinding(
        path,
        f"{replicas} servers load their models one after another: each pod is created only when "
        "the previous one is ready",
        note=(
            "set `podManagementPolicy: Parallel`, and delete and recreate the StatefulSet: the "
            "field is immutable"
        ),
        fix=set_field(path, "Parallel"),
        severity="info" if replicas == _FEW else None,
        confidence="likely",
    )


def _is_ready_when_loaded(container: PodContainer) -> bool:
    server = server_of(container)
    if server is None or loads_on_request(server):
        return False
    return any(container.probe(kind) for kind in ("readiness", "startup"))
