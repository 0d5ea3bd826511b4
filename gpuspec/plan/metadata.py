"""Names, labels and annotations of the objects."""

from gpuspec.plan.case import Case
from gpuspec.plan.facets import MetaPlan, NodeMap
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.provenance import PREFIX, provenance

COMPONENT = {
    "Training": "training",
    "FineTune": "fine-tune",
    "BatchInference": "batch-inference",
    "Inference": "inference",
}


def metadata(case: Case, templates_digest: str) -> MetaPlan:
    """Name, namespace, labels and annotations of every object of the workload."""
    meta = case.workload.model.metadata
    carrier, others = provenance(case, templates_digest)
    own = {
        key: from_spec(("metadata", "annotations", key), value, "the spec's")
        for key, value in meta.annotations.items()
    }
    return MetaPlan(
        name=from_spec(("metadata", "name"), meta.name, "the workload's name"),
        namespace=from_spec(("metadata", "namespace"), meta.namespace, "the workload's namespace"),
        labels=labels(case),
        annotations=dict(sorted({**others, **own}.items())),
        carrier_annotations=dict(sorted({**carrier, **own}.items())),
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
