"""Names, labels and annotations of the objects."""

from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.facets import MetaPlan, NodeMap
from gpuspec.plan.provenance import PREFIX, provenance
from gpuspec.plan.resolution import Resolution

COMPONENT = {
    "Training": "training",
    "FineTune": "fine-tune",
    "BatchInference": "batch-inference",
    "Inference": "inference",
}


def metadata(resolution: Resolution, templates_digest: str) -> MetaPlan:
    """Return name, namespace, labels and annotations of every object of the workload."""
    meta = resolution.workload.model.metadata
    carrier, others = provenance(resolution, templates_digest)
    decisions = {
        key: from_spec(("metadata", "annotations", key), value, "the spec's")
        for key, value in meta.annotations.items()
    }
    return MetaPlan(
        name=from_spec(("metadata", "name"), meta.name, "the workload's name"),
        namespace=from_spec(("metadata", "namespace"), meta.namespace, "the workload's namespace"),
        labels=labels(resolution),
        annotations=dict(sorted({**others, **decisions}.items())),
        workload_annotations=dict(sorted({**carrier, **decisions}.items())),
        selector=selector(resolution),
    )


def selector(resolution: Resolution) -> dict[str, Decision]:
    """Return the labels by which Services and controllers select the pods; they never change."""
    return {
        "app.kubernetes.io/name": from_spec(
            ("metadata", "name"), resolution.name, "found by this label"
        ),
        "app.kubernetes.io/component": derived(
            "labels", COMPONENT[resolution.workload.kind], "the kind of workload"
        ),
    }


def labels(resolution: Resolution, component: str | None = None) -> NodeMap:
    """Return the recommended labels, the owner, and the spec's own labels."""
    spec, meta = resolution.spec, resolution.workload.model.metadata
    all_labels: dict[str, PlanPart] = {**selector(resolution)}
    if component is not None:
        all_labels["app.kubernetes.io/component"] = derived(
            "labels", component, "the role of these pods"
        )
    if spec.part_of:
        all_labels["app.kubernetes.io/part-of"] = from_spec(
            ("spec", "partOf"), spec.part_of, "the application"
        )
    all_labels["app.kubernetes.io/managed-by"] = derived(
        "labels", "gpuspec", "rendered, not written"
    )
    if spec.owner:
        all_labels[PREFIX + "owner"] = from_spec(("spec", "owner"), spec.owner, "the owner")
    for key, value in meta.labels.items():
        all_labels[key] = from_spec(("metadata", "labels", key), value, "the spec's")
    return all_labels
