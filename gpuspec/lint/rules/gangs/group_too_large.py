"""A PodGroup that waits for more pods than name it."""

from collections.abc import Iterator

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import whole
from gpuspec.objects.collection import Collection, PodFacts, same_namespace
from gpuspec.objects.gangs import GROUPS
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU418",
    "group-too-large",
    "warning",
    "A PodGroup requires more pods than join it, or pods join one that does not exist",
    fix="unsafe",
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield PodGroups of Volcano and of the coscheduling plugin, and the pods of the set that name
    one."""
    for api in GROUPS:
        groups = collection.of(api, "PodGroup")
        ours = [pod for pod in collection.pods if pod.joins is not None and pod.joins[0] == api]
        for group in groups:
            yield from _short(group, [pod for pod in ours if _is_in(pod, group)])
        for pod in ours:
            near_by = [group for group in groups if same_namespace(group.namespace, pod.namespace)]
            if near_by and not any(_is_in(pod, obj) for obj in near_by):
                yield from _missing(pod, near_by)


def _is_in(pod: PodFacts, group: Object) -> bool:
    joined = pod.joins is not None and pod.joins[1] == group.name
    return joined and same_namespace(pod.namespace, group.namespace)


def _short(group: Object, pods: list[PodFacts]) -> Iterator[RawFinding]:
    least = whole(group.spec.get("minMember"))
    if least is None or any(None in (pod.count, pod.groups) for pod in pods):
        return
    total = sum((pod.count or 0) * (pod.groups or 0) for pod in pods)
    if not total or least <= total:
        return
    path = group.path("spec", "minMember")
    yield RawFinding(
        path,
        (
            f"PodGroup `{group.name}` requires {least} pods, but only {total} join it: these pods "
            "stay Pending"
        ),
        object=group.number,
        confidence="likely",
        fix=set_field(path, total),
        related=tuple(RelatedPlace(pod.object, pod.path, "joins the PodGroup") for pod in pods[:3]),
    )


def _missing(pod: PodFacts, groups: list[Object]) -> Iterator[RawFinding]:
    """Yield a slip of the pen; a group of another name may be elsewhere."""
    name = pod.joins[1] if pod.joins is not None else ""
    group_names = sorted({group.name for group in groups})
    if (close := near(name, group_names)) is not None:
        yield RawFinding(
            pod.path,
            f"`{pod.name}` joins PodGroup `{name}`, but only {names([close])} exists: its "
            "pods stay Pending",
            note=f"write {choice_of([close])}",
            object=pod.object,
            confidence="likely",
        )
