"""A run that is deleted in the moment when it ends."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU844",
    "gone-when-ended",
    "warning",
    "A run is deleted the moment it ends, with its logs and exit reason",
    gives_way=("GPU726",),
    fix="unsafe",
)
_DAY = 86400
_HELM = "helm.sh/hook"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield finite objects with GPUs whose time to live is nothing at all."""
    inside = obj.traits.ttl
    # Helm waits for a hook by itself, and reads its end before the object is gone.
    if not inside or _HELM in obj.annotations or not any(pod.has_gpu for pod in obj.pods):
        return
    seconds = at(obj.value, inside)
    if seconds != 0 or isinstance(seconds, bool):
        return
    path = obj.path(*inside)
    yield RawFinding(
        path,
        f"the {obj.kind} and its pods are deleted as soon as the run ends: the logs and the exit "
        "reason of a failed run are lost, and `kubectl wait` may find nothing",
        note=(
            "set `ttlSecondsAfterFinished: 86400` (a day): the logs stay, and ended pods hold no "
            "GPUs"
        ),
        fix=set_field(path, _DAY),
    )
