"""Pods that must not share a node or a zone: they break nodes, or find none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.analysis.placement.nodes import NodeKinds, nodes, pods
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, whole
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU405",
    "hard-spread",
    "error",
    "A hard spread needs more nodes or zones than there are, or fragments nodes",
    gives_way=("GPU205",),
)

HOST = "kubernetes.io/hostname"
ZONES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield required anti-affinity to the pods of the same workload, and hard spread over nodes."""
    if pod.object.is_a("apps", "DaemonSet") or pod.gpus < 1:
        return
    number = pods(pod, context).least
    node_kinds = nodes(pod, context)
    if number < 2 or not node_kinds.kinds or not node_kinds.certain:
        return
    for path, key in _apart(pod):
        if (finding := _impossible(path, key, number, node_kinds)) is not None:
            yield finding
            return
    if (few := _few_domains(pod, number, node_kinds)) is not None:
        yield few
        return
    hosts = [path for path, key in (*_apart(pod), *_spread(pod)) if key == HOST]
    if hosts:
        yield from _breaks(pod, hosts[0], number, node_kinds)


def _apart(pod: Pod) -> Iterator[tuple[Path, str]]:
    """Yield Anti-affinity that is required, to the pod's own labels."""
    base: Path = ("affinity", "podAntiAffinity", _REQUIRED)
    affinity = mapping(pod.spec.get("affinity"))
    terms = items(mapping(affinity.get("podAntiAffinity")).get(_REQUIRED))
    for index, term in enumerate(map(mapping, terms)):
        key = term.get("topologyKey")
        if isinstance(key, str) and _selects(term.get("labelSelector"), pod):
            yield pod.path(*base, index, "topologyKey"), key


def _spread(pod: Pod) -> Iterator[tuple[Path, str]]:
    """Yield spread that is hard and even."""
    for index, constraint in enumerate(
        map(mapping, items(pod.spec.get("topologySpreadConstraints")))
    ):
        key = constraint.get("topologyKey")
        hard = constraint.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
        if isinstance(key, str) and hard and constraint.get("maxSkew") == 1:
            yield pod.path("topologySpreadConstraints", index, "whenUnsatisfiable"), key


def _selects(selector: Any, pod: Pod) -> bool:
    match_labels = mapping(mapping(selector).get("matchLabels"))
    return bool(match_labels) and match_labels.items() <= pod.labels.items()


def _few_domains(pod: Pod, number: int, node_kinds: NodeKinds) -> RawFinding | None:
    """Return a finding for a spread over more nodes or zones than exist: the missing domain then
    counts as empty, so that none takes more than the skew."""
    for index, constraint in enumerate(
        map(mapping, items(pod.spec.get("topologySpreadConstraints")))
    ):
        key, skew, least = (
            constraint.get("topologyKey"),
            whole(constraint.get("maxSkew")),
            whole(constraint.get("minDomains")),
        )
        if (
            not isinstance(key, str)
            or not skew
            or not least
            or not _selects(constraint.get("labelSelector"), pod)
        ):
            continue
        if constraint.get("whenUnsatisfiable") != "DoNotSchedule":
            continue
        places, domains = _places(key, node_kinds)
        if places is None or places >= least or number <= places * skew:
            continue
        return RawFinding(
            pod.path("topologySpreadConstraints", index, "minDomains"),
            f"`minDomains: {least}`, but the eligible pools have {places} {domains}: each of the "
            f"{domains} gets {skew} of the {number} pods, and {number - places * skew} pods stay "
            "Pending",
            note=f"set `minDomains: {places}`, or remove the field",
        )
    return None


def _places(key: str, node_kinds: NodeKinds) -> tuple[int | None, str]:
    """Return the number of a label's values among the nodes, and their description; None if
    unknown."""
    if key == HOST:
        counts = [node.most for node in node_kinds.kinds]
        return None if None in counts else sum(count or 0 for count in counts), "nodes"
    if key in ZONES:
        zones = {zone for node in node_kinds.kinds if node.pool for zone in node.pool.zones}
        unsaid = any(node.pool is None or not node.pool.zones for node in node_kinds.kinds)
        return None if unsaid else len(zones), "zones"
    return None, ""


def _impossible(path: Path, key: str, number: int, node_kinds: NodeKinds) -> RawFinding | None:
    places, domains = _places(key, node_kinds)
    if places is None or number <= places:
        return None
    return RawFinding(
        path,
        f"{number} pods each need a `{key}` of their own, but the eligible pools have "
        f"{places} {domains}: {number - places} of the pods stay Pending",
        note=f"create at most {places} pods, or prefer separate nodes instead of requiring them",
    )


def _breaks(pod: Pod, path: Path, number: int, node_kinds: NodeKinds) -> Iterator[RawFinding]:
    """Yield nodes that are begun without need, of which no whole one is left for large pods."""
    smallest = min(node_kinds.kinds, key=lambda node: node.host.gpus)
    total = smallest.host.gpus
    per_node = total // pod.gpus
    if per_node < 2:
        return
    broken = number - -(-number // per_node)
    counts = [node.most for node in node_kinds.kinds]
    fleet = None if None in counts else sum(count or 0 for count in counts)
    # Two or three replicas apart are what availability costs. More are no fault either: on a
    # published trace a tenth of all demand apart cost nothing (docs/fragmentation.md).
    if broken < 2:
        return
    of = f" of {fleet}" if fleet is not None else ""
    yield RawFinding(
        path,
        f"{number} pods with {pod.gpus} of {total} GPUs must each run on a node of their own: the "
        f"pods occupy {number}{of} nodes instead of {number - broken}, and larger pods find no "
        "empty node",
        note=(
            "set `whenUnsatisfiable: ScheduleAnyway`, prefer the anti-affinity instead of "
            "requiring it, or spread over zones, which costs no nodes"
        ),
        severity="info",
        confidence="likely",
    )
