"""Two autoscalers that move the same number."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of

RULE = Rule(
    "GPU812",
    "two-autoscalers",
    "error",
    "Two autoscalers scale the same object",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield objects that more than one autoscaler names as its target."""
    owner = pod.object
    scaler_groups = ("autoscaling", "keda.sh")
    # Files with one name are versions of one autoscaler, of which a cluster has the last.
    moved = list(
        {
            (scaler.object.kind, scaler.object.namespace, scaler.object.name): scaler
            for scaler in scalers_of(owner, context.collection)
            if scaler.object.group in scaler_groups
        }.values()
    )
    if len(moved) < 2 or not is_first(pod):
        return
    first, second = moved[0], moved[1]
    if first.object.namespace != second.object.namespace:
        # One of them leaves it open: they may be of two clusters, or of two overlays.
        return
    keda = first.keda or second.keda
    end = (
        "KEDA rejects the ScaledObject"
        if keda
        else "Kubernetes treats them as ambiguous, and neither scales"
    )
    yield RawFinding(
        second.path("scaleTargetRef"),
        f"{second} and {first} both scale {owner.kind} `{owner.name}`: {end}",
        note="remove one of the two autoscalers",
        severity="error" if keda else "warning",
        object=second.object.number,
        related=(
            RelatedPlace(first.object.number, first.path("scaleTargetRef"), "the other autoscaler"),
        ),
    )
