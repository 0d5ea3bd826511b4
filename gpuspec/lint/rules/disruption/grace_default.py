"""A grace period that does not fit the notice of spot nodes."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.interruption import spot_of, trains
from gpuspec.lint.analysis.security.users import keeps_data
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU909",
    "grace-below-notice",
    "warning",
    "Training on spot nodes is killed before the reclaim notice ends",
    fix="unsafe",
)
_FIELD = "terminationGracePeriodSeconds"
_DEFAULT = 30


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield training with a place for checkpoints, on nodes with a known notice."""
    if _FIELD in pod.spec:
        # Whoever wrote it knew how long a checkpoint takes.
        return
    if not is_whole(pod):
        return
    spot = spot_of(pod, context)
    if spot is None or spot.notice <= _DEFAULT:
        return
    if not any(
        trains(pod, gpu_container) and keeps_data(pod, gpu_container)
        for gpu_container in pod.gpu_containers
    ):
        return
    path = pod.path(_FIELD)
    yield RawFinding(
        path,
        f"without `{_FIELD}` the process is killed {_DEFAULT} seconds after SIGTERM, although "
        f"its spot node stays for {spot.notice} seconds: a checkpoint that takes longer to write "
        "is lost",
        note=f"set `{_FIELD}: {spot.notice}`{spot.reason}",
        related=spot.related(pod),
        fix=set_field(path, spot.notice),
        confidence="likely",
    )
