"""A label that the organisation's contracts require."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU616",
    "label-against-contract",
    "error",
    "A label that the profile requires is missing",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects with pods, against the profile's contracts: all that is missing in one
    finding."""
    if context.cluster is None or not obj.has_pods:
        return
    required = context.cluster.contracts.required_labels
    missing = [label for label in required if obj.labels.get(label) in (None, "")]
    if missing:
        label_list = ", ".join(f"`{label}`" for label in missing)
        yield RawFinding(
            obj.path("metadata", "labels", *missing[:1]),
            f"this {obj.kind} lacks the label{'s' * (len(missing) > 1)} {label_list}, which the "
            "profile's `contracts` require: reports of costs and failures cannot name its owner",
            note=f"add the label{'s' * (len(missing) > 1)} to `metadata.labels`",
            key=True,
        )
