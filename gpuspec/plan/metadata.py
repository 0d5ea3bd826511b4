"""Names, labels and annotations of the objects, provenance among them.

What an object came from stands on the object's own metadata, never in a pod template: there it
would restart pods, or break a Job, whose template is immutable.
"""

import json

from gpuspec.manifests.digests import sha256
from gpuspec.plan.case import Case
from gpuspec.plan.facets import MetaPlan, NodeMap
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.sharing import waiver
from gpuspec.spec import ModelRef
from gpuspec.version import __version__

PREFIX = "gpuspec.dev/"
COMPONENT = {
    "Training": "training",
    "FineTune": "fine-tune",
    "BatchInference": "batch-inference",
    "Inference": "inference",
}


def metadata(case: Case, templates_digest: str) -> MetaPlan:
    """Name, namespace, labels and annotations of every object of the workload."""
    meta = case.workload.model.metadata
    return MetaPlan(
        name=from_spec(("metadata", "name"), meta.name, "the workload's name"),
        namespace=from_spec(("metadata", "namespace"), meta.namespace, "the workload's namespace"),
        labels=labels(case),
        annotations=_annotations(case, templates_digest),
        selector=selector(case),
    )


def selector(case: Case) -> dict[str, Leaf]:
    """Labels by which Services and controllers find the pods; they never change."""
    return {
        "app.kubernetes.io/name": from_spec(("metadata", "name"), case.name, "found by this label"),
        "app.kubernetes.io/component": derived(
            "labels", COMPONENT[case.workload.kind], "the kind of workload"
        ),
    }


def labels(case: Case, component: str | None = None) -> NodeMap:
    """Recommended labels, the owner, and the spec's own."""
    spec, meta = case.spec, case.workload.model.metadata
    made: dict[str, Node] = {**selector(case)}
    if component is not None:
        made["app.kubernetes.io/component"] = derived("labels", component, "what these pods are")
    if spec.part_of:
        made["app.kubernetes.io/part-of"] = from_spec(
            ("spec", "partOf"), spec.part_of, "the application"
        )
    made["app.kubernetes.io/managed-by"] = derived("labels", "gpuspec", "rendered, not written")
    if spec.owner:
        made[PREFIX + "owner"] = from_spec(("spec", "owner"), spec.owner, "who answers for it")
    for key, value in meta.labels.items():
        made[key] = from_spec(("metadata", "labels", key), value, "the spec's")
    return made


def digest(value: object) -> str:
    """A digest of plain data that does not depend on the order of keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + sha256(text.encode())


def _annotations(case: Case, templates_digest: str) -> NodeMap:
    def stamp(value: str, reason: str) -> Leaf:
        return derived("provenance", value, reason)

    profile = case.profile
    made: dict[str, Node] = {
        PREFIX + "version": stamp(__version__, "the version of gpuspec that rendered it"),
        PREFIX + "spec-digest": stamp(
            digest(case.workload.document.value), "digest of the spec it was rendered from"
        ),
        PREFIX + "profile": stamp(profile.name, "the cluster profile it was rendered for"),
        PREFIX + "templates-digest": stamp(templates_digest, "digest of the templates"),
        PREFIX + "image": from_spec(("spec", "image"), case.spec.image, "the image"),
    }
    if profile.document is not None:
        made[PREFIX + "profile-digest"] = stamp(
            digest(profile.document.value), "digest of the cluster profile"
        )
    if case.model is not None:
        path, model = case.model
        made |= _model(path[-1], model)
    for field in ("dataset", "input"):
        artifact = getattr(case.spec, field, None)
        if artifact is not None:
            made[PREFIX + field] = from_spec(("spec", field), artifact.whole, "the data")
    expected = getattr(getattr(case.spec, "duration", None), "expected", None)
    if expected is not None:
        path = ("spec", "duration", "expected")
        made[PREFIX + "expected-duration"] = from_spec(path, str(expected), "how long it runs")
    if waived := waiver(case):
        made[PREFIX + "waiver-time-slicing"] = waived
    for key, value in case.workload.model.metadata.annotations.items():
        made[key] = from_spec(("metadata", "annotations", key), value, "the spec's")
    return dict(sorted(made.items()))


def _model(field: str | int, model: ModelRef) -> dict[str, Node]:
    made: dict[str, Node] = {
        PREFIX + "model": from_spec(("spec", field, "id"), model.id, "the model")
    }
    if model.revision:
        path = ("spec", field, "revision")
        made[PREFIX + "model-revision"] = from_spec(path, model.revision, "its revision")
    return made
