"""A name of an object that is not there, while the one that was meant is; a part that it lacks."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.enumeration import choice_of, listed
from gpuspec.kinds.references import RESOURCE
from gpuspec.lint.analysis.reading.flux import Apart, apart, is_of_flux
from gpuspec.lint.analysis.reading.kind_vocabulary import PARTS, KindVocabulary
from gpuspec.lint.analysis.reading.kustomizations import generates, is_changed
from gpuspec.lint.analysis.reading.made_secrets import makers
from gpuspec.lint.analysis.reading.missing import may_be_missing, meant
from gpuspec.lint.analysis.reading.names import KnownNames, slip
from gpuspec.lint.analysis.reading.neighbours import are_neighbours
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.manifests import Path
from gpuspec.numbers import is_digits
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, meet
from gpuspec.objects.queues import KUEUE, queue_of
from gpuspec.objects.references import Ref, references_of

RULE = Rule(
    "GPU022",
    "no-such-object",
    "error",
    "A referenced object, key or port does not exist",
    gives_way=("GPU021", "GPU711", "GPU824"),
    fix="unsafe",
)
_SECRET = ("", "Secret")
_QUEUES = (
    *("ClusterQueue", "ResourceFlavor", "Topology", "AdmissionCheck"),
    *("ProvisioningRequestConfig", "MultiKueueConfig", "MultiKueueCluster"),
)
"""Of these GPU715 knows more."""
_CLASS = ("storage.k8s.io", "StorageClass")
_PRIORITIES = (KUEUE, "WorkloadPriorityClass")
"""Nobody but who sets up the queues makes them, and all in one place."""
_THEN = {
    "ConfigMap": "the containers that need it do not start",
    "Secret": "the containers that need it do not start",
    "ServiceAccount": "the API server rejects the pods",
    "PriorityClass": "the API server rejects the pods",
    "RuntimeClass": "the API server rejects the pods",
}
"""The consequence of a missing object that a pod names, by its kind; for a claim, pods wait."""
_ELSE = {
    "Service": "requests sent there fail",
    "Gateway": "no traffic reaches the route",
    "Kustomization": "Flux applies nothing until it exists",
    "HelmRelease": "Flux installs nothing until it exists",
    "WorkloadPriorityClass": "Kueue creates no Workload, and no pod starts",
}
"""The consequence of a missing object that other objects name; by default they do not work."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield names of objects of kinds that the set has."""
    collection = context.collection
    secrets = collection.once(makers)
    kinds = collection.kinds | {_SECRET} if secrets else collection.kinds
    for ref in references_of(obj, kinds):
        if is_of_flux(ref, obj) and collection.all_named(ref.group, ref.kind, ref.name):
            if (away := apart(ref, obj, collection)) is not None:
                yield _away(ref, away, obj)
            continue
        objects = [
            namesake
            for kind in dict.fromkeys((ref.kind, *ref.others))
            for namesake in collection.all_named(ref.group, kind, ref.name, ref.namespace)
        ]
        if not objects and (ref.group, ref.kind) == _SECRET:
            objects = secrets.at(ref.name, ref.namespace)
        if objects:
            yield from _keys(ref, objects, obj, context)
        elif not (obj.group == ref.group == KUEUE and ref.kind in _QUEUES):
            target = meant(ref, obj, collection)
            if target is not None and _is_meant(ref, target):
                yield _missing(ref, target, obj)
            elif (ref.group, ref.kind) == _PRIORITIES and queue_of(obj) is not None:
                yield from _beside(ref, obj, collection)
            elif (ref.group, ref.kind) == _CLASS and not _may_exist(ref, context):
                yield from _class_of_file(ref, obj, collection)


def _is_meant(ref: Ref, obj: Object) -> bool:
    """Return whether another object is certainly meant: objects that pods wait for are mostly in
    another folder, even if similar names exist here."""
    if "dependsOn" not in ref.path:
        return True
    return obj.name == ref.name or slip(ref.name, obj.name)


def _missing(ref: Ref, target: Object, obj: Object) -> RawFinding:
    if ref.name == target.name:
        says = (
            f"{ref.kind} `{ref.name}` is in namespace `{target.namespace}`, but the reference "
            f"points to namespace `{ref.namespace}`"
        )
        fix = None
    else:
        says = f"no {ref.kind} is named `{ref.name}`, but `{target.name}` exists"
        fix = None if ref.inside else Fix(f"write `{target.name}`", (Put(ref.path, target.name),))
    return RawFinding(
        ref.path,
        f"{says}: {_then(ref, obj)}",
        note=f"create the {ref.kind} in namespace `{ref.namespace}` too, or set the same namespace for both objects"
        if ref.name == target.name
        else None,
        fix=fix,
        severity="warning",
        confidence="likely",
        related=(RelatedPlace(target.number, target.path("metadata", "name"), "this object"),),
    )


def _away(ref: Ref, away: Apart, obj: Object) -> RawFinding:
    """Return the object that Flux looks up in the namespace of the referrer, where it does not
    exist."""
    return RawFinding(
        ref.path,
        f"{ref.kind} `{ref.name}` is in namespace `{away.namespace}`, but the reference points to "
        f"namespace `{away.sought}`: {_then(ref, obj)}",
        note=f"add `namespace: {away.namespace}` next to the name",
        severity="warning",
        confidence="likely",
        related=(
            RelatedPlace(away.other.number, away.other.path("metadata", "name"), "this object"),
        ),
    )


