"""Queues that name a queue, a flavor or a topology which is not there, or that admit no namespace."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Related, Rule
from gpuspec.lint.subjects.reading.names import Names
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import KUEUE, cohort, groups

RULE = Rule(
    "GPU715",
    "queue-leads-nowhere",
    "warning",
    "A queue names what is not there, or admits no namespace: what waits in it stays suspended",
)
_NAME = "kubernetes.io/metadata.name"


def check(collection: Collection, context: Context) -> Iterator[Found]:
    """References between the objects of a set that has both sides."""
    known = {queue.name for queue in context.queues}
    for queue in collection.of(KUEUE, "LocalQueue"):
        target = text(queue.spec.get("clusterQueue"))
        path = queue.path("spec", "clusterQueue")
        if target in known:
            continue
        found = collection.named(KUEUE, "ClusterQueue", target)
        if found is not None:
            yield from _selects(found, queue)
        elif target:
            what = f"LocalQueue `{queue.name}` leads to ClusterQueue `{target}`"
            yield from _missing(queue, path, what, "ClusterQueue", target, collection)
    for queue in collection.of(KUEUE, "ClusterQueue"):
        # Pools of a profile are the flavors of its queues.
        for _, _, flavors in groups(queue):
            for place, flavor in flavors:
                name = text(flavor.get("name"))
                what = f"ClusterQueue `{queue.name}` has quota of flavor `{name}`"
                yield from _missing(
                    queue, (*place, "name"), what, "ResourceFlavor", name, collection
                )
        if queue.spec.get("namespaceSelector") is None and _is_meant(queue, collection):
            yield Found(
                queue.path("spec", "namespaceSelector"),
                f"ClusterQueue `{queue.name}` has no `namespaceSelector`, and so selects no "
                "namespace: it admits nothing",
                note="`{}` selects all of them",
                object=queue.number,
            )
    for one in collection.of(KUEUE, "ResourceFlavor"):
        name = text(one.spec.get("topologyName"))
        what = f"flavor `{one.name}` is of topology `{name}`"
        path = one.path("spec", "topologyName")
        yield from _missing(one, path, what, "Topology", name, collection)


def _is_meant(queue: Object, collection: Collection) -> bool:
    """Whether it is there to admit: one without LocalQueues may only lend to its cohort."""
    return not cohort(queue) or queue.name in collection.once(_led_to)


def _led_to(collection: Collection) -> set[str]:
    """The ClusterQueues that LocalQueues lead to."""
    return {text(one.spec.get("clusterQueue")) for one in collection.of(KUEUE, "LocalQueue")}


def _names(collection: Collection) -> dict[str, Names]:
    """What of Kueue is called what, by its kind."""
    kinds = ("ClusterQueue", "ResourceFlavor", "Topology")
    return {kind: Names(one.name for one in collection.of(KUEUE, kind)) for kind in kinds}


def _missing(
    one: Object, path: Path, what: str, kind: str, name: str, collection: Collection
) -> Iterator[Found]:
    there = collection.once(_names)[kind]
    if not name or not collection.of(KUEUE, kind) or name in there:
        # Where none of the kind is here, they are somewhere else.
        return
    close = there.near(name)
    did = f"; did you mean `{close}`?" if close else ""
    yield Found(
        path,
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
