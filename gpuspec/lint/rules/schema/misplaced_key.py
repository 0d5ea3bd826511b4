"""A label or annotation in a place where nothing looks for it."""

from collections.abc import Iterator
from typing import Any

from gpuspec.kinds.owned import QUEUE
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Found, Put, Rule
from gpuspec.lint.subjects.reading.keys import FIELDS, Home, has_home, home
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import labels_at

RULE = Rule(
    "GPU705",
    "misplaced-key",
    "warning",
    "A label or annotation for queues, gangs or autoscalers lies where nothing reads it",
    fix="unsafe",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """Keys that have one place, on kinds that make pods."""
    pods = [pod for pod in one.pods if pod.metadata_path is not None]
    if not pods or one.is_a("", "PodTemplate") or one.traits.shared:
        return
    own = labels_at(one)[:-1]
    made = mapping(at(one.value, own))
    if not any(map(has_home, (made, one.metadata, *(pod.metadata for pod in pods)))):
        return
    places: list[tuple[str, Path, dict[str, Any]]]
    if one.is_a("", "Pod"):
        # It is the object and the pod.
        places = [("any", ("metadata",), one.metadata)]
    else:
        places = [("object", own, made)]
        if own != ("metadata",):
            places.append(("outside", ("metadata",), one.metadata))
        start = len(one.base)
        for pod in pods:
            inside = (pod.metadata_path or ())[start:]
            places.append(("pod", inside, pod.metadata))
    for level, path, metadata in places:
        for field in FIELDS:
            for key in mapping(metadata.get(field)):
                right = home(key) if isinstance(key, str) else None
                if right is None or (field == right.field and _reaches(level, right)):
                    continue
                if not _is_elsewhere(right, key, places) and _counts(one, key, level):
                    yield _found(one, right, (*path, field, key), field, places)


def _reaches(level: str, right: Home) -> bool:
    """Whether a place's level is one where the key is read."""
    return level != "outside" and ("any" in (level, right.level) or level == right.level)


def _is_elsewhere(right: Home, key: str, places: list[tuple[str, Path, dict[str, Any]]]) -> bool:
    """Whether it lies in its place as well, on the object or on any of its pods."""
    return any(
        _reaches(level, right) and key in mapping(metadata.get(right.field))
        for level, _, metadata in places
    )


def _counts(one: Object, key: str, level: str) -> bool:
    """Whether the key has an effect for this kind at all."""
    if key == QUEUE and level == "pod":
        # Pods of other kinds wait in queues by themselves.
        return one.traits.queueing is not None
    if key.startswith("ray.io/"):
        return one.group == "ray.io"
    if key.startswith("kueue.x-k8s.io/podset-"):
        return one.traits.queueing is not None or one.group == "leaderworkerset.x-k8s.io"
    if key.startswith("leaderworkerset."):
        return one.group == "leaderworkerset.x-k8s.io"
    return True


def _found(
    one: Object,
    right: Home,
    inside: Path,
    field: str,
    places: list[tuple[str, Path, dict[str, Any]]],
) -> Found:
    key = inside[-1]
    targets = [path for level, path, _ in places if _reaches(level, right)]
    if right.level == "any":
        targets = [path for path in targets if path == inside[:-2]]
    kind = right.field[:-1]
    if field != right.field and inside[:-2] in targets:
        where = f"as {'an' if field == 'annotations' else 'a'} {field[:-1]}: only the {kind} of that name is read"
    elif one.is_a("batch", "CronJob") and right.level == "object":
        where = "here: only that of the Jobs that are made counts (`spec.jobTemplate.metadata`)"
    elif right.level == "pod":
        where = f"on the {one.kind} itself: it is read from the metadata of pods"
    else:
        where = f"on the pods: it is read from the {one.kind}'s own metadata"
    value = at(one.value, inside)
    puts = tuple(Put(one.path(*path, right.field, key), value) for path in targets)
    return Found(
        one.path(*inside),
        f"`{key}` has no effect {where}",
        key=True,
        fix=Fix(f"make it {kind} where it is read", (*puts, Drop(one.path(*inside), emptied=True))),
    )
