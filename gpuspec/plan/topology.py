"""Workers kept close by their queue: one rack, one block, as the profile names its levels.

Kueue reads the request from the pod template. That is no harm to an immutable template: the request
is a function of the spec, and changes with it alone.
"""

from gpuspec.numbers import read_version
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.leaf import from_spec
from gpuspec.plan.words import count
from gpuspec.spec import Profile, Topology, TopologyLevel, TrainingFields
from gpuspec.spec.words import did_you_mean

REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
HOSTNAME = "kubernetes.io/hostname"
# Since then Kueue looks at the topology without a feature gate, and its Topology is v1beta1.
SINCE = (0, 14)


def places_by_topology(profile: Profile) -> bool:
    """Whether the installed Kueue places pods by topology."""
    return kueue(profile) >= SINCE


def kueue(profile: Profile) -> tuple[int, ...]:
    """Major and minor version of the installed Kueue; (0,) where none is."""
    return read_version(profile.spec.installed.get("kueue", "0"))[:2]


def refused(case: Case) -> list[Refused]:
    """A level that the profile does not have, or that its queues cannot keep to."""
    spec, known = case.spec, case.profile.spec.topology
    if not isinstance(spec, TrainingFields) or spec.topology is None:
        return []
    place = case.workload.place(("spec", "topology", "level"))
    if known is None:
        hint = "delete `topology`, or add `topology` with its levels to the profile"
        return [Refused("the profile says nothing of how near its nodes are", place, hint)]
    level = _level(spec, known)
    if level is None:
        names = [level.name for level in known.levels]
        hint = did_you_mean(spec.topology.level, names) or f"levels: {', '.join(names)}"
        text = f"the profile has no topology level `{spec.topology.level}`"
        return [Refused(text, place, hint)]
    found: list[Refused] = []
    version = case.profile.spec.installed.get("kueue")
    if version is not None and not places_by_topology(case.profile):
        least = ".".join(map(str, SINCE))
        text = f"Kueue {version} does not place workers by topology; {least} and later do"
        found.append(Refused(text, place))
    if case.pools and not any(known.covers(chosen.pool.name) for chosen in case.pools):
        names = [chosen.pool.name for chosen in case.pools]
        text = f"the topology has no nodes of pool {' or '.join(names)}, which can carry it"
        found.append(Refused(text, place, f"its pools: {', '.join(known.pools)}"))
    largest = max((chosen.pool.gpu.count for chosen in case.pools), default=None)
    asked = spec.workers * case.gpus
    on_one_node = spec.topology.required and level.label == HOSTNAME
    if on_one_node and largest is not None and asked > largest:
        workers = f"{count(spec.workers, 'worker')} × {count(case.gpus, 'GPU')}"
        text = f"{workers} = {asked} on one node, and the largest has {largest}"
        found.append(Refused(text, place, "ask for a wider level"))
    return found


def annotations(case: Case) -> NodeMap:
    """What the pod template says of the level."""
    spec, known = case.spec, case.profile.spec.topology
    if not isinstance(spec, TrainingFields) or spec.topology is None or known is None:
        return {}
    level = _level(spec, known)
    if level is None:
        return {}
    key, words = PREFERRED, f"the workers share one {level.name}, or as few as there is room in"
    if spec.topology.required:
        key = REQUIRED
        words = f"they start once one {level.name} has room for all {spec.workers} workers"
    return {key: from_spec(("spec", "topology"), level.label, words)}


def _level(spec: TrainingFields, known: Topology) -> TopologyLevel | None:
    asked = spec.topology.level if spec.topology else None
    return next((level for level in known.levels if level.name == asked), None)
