"""Queues that name a queue, a flavor or a topology which is not there, or that admit no namespace."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.lint.subjects.reading.names import Names
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, cohort
from gpuspec.objects.references import Ref, references_of

RULE = Rule(
    "GPU715",
    "queue-leads-nowhere",
    "warning",
    "A queue names what is not there, or admits no namespace: what waits in it stays suspended",
)
_NAME = "kubernetes.io/metadata.name"


_WHAT = {
    ("LocalQueue", "ClusterQueue"): "LocalQueue `{}` leads to ClusterQueue `{}`",
    ("ClusterQueue", "ResourceFlavor"): "ClusterQueue `{}` has quota of flavor `{}`",
    ("Cohort", "ResourceFlavor"): "Cohort `{}` has quota of flavor `{}`",
    ("ResourceFlavor", "Topology"): "flavor `{}` is of topology `{}`",
}
"""What it says that one of Kueue's kinds names another, which nobody makes up."""


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """References between the objects of a set that has both sides."""
    # Pools of a profile are the flavors of its queues.
    known = {queue.name for queue in context.queues}
    for kind in dict.fromkeys(kind for kind, _ in _WHAT):
        for one in collection.of(KUEUE, kind):
            for ref in references_of(one, collection.kinds):
                is_known = ref.kind == "ClusterQueue" and ref.name in known
                if (what := _WHAT.get((kind, ref.kind))) and not is_known:
                    yield from _leads(one, ref, what.format(one.name, ref.name), collection)
    for queue in collection.of(KUEUE, "ClusterQueue"):
        if queue.spec.get("namespaceSelector") is None and _is_meant(queue, collection):
            yield Found(
                queue.path("spec", "namespaceSelector"),
                f"ClusterQueue `{queue.name}` has no `namespaceSelector`, and so selects no "
                "namespace: it admits nothing",
                note="`{}` selects all of them",
                object=queue.number,
            )


def _is_meant(queue: Object, collection: Collection) -> bool:
    """Whether it is there to admit: one without LocalQueues may only lend to its cohort."""
    return not cohort(queue) or queue.name in collection.once(_led_to)


def _led_to(collection: Collection) -> set[str]:
    """The ClusterQueues that LocalQueues lead to."""
    return {text(one.spec.get("clusterQueue")) for one in collection.of(KUEUE, "LocalQueue")}


def _names(collection: Collection) -> dict[str, Names]:
    """What of Kueue is called what, by its kind."""
    kinds = {kind for _, kind in _WHAT}
    return {kind: Names(one.name for one in collection.of(KUEUE, kind)) for kind in kinds}


def _leads(one: Object, ref: Ref, what: str, collection: Collection) -> Iterator[Found]:
    there = collection.named(KUEUE, ref.kind, ref.name)
    if there is not None:
        if ref.kind == "ClusterQueue":
            yield from _selects(there, one)
        return
    close = collection.once(_names)[ref.kind].near(ref.name)
    did = f"; did you mean `{close}`?" if close else ""
    yield Found(
        ref.path,
        f"{what}, which is not among those here: what waits for it stays suspended{did}",
        object=one.number,
        confidence="likely",
    )


def _selects(queue: Object, local: Object) -> Iterator[Found]:
    """A selector by the name of namespaces, and a LocalQueue in another one."""
    wanted = mapping(mapping(queue.spec.get("namespaceSelector")).get("matchLabels")).get(_NAME)
    if isinstance(wanted, str) and local.namespace and wanted != local.namespace:
        yield Found(
            local.path("spec", "clusterQueue"),
            f"ClusterQueue `{queue.name}` selects namespace `{wanted}`, and LocalQueue `{local.name}` "
            f"is in `{local.namespace}`: what waits in it is never admitted",
            object=local.number,
            related=(
                Related(queue.number, queue.path("spec", "namespaceSelector"), "its selector"),
            ),
        )
