"""Queues that name missing objects, that are stopped, or that admit no namespace."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.reading.names import KnownNames
from gpuspec.lint.analysis.reading.neighbours import are_neighbours
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, cohort
from gpuspec.objects.references import Ref, references_of

RULE = Rule(
    "GPU715",
    "queue-leads-nowhere",
    "warning",
    "A queue's workloads stay suspended: the queue is stopped, incomplete or admits no namespace",
)
_NAME = "kubernetes.io/metadata.name"


_WHAT = {
    ("LocalQueue", "ClusterQueue"): "LocalQueue `{}` leads to ClusterQueue `{}`",
    ("ClusterQueue", "ResourceFlavor"): "ClusterQueue `{}` has quota of flavor `{}`",
    ("Cohort", "ResourceFlavor"): "Cohort `{}` has quota of flavor `{}`",
    ("ResourceFlavor", "Topology"): "flavor `{}` is of topology `{}`",
    ("ClusterQueue", "AdmissionCheck"): "ClusterQueue `{}` requires AdmissionCheck `{}`",
    (
        "AdmissionCheck",
        "ProvisioningRequestConfig",
    ): "AdmissionCheck `{}` uses ProvisioningRequestConfig `{}`",
    ("AdmissionCheck", "MultiKueueConfig"): "AdmissionCheck `{}` uses MultiKueueConfig `{}`",
    ("MultiKueueConfig", "MultiKueueCluster"): "MultiKueueConfig `{}` has cluster `{}`",
}
"""References between Kueue's kinds, whose targets are not created automatically."""


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield references between the objects of a set that has both sides."""
    # Pools of a profile are the flavors of its queues.
    clusters = {queue.cluster for queue in context.queues}
    for kind in dict.fromkeys(kind for kind, _ in _WHAT):
        for obj in collection.of(KUEUE, kind):
            for ref in references_of(obj, collection.kinds):
                is_known = ref.kind == "ClusterQueue" and ref.name in clusters
                if (fault := _WHAT.get((kind, ref.kind))) and not is_known:
                    yield from _leads(obj, ref, fault.format(obj.name, ref.name), collection)
    for queue in collection.of(KUEUE, "ClusterQueue"):
        if queue.spec.get("namespaceSelector") is None and _is_meant(queue, collection):
            yield RawFinding(
                queue.path("spec", "namespaceSelector"),
                f"ClusterQueue `{queue.name}` has no `namespaceSelector`, so it selects no "
                "namespace and admits nothing",
                note="write `namespaceSelector: {}` to select all namespaces",
                object=queue.number,
            )
    for kind in ("ClusterQueue", "LocalQueue"):
        for queue in collection.of(KUEUE, kind):
            yield from _stopped(queue)


def _stopped(queue: Object) -> Iterator[RawFinding]:
    policy = text(queue.spec.get("stopPolicy"))
    if policy in _STOPPED:
        yield RawFinding(
            queue.path("spec", "stopPolicy"),
            f"{queue.kind} `{queue.name}` is stopped: it admits nothing{_STOPPED[policy]}",
            note="remove `stopPolicy`, or set it to `None`, to admit workloads again",
            object=queue.number,
            confidence="likely",
        )


_STOPPED = {"Hold": "", "HoldAndDrain": ", and evicts the workloads that it has admitted"}


def _is_meant(queue: Object, collection: Collection) -> bool:
    """Return whether it is there to admit: one without LocalQueues may only lend to its cohort."""
    return not cohort(queue) or queue.name in collection.once(_led_to)


def _led_to(collection: Collection) -> set[str]:
    """Return the ClusterQueues that LocalQueues lead to."""
    return {text(obj.spec.get("clusterQueue")) for obj in collection.of(KUEUE, "LocalQueue")}


def _names(collection: Collection) -> dict[str, KnownNames]:
    """Return the names of Kueue's objects, by kind."""
    kinds = {kind for _, kind in _WHAT}
    return {kind: KnownNames(obj.name for obj in collection.of(KUEUE, kind)) for kind in kinds}


def _leads(obj: Object, ref: Ref, fault: str, collection: Collection) -> Iterator[RawFinding]:
    queue = collection.named(KUEUE, ref.kind, ref.name)
    if queue is not None:
        if ref.kind == "ClusterQueue":
            yield from _selects(queue, obj, collection)
        return
    if not any(
        are_neighbours(target, obj, collection) for target in collection.of(KUEUE, ref.kind)
    ):
        return  # another folder's objects are of another setup
    close = collection.once(_names)[ref.kind].near(ref.name)
    did = f"; did you mean `{close}`?" if close else ""
    yield RawFinding(
        ref.path,
        f"{fault}, which these files lack: workloads that need it stay suspended{did}",
        note=f"create the {ref.kind}, or write the name of an existing one",
        object=obj.number,
        confidence="likely",
    )


def _selects(queue: Object, local: Object, collection: Collection) -> Iterator[RawFinding]:
    """Yield a selector that a LocalQueue's namespace does not meet: its name, or labels that the
    set tells."""
    from gpuspec.fleet.scheduler.selectors import label_selector

    namespace_selector = queue.spec.get("namespaceSelector")
    if not local.namespace or not isinstance(namespace_selector, dict):
        return
    obj = collection.named("", "Namespace", local.namespace)
    labels = {} if obj is None else {str(key): str(value) for key, value in obj.labels.items()}
    labels[_NAME] = local.namespace
    conditions = label_selector(namespace_selector).conditions
    requirements = [
        condition for condition in conditions if obj is not None or condition.key == _NAME
    ]
    failed = next(
        (requirement for requirement in requirements if not requirement.met(labels)), None
    )
    if failed is None:
        return
    namespace_names = names(sorted(failed.values))
    selection = (
        f"namespace {namespace_names}"
        if failed.key == _NAME and failed.operator == "In"
        else (f"namespaces by `{failed.key}`")
    )
    yield RawFinding(
        local.path("spec", "clusterQueue"),
        f"ClusterQueue `{queue.name}` selects {selection}, but LocalQueue `{local.name}` is in "
        f"`{local.namespace}`: Kueue never admits its workloads",
        note=f"select namespace `{local.namespace}` in `namespaceSelector`",
        object=local.number,
        related=(
            RelatedPlace(queue.number, queue.path("spec", "namespaceSelector"), "its selector"),
        ),
    )