def _beside(ref: Ref, obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield a missing object of a kind of which a set contains all or none, if it contains others."""
    existing_names = sorted({candidate.name for candidate in collection.of(ref.group, ref.kind)})
    if not may_be_missing(ref, collection) or any(map(blank_name, existing_names)):
        return
    yield RawFinding(
        ref.path,
        f"no {ref.kind} is named `{ref.name}`: {_then(ref, obj)}",
        note=f"write {choice_of(existing_names)}",
        severity="warning",
        confidence="likely",
    )


def _may_exist(ref: Ref, context: Context) -> bool:
    """Return whether a StorageClass may exist although no object of the set defines it: the profile
    or a provider has it, or it only groups volumes of the set."""
    if context.cluster is not None and ref.name in context.cluster.storage.classes:
        return True
    volumes = context.collection.of("", "PersistentVolume")
    is_of_volumes = any(volume.spec.get("storageClassName") == ref.name for volume in volumes)
    return is_of_volumes or hardware.brought_by(ref.kind, ref.name) is not None


def _class_of_file(ref: Ref, obj: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield a StorageClass that a file names and does not define, if the file defines others."""
    classes = [
        storage_class
        for storage_class in collection.of(ref.group, ref.kind)
        if storage_class.file == obj.file
    ]
    if not classes or not may_be_missing(ref, collection):
        return
    names = [storage_class.name for storage_class in classes]
    yield RawFinding(
        ref.path,
        f"this file defines {listed(f'`{name}`' for name in names)}, but no StorageClass `{ref.name}`: unless the cluster has the "
        "class, the claim and its pod stay Pending",
        note=f"write {choice_of(names)}, or define `{ref.name}`",
        severity="info",
        confidence="possible",
        related=(
            RelatedPlace(
                classes[0].number, classes[0].path("metadata", "name"), "the class of this file"
            ),
        ),
    )


def _keys(ref: Ref, objects: list[Object], obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield keys, or ports, that nothing of the name has."""
    parts = PARTS.get(objects[0].kind)
    if ref.optional or parts is None or not any(meet(namesake, obj) for namesake in objects):
        return
    if not any(are_neighbours(namesake, obj, context.collection) for namesake in objects):
        return
    existing = _existing(tuple(objects), parts, context)
    if existing is None:
        return
    existing_keys, known_names = existing
    for key, path in ref.keys:
        if parts.is_blank(key) or key in parts.words or key in known_names:
            continue
        close = None if is_digits(key) else known_names.near(key)
        yield RawFinding(
            path,
            f"{ref.kind} `{ref.name}` has no {parts.word} `{key}`: {_lacks(ref, obj)}",
            # A driver may tell of devices that are for whatever is asked.
            confidence="likely" if ref.group == RESOURCE else "certain",
            note=f"write {choice_of(existing_keys)}",
            fix=Fix(f"write `{close}`", (Put(path, close),)) if close else None,
            related=(
                RelatedPlace(objects[0].number, objects[0].path(parts.at), f"its {parts.word}s"),
            ),
        )


_ExistingParts = tuple[list[str], KnownNames] | None
_ObjectKeys = tuple[tuple[str, int, Path], ...]


def _existing(
    objects: tuple[Object, ...], parts: KindVocabulary, context: Context
) -> _ExistingParts:
    """Return the parts of some objects, the same for everyone that names them; None if one of the
    objects gets parts from elsewhere."""
    parts_by_objects = context.collection.once(_no_parts)
    key = tuple((obj.kind, obj.number, obj.base) for obj in objects)
    if key not in parts_by_objects:
        names = sorted({name for obj in objects for name in parts.of(obj)})
        is_open = any(_gets_parts(obj, parts, context) for obj in objects)
        parts_by_objects[key] = None if is_open else (names, KnownNames(names))
    return parts_by_objects[key]


def _no_parts(_: Collection) -> dict[_ObjectKeys, _ExistingParts]:
    return {}


def _gets_parts(obj: Object, parts: KindVocabulary, context: Context) -> bool:
    """Return whether an object gets entries from elsewhere; an object without any lets others write
    them."""
    existing_keys = parts.of(obj)
    return (
        not existing_keys
        or any(map(parts.is_blank, existing_keys))
        or generates(obj.name, obj.kind, context.collection)
        or is_changed(obj, context.collection)
    )


def _lacks(ref: Ref, obj: Object) -> str:
    """Return the consequence of a missing part."""
    if ref.group == RESOURCE:
        return "the container sees none of the devices that the pod holds"
    return _then(ref, obj)


def _then(ref: Ref, obj: Object) -> str:
    if not _is_in_pod(ref.path, obj):
        return _ELSE.get(ref.kind, f"the {obj.kind} does not work")
    if "imagePullSecrets" in ref.path:
        return "private images are not pulled"
    return (
        "the reference is silently ignored"
        if ref.optional
        else _THEN.get(ref.kind, "the pods stay pending")
    )


def _is_in_pod(path: Path, obj: Object) -> bool:
    return any(path[: len(pod.base)] == pod.base for pod in obj.pods)
