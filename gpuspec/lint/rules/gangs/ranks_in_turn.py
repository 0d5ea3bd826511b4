"""A StatefulSet that starts its ranks one after the other, where the first waits for all."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.gangs.first_rank import first_rank
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU745",
    "ranks-in-turn",
    "error",
    "A StatefulSet starts the next rank when the one before is ready, which it is with all of them",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """StatefulSets of several pods that name their first one, and wait for it to be ready."""
    owner, found = pod.object, first_rank(pod)
    replicas = owner.spec.get("replicas", 1)
    if found is None or owner.spec.get("podManagementPolicy") == "Parallel":
        return
    probe = next((k for k in ("readiness", "startup") if found.container.probe(k)), None)
    if probe is None or not isinstance(replicas, int) or replicas < 2:
        return
    at = owner.path("spec", "podManagementPolicy")
    yield Found(
        at,
        f"`{owner.name}-1` is made when `{found.host}` is ready, and its `{probe}Probe` waits for "
        f"all {replicas} ranks: the others are never made",
        note="`podManagementPolicy` cannot be changed later: the StatefulSet is made anew",
        fix=Fix("make all at once", (Put(at, "Parallel"),)),
    )
