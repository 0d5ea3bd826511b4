"""A kind that Kueue does not manage, with a queue's label that then has no effect."""

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.lint.analysis.reading.releases import installed_version
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KueueConfiguration, configuration, framework_of, queue_of
from gpuspec.settings.versions import allows

RULE = Rule(
    "GPU719",
    "not-managed",
    "warning",
    "The queue label has no effect: Kueue does not manage this kind",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield kinds that Kueue never manages; those that its configuration leaves out, or would."""
    label = queue_of(obj)
    if label is None:
        return
    if obj.group == "batch.volcano.sh":
        yield RawFinding(
            label.path,
            f"Kueue has no integration for {an(obj.kind)} of Volcano: the label has no effect, "
            "and the pods start without quota",
            note="name a queue of Volcano in `spec.queue`",
        )
        return
    for field in obj.traits.together:
        yield RawFinding(
            label.path,
            f"Kueue has no integration for {an(obj.kind)}: the label has no effect, and the pods "
            "start without quota",
            note=f"set `{field}`, from which the controller creates the PodGroup of a gang scheduler",
        )
        return
    ours = configuration(context.collection)
    queueing = obj.traits.queueing
    if ours is not None:
        name = framework_of(obj)
        if name and name not in ours.frameworks and not _is_external(obj, ours):
            yield RawFinding(
                label.path,
                f"Kueue's configuration does not list `{name}`: the label has no effect, and the "
                "pods start one by one, without quota",
                note=f"add `{name}` to `integrations.frameworks` of Kueue's configuration",
            )
    elif queueing is not None and queueing.off_as and _is_new(context):
        yield RawFinding(
            label.path,
            f"Kueue manages {an(obj.kind)} only if its configuration lists `{queueing.off_as}`, "
            "which is off by default: otherwise the label has no effect",
            note=f"add `{queueing.off_as}` to `integrations.frameworks` of Kueue's configuration",
            severity="info",
            confidence="possible",
        )


def _is_external(obj: Object, ours: KueueConfiguration) -> bool:
    return any(
        framework.startswith(f"{obj.kind}.") and framework.endswith(f".{obj.group}")
        for framework in ours.external
    )


def _is_new(context: Context) -> bool:
    """Return whether the profile has a Kueue that comes without them."""
    version = installed_version("kueue", context)
    return version is not None and allows(">=0.19", version)
