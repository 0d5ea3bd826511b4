"""Training that nothing is left of when its node goes."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.placement.interruption import spot_of, trains, uses_store
from gpuspec.lint.subjects.security.users import keeps_data
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU908",
    "no-checkpoint-volume",
    "warning",
    "Training on spot nodes has no place for checkpoints",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Training on spot nodes without a volume that outlives the pod, or a store that is named."""
    if pod.life != "finite" or not is_whole(pod):
        return
    spot = spot_of(pod, context)
    if spot is None:
        return
    for one in pod.gpu_containers:
        if not trains(pod, one) or keeps_data(pod, one) or uses_store(one):
            continue
        if one.value.get("envFrom"):
            continue
        yield Found(
            spot.path or one.path("volumeMounts"),
            f"a spot node can go {spot.notice} seconds after it says so, and nothing that outlives the "
            "pod is mounted: training starts again from step 0, and the GPU hours are lost",
            note=f"{spot.evidence}; mount a claim and save checkpoints to it, and go on from the "
            "last one",
            confidence="likely",
        )
        return
