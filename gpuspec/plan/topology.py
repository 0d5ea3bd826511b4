"""Pods that work together, placed close to each other: in one rack, one block, by the profile's
levels.

Kueue reads the request in the pod template. It does not break an immutable template: the request is
a function of the spec, and changes only with it.
"""

from gpuspec.enumeration import counted
from gpuspec.escaping.meant import did_you_mean
from gpuspec.numbers import read_version
from gpuspec.plan.decision import from_spec
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.gangs import KUEUE, VOLCANO, System
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Profile, Topology, TopologyLevel, TrainingFields
from gpuspec.spec.common import NearEachOther

REQUIRED = "kueue.x-k8s.io/podset-required-topology"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"
GROUP = "kueue.x-k8s.io/podset-group-name"
HOSTNAME = "kubernetes.io/hostname"
# Since then Kueue looks at the topology without a feature gate, and its Topology is v1beta1; Volcano
# finds the nodes of a level by the level's name, which is their label.
SINCE = {KUEUE.name: (0, 14), VOLCANO.name: (1, 14)}


def places_by_topology(profile: Profile) -> bool:
    """Return whether the installed Kueue places pods by topology."""
    return kueue(profile) >= SINCE[KUEUE.name]


def kueue(profile: Profile) -> tuple[int, ...]:
    """Return major and minor version of the installed Kueue; (0,) if none is installed."""
    return read_version(profile.spec.installed.get("kueue", "0"))[:2]


def refused(resolution: Resolution, system: System, target: Target) -> list[RefusalReason]:
    """Return refusals for a level that the profile lacks, or that the placing system does not
    support."""
    requested_level, topology = _asked(resolution), resolution.profile.spec.topology
    if requested_level is None:
        return []
    place = resolution.workload.place(("spec", "topology", "level"))
    if system is not KUEUE and target.queues == "kueue":
        text = (
            "`topology` is for queues of Kueue, and for target volcano; this queue is one of "
            f"{system.name}"
        )
        return [
            RefusalReason(
                text, resolution.workload.place(("spec", "topology")), "delete `topology`"
            )
        ]
    if topology is None:
        hint = "delete `topology`, or add `topology` with its levels to the profile"
        return [RefusalReason("the profile has no topology of its nodes", place, hint)]
    level = _level(requested_level, topology)
    if level is None:
        names = [level.name for level in topology.levels]
        hint = did_you_mean(requested_level.level, names) or f"levels: {', '.join(names)}"
        text = f"the profile has no topology level `{requested_level.level}`"
        return [RefusalReason(text, place, hint)]
    refusal_reasons: list[RefusalReason] = []
    version = resolution.profile.spec.installed.get(system.component)
    if version is not None and read_version(version)[:2] < (least := SINCE[system.name]):
        words = ".".join(map(str, least))
        text = f"{system.name} {version} does not place pods by topology; {words} and later do"
        refusal_reasons.append(RefusalReason(text, place))
    if resolution.pools and not any(
        topology.covers(chosen.pool.name) for chosen in resolution.pools
    ):
        names = [chosen.pool.name for chosen in resolution.pools]
        text = (
            f"the topology has no nodes of pool {' or '.join(names)}, on which the workload can run"
        )
        refusal_reasons.append(
            RefusalReason(text, place, f"its pools: {', '.join(topology.pools)}")
        )
    largest = max((chosen.pool.gpu.count for chosen in resolution.pools), default=None)
    gpus = resolution.workers * resolution.gpus
    on_one_node = requested_level.required and level.label == HOSTNAME
    if on_one_node and largest is not None and gpus > largest:
        pod_word = "worker" if isinstance(resolution.spec, TrainingFields) else "pod"
        pods = f"{counted(resolution.workers, pod_word)} × {counted(resolution.gpus, 'GPU')}"
        text = f"{pods} = {gpus} on one node, and the largest has {largest}"
        refusal_reasons.append(RefusalReason(text, place, "write a wider level"))
    return refusal_reasons


def annotations(resolution: Resolution) -> NodeMap:
    """Return the annotations of the pod template with the level."""
    requested_level, level = _asked(resolution), level_of(resolution)
    if requested_level is None or level is None:
        return {}
    path = ("spec", "topology")
    key, words = (
        PREFERRED,
        f"{resolution.together} share one {level.name}, or as few as possible",
    )
    if requested_level.required:
        key = REQUIRED
        words = f"they start once {resolution.together} fit in one {level.name}"
    decisions = {key: from_spec(path, level.label, words)}
    if isinstance(resolution.spec, InferenceSpec):
        # Its first pod has a template of its own, and would have a place of its own.
        why = "the first pod of a replica and the others are placed as one"
        decisions[GROUP] = from_spec(path, "replica", why)
    return decisions


def _asked(resolution: Resolution) -> NearEachOther | None:
    spec = resolution.spec
    return spec.topology if isinstance(spec, TrainingFields | InferenceSpec) else None


def level_of(resolution: Resolution) -> TopologyLevel | None:
    """Return the level in the spec."""
    requested_level, topology = _asked(resolution), resolution.profile.spec.topology
    return _level(requested_level, topology) if requested_level and topology else None


def _level(each_other: NearEachOther, topology: Topology) -> TopologyLevel | None:
    return next((level for level in topology.levels if level.name == each_other.level), None)
