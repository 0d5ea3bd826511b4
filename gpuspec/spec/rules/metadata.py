"""Rules for labels, annotations, and fields that become labels."""

from collections.abc import Iterator, Mapping

from gpuspec.manifests import Path, label_key, label_value
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.metadata import Labels, Metadata
from gpuspec.spec.mpi import MpiLauncher
from gpuspec.spec.quoting import shown
from gpuspec.spec.roles import Role
from gpuspec.spec.rules.violation import SpecViolation

OWN_PREFIX = "gpuspec.dev/"
_SELECTS = "Services and controllers select the pods by it"
OWN_LABELS = {
    "app.kubernetes.io/name": _SELECTS,
    "app.kubernetes.io/component": _SELECTS,
    "app.kubernetes.io/managed-by": "it marks gpuspec's objects",
    "app.kubernetes.io/part-of": "write `spec.partOf`",
    "kueue.x-k8s.io/queue-name": "write `spec.queue`",
    "pod-template-hash": "the Deployment controller sets it",
    "controller-uid": "the Job controller sets it",
    "job-name": "the Job controller sets it",
}
_TOPOLOGY = "write `spec.topology`"
_POD_ANNOTATIONS = {
    "kueue.x-k8s.io/podset-required-topology": _TOPOLOGY,
    "kueue.x-k8s.io/podset-preferred-topology": _TOPOLOGY,
}
_OBJECTS = ("labels", "annotations")
_PODS = ("podLabels", "podAnnotations")
_CONTROLLERS = ("batch.kubernetes.io/", "apps.kubernetes.io/")
# What the API server takes of all annotations of an object together.
ANNOTATIONS_LIMIT = 256 * 1024


def problems(metadata: Metadata, spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a workload's metadata."""
    yield from _not_ours(metadata.labels, metadata.annotations, ("metadata",), _OBJECTS)
    yield from of_pods(spec, ("spec",))
    for field, value in (("owner", spec.owner), ("partOf", spec.part_of)):
        if value is not None and (reason := label_value(value)):
            yield SpecViolation(
                f"{shown(value)} becomes a label value, which {reason}", ("spec", field)
            )


def of_pods(owner: WorkloadSpec | Role | MpiLauncher, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the labels and annotations of pods."""
    yield from _not_ours(owner.pod_labels, owner.pod_annotations, path, _PODS)
    for key in owner.pod_annotations:
        if instead := _POD_ANNOTATIONS.get(key):
            message = f"annotation {shown(key)} is set by gpuspec"
            yield SpecViolation(message, (*path, _PODS[1], key), instead, key=True)


def _not_ours(
    label_values: Labels, notes: Labels, path: Path, fields: tuple[str, str]
) -> Iterator[SpecViolation]:
    """Yield violations of the rules for labels and annotations; `fields`: their field names at the
    path."""
    where = (*path, fields[0])
    yield from labels(label_values, where)
    for key in label_values:
        if reason := _owner(key):
            yield SpecViolation(
                f"label {shown(key)} is set by gpuspec", (*where, key), reason, key=True
            )
    where = (*path, fields[1])
    yield from annotations(notes, where)
    for key in notes:
        if key.startswith(OWN_PREFIX):
            message = f"annotation {shown(key)} is reserved for gpuspec"
            hint = "use another prefix: gpuspec keeps provenance and waivers there"
            yield SpecViolation(message, (*where, key), hint, key=True)


def labels(label_values: Labels, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for label keys and values."""
    for key, value in label_values.items():
        if reason := label_key(key):
            yield SpecViolation(f"label {shown(key)}: {reason}", (*path, key), key=True)
        if reason := label_value(value):
            yield SpecViolation(
                f"{shown(value)}, the value of label {shown(key)}: {reason}", (*path, key)
            )


def annotations(annotation_values: Mapping[str, str], path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for annotation keys and their total size."""
    for key in annotation_values:
        if reason := label_key(key):
            yield SpecViolation(f"annotation {shown(key)}: {reason}", (*path, key), key=True)
    size = sum(len(key.encode()) + len(value.encode()) for key, value in annotation_values.items())
    if size > ANNOTATIONS_LIMIT:
        message = f"annotations of {size} bytes; the maximum is {ANNOTATIONS_LIMIT}"
        yield SpecViolation(message, path)


def _owner(key: str) -> str | None:
    if key.startswith(OWN_PREFIX):
        return "labels under gpuspec.dev/ are reserved; set the owner by `spec.owner`"
    if key.startswith(_CONTROLLERS):
        return "Kubernetes' controllers set it"
    return OWN_LABELS.get(key)
