"""A label or annotation in a place where nothing reads it."""

from collections.abc import Iterator

from gpuspec.hardware import cloud_labels, is_gpu_resource, is_label_key
from gpuspec.keys import Key, keys_named
from gpuspec.lint.analysis.placement.placing import requirements
from gpuspec.lint.analysis.reading.keys import (
    METADATA,
    MetadataPlace,
    WrittenKey,
    counts_on,
    places,
    reaches,
    written_keys,
)
from gpuspec.lint.analysis.sharing.meant import Meant, meant
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.amounts import resources
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU705",
    "misplaced-key",
    "error",
    "A label or annotation is on the wrong object, where nothing reads it",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield keys that have one place, on kinds that make pods."""
    if obj.is_a("", "PodTemplate") or obj.traits.shared:
        return
    if all(pod.metadata_path is None for pod in obj.pods) or obj.metadata.get("ownerReferences"):
        return  # the keys of a copy from a cluster are its owner's
    for pod in obj.pods:
        yield from _of_nodes(pod)
    places_here: list[MetadataPlace] = []
    for written_key in written_keys(obj):
        if written_key.place is None:
            continue
        rights = keys_named(written_key.name)
        if _is_resource(written_key, rights):
            if not any(written_key.name in resources(pod) for pod in obj.pods):
                share = meant(obj.pods[0], written_key.name, written_key.value)
                if share is not None and written_key.place.where in ("pod", "both"):
                    yield _share(written_key.path, share)
                else:
                    yield _amount(obj, written_key)
            continue
        if len(rights) != 1:
            continue
        right = rights[0]
        if not _has_home(right) or _is_home(written_key, written_key.place, right):
            continue
        places_here = places_here or places(obj)
        if _counts(obj, right, written_key.place) and not _is_elsewhere(right, places_here):
            yield _found(obj, right, written_key, written_key.place, places_here)


def _of_nodes(pod: Pod) -> Iterator[RawFinding]:
    """Yield node labels on pods, unless the pods select nodes by them too."""
    for plural, field in METADATA.items():
        for name, value in mapping(pod.metadata.get(plural)).items():
            # A plain word such as `accelerator` may be the team's own.
            if not isinstance(name, str) or "/" not in name or not _is_of_nodes(name):
                continue
            if pod.metadata_path is None or _counts_devices(name, value):
                continue
            if any(requirement.key == name for way in requirements(pod) for requirement in way):
                continue
            share = meant(pod, name, value)
            if share is not None:
                yield _share((*pod.metadata_path, plural, name), share)
                continue
            yield RawFinding(
                (*pod.metadata_path, plural, name),
                f"`{name}` is a node label: as {_a(field)} of a pod it selects no node",
                note="select nodes by their labels with `nodeSelector` or node affinity",
                key=True,
                severity="warning",
                confidence="likely",
            )


def _is_of_nodes(name: str) -> bool:
    return is_label_key(name) or name in cloud_labels()


def _share(path: Path, share: Meant) -> RawFinding:
    """Return a share of a GPU under a key of nodes, or of another system."""
    fix = None
    if share.system == "KAI":
        annotation_put = Put((*path[:-2], "annotations", share.key), share.value)
        fix = Fix(f"write `{share.key}`", (annotation_put, Drop(path, emptied=True)))
    return RawFinding(
        path,
        f"{share.system} does not read `{path[-1]}` in a pod's {path[-2]}: the pod gets no part of "
        "a GPU",
        note=share.words,
        key=True,
        fix=fix,
        severity="warning",
        confidence="likely",
    )


def _is_resource(written_key: WrittenKey, rights: tuple[Key, ...]) -> bool:
    """Return whether a key is the name of a resource, with an amount as its value."""
    if rights:
        return all(right.fields == ("resource",) for right in rights)
    return _counts_devices(written_key.name, written_key.value)


def _counts_devices(name: str, value: object) -> bool:
    return is_gpu_resource(name) and read_whole(value) is not None


def _amount(obj: Object, written_key: WrittenKey) -> RawFinding:
    """Return a finding for a resource request in metadata, where nothing reads it."""
    asking = [gpu_container for pod in obj.pods for gpu_container in pod.gpu_containers]
    fix = None
    if len(asking) == 1 and (amount := read_whole(written_key.value)) is not None:
        limit_put = Put(asking[0].path(asking[0].resources_at, "limits", written_key.name), amount)
        changes = (limit_put, Drop(written_key.path, emptied=True))
        fix = Fix("request it in the container's limits", changes)
    return RawFinding(
        written_key.path,
        f"`{written_key.name}` has no effect as {_a(written_key.field)}: it is a resource, "
        "which belongs in a container's `limits`",
        key=True,
        fix=fix,
        severity="warning",
    )


def _has_home(right: Key) -> bool:
    """Return whether there is one field in which it is read, of metadata that we see.

    Without a domain a key of the same name may be the team's own.
    """
    is_ours = "/" in right.name and right.level != "node"
    return is_ours and len(right.fields) == 1 and right.fields[0] in METADATA.values()


def _is_home(written_key: WrittenKey, place: MetadataPlace, right: Key) -> bool:
    return written_key.field in right.fields and reaches(place, right)


def _is_elsewhere(right: Key, metadata_places: list[MetadataPlace]) -> bool:
    """Return whether it is also in the right place, on the object or on any of its pods."""
    return any(
        reaches(place, right) and right.name in mapping(place.metadata.get(plural))
        for place in metadata_places
        for plural, field in METADATA.items()
        if field in right.fields
    )


def _counts(obj: Object, right: Key, place: MetadataPlace) -> bool:
    """Return whether the key has an effect for this kind at all."""
    if right.alone:
        # The pods of other kinds wait by themselves.
        return place.where != "pod" or counts_on(right, obj)
    return counts_on(right, obj)


def _found(
    obj: Object,
    right: Key,
    written_key: WrittenKey,
    place: MetadataPlace,
    metadata_places: list[MetadataPlace],
) -> RawFinding:
    kind = right.fields[0]
    targets = [
        metadata_place.path for metadata_place in metadata_places if reaches(metadata_place, right)
    ]
    if right.level == "any":
        targets = [path for path in targets if path == place.path]
    if written_key.field != kind and place.path in targets:
        article = "an" if written_key.field == "annotation" else "a"
        where = f"as {article} {written_key.field}: only the {kind} of that name counts"
    elif obj.is_a("batch", "CronJob") and right.level == "object":
        where = "on the CronJob: only the metadata of its Jobs counts (`spec.jobTemplate.metadata`)"
    elif right.level == "pod":
        where = f"on the {obj.kind} itself: only the pods' metadata counts"
    else:
        where = f"on the pods: only the {obj.kind}'s own metadata counts"
    plural = next(name for name, field in METADATA.items() if field == kind)
    value = at(obj.value, written_key.path[len(obj.base) :])
    puts = tuple(Put((*path, plural, right.name), value) for path in targets)
    refused = right.elsewhere if written_key.field == kind else None
    message = f"`{right.name}` has no effect {where}"
    return RawFinding(
        written_key.path,
        f"{message}, and {refused}" if refused else message,
        key=True,
        fix=Fix(
            f"move it to the {_home(obj, right)} {plural}",
            (*puts, Drop(written_key.path, emptied=True)),
        ),
        severity=None if refused else "warning",
    )


def _home(obj: Object, right: Key) -> str:
    """Return whose metadata a key belongs to, as a word before the field."""
    if right.level == "pod":
        return "pods'"
    if right.level == "object":
        return "Jobs'" if obj.is_a("batch", "CronJob") else f"{obj.kind}'s"
    return "same"


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "annotation" else f"a {kind}"
