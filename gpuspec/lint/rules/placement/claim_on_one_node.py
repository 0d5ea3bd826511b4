"""A volume that one node can mount, for pods that are on several."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.analysis.placement.zonal_disks import makes_disks
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU208",
    "claim-on-one-node",
    "warning",
    "A volume that only one node can mount is used by pods on several nodes",
)

# GPUs of the largest usual node, where no profile says.
_USUAL = 8
_HOST = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_ONE_POD = "ReadWriteOncePod"


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield ReadWriteOnce claims of the set with more than one GPU pod at a time."""
    users = NamespacedIndex(
        (name, pod.namespace, pod) for pod in collection.pods for name in dict.fromkeys(pod.claims)
    )
    for claim in collection.of("", "PersistentVolumeClaim"):
        modes = _modes(claim)
        mounting = users.at(claim.name, claim.namespace)
        if not modes or not mounting or modes - {"ReadWriteOnce", "ReadWriteOncePod"}:
            continue
        finding = _of_one(claim, mounting, context) or _of_several(claim, mounting)
        if finding is not None:
            yield finding


def _of_one(claim: Object, mounting: list[PodFacts], context: Context) -> RawFinding | None:
    """Return one workload whose pods do not fit one node."""
    pools = context.cluster.pools if context.cluster else ()
    most = max((pool.gpu.count for pool in pools), default=_USUAL)
    for pod in mounting:
        number = (pod.count or 1) * (pod.groups or 1)
        if number < 2 or not pod.gpus:
            continue
        if _ONE_POD in _modes(claim):
            return _found(claim, [pod], f"but {_name(pod)} has {number}")
        if number * pod.gpus > most and not pod.is_share:
            message = (
                f"but the {number} pods of {_name(pod)} request "
                f"{number * pod.gpus} GPUs, more than a node has: the pods on other nodes stay in "
                "`ContainerCreating`"
            )
            return _found(claim, [pod], message)
        if _may_be_on_several(pod, context) and _is_attached_to_one(claim, context.collection):
            message = (
                f"but nothing keeps the {number} pods of {_name(pod)} "
                "on one node: the pods on other nodes stay in `ContainerCreating`"
            )
            return _found(claim, [pod], message)
    return None


def _may_be_on_several(pod: PodFacts, context: Context) -> bool:
    """Return whether the pods may be on different nodes: nothing binds them to one, and the profile
    has more than one."""
    affinity = mapping(pod.scheduling.get("affinity"))
    required = items(mapping(affinity.get("podAffinity")).get(_REQUIRED))
    if any(mapping(term).get("topologyKey") == _HOST for term in required):
        return False
    # Of any way in which affinity names a node, and of what somebody is to fill in, nothing is known.
    if _HOST in pod.selector or _HOST in str(affinity.get("nodeAffinity")):
        return False
    pools = context.cluster.pools if context.cluster else ()
    return not pools or sum(2 if pool.most_nodes is None else pool.most_nodes for pool in pools) > 1


def _is_attached_to_one(claim: Object, collection: Collection) -> bool:
    """Return whether the claim's volume is a disk, as far as its class's name and provisioner tell.

    Modes are not enforced for a file system of a network; a local volume brings its pods to its node.
    """
    if claim.spec.get("volumeName") or claim.spec.get("selector"):
        return False
    return makes_disks(claim.spec.get("storageClassName"), collection)


def _of_several(claim: Object, mounting: list[PodFacts]) -> RawFinding | None:
    """Return a finding for two workloads that are bound to different nodes."""
    unlike = _unlike(mounting)
    for index, facts in enumerate(unlike):
        for other_facts in unlike[index + 1 :]:
            if facts.object == other_facts.object or not (facts.gpus or other_facts.gpus):
                continue
            apart = [
                key
                for key, value in facts.selector.items()
                if other_facts.selector.get(key, value) != value
            ]
            if apart:
                message = (
                    f"`{apart[0]}` binds {_name(facts)} and {_name(other_facts)} to different nodes"
                )
            elif _of_two_vendors(facts, other_facts):
                message = f"no node has the GPUs of both {_name(facts)} and {_name(other_facts)}"
            else:
                continue
            message = f"but {message}: the second pod waits until the first is gone"
            return _found(claim, [facts, other_facts], message)
    return None


def _of_two_vendors(facts: PodFacts, other_facts: PodFacts) -> bool:
    """Return whether both request accelerators, of different vendors."""
    some, others = _vendors(facts), _vendors(other_facts)
    return bool(some and others) and some.isdisjoint(others)


def _vendors(pod: PodFacts) -> set[str]:
    """Return the vendors of its accelerators."""
    resources = map(hardware.resource, pod.devices)
    return {resource.vendor for resource in resources if resource is not None}


def _unlike(pods: list[PodFacts]) -> list[PodFacts]:
    """Return, of the pods with the same devices and selector, those of the first two objects:
    the others give the same result."""
    objects_by_shape: dict[tuple[object, ...], set[int]] = {}
    distinct_pods = []
    for pod in pods:
        objects = objects_by_shape.setdefault((*pod.devices, *sorted(pod.selector.items())), set())
        if len(objects) < 2 and pod.object not in objects:
            objects.add(pod.object)
            distinct_pods.append(pod)
    return distinct_pods


def _found(claim: Object, pods: list[PodFacts], fault: str) -> RawFinding:
    modes = _modes(claim)
    mounter = "pod" if _ONE_POD in modes else "node"
    modes_text = " and ".join(f"`{mode}`" for mode in sorted(modes))
    return RawFinding(
        claim.path("spec", "accessModes"),
        f"only one {mounter} can mount claim `{claim.name}` ({modes_text}), {fault}",
        note=(
            "use a StorageClass with `ReadWriteMany` (`ReadOnlyMany` is enough for weights), or create "
            "one claim for each pod"
        ),
        confidence="likely",
        object=claim.number,
        related=tuple(RelatedPlace(pod.object, ("metadata", "name"), "mounts it") for pod in pods),
    )


def _modes(claim: Object) -> set[str]:
    return set(map(str, items(claim.spec.get("accessModes"))))


def _name(pod: PodFacts) -> str:
    return f"{pod.kind} `{pod.name}`"
