"""Everything that excludes a pod from one node, and the change that would allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet.claims.counting import PREFIX
from gpuspec.fleet.scheduler.filters.node_resources import TOO_MANY
from gpuspec.fleet.scheduler.filters.taint_toleration import EFFECTS
from gpuspec.fleet.scheduler.requests import PODS
from gpuspec.fleet.scheduler.tolerations import untolerated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.fleet.nodes.node import FleetNode
    from gpuspec.fleet.scheduler.filter_chain import FilterChain
    from gpuspec.fleet.scheduler.selectors import LabelRequirement
    from gpuspec.fleet.scheduler.shape import Shape

_INSUFFICIENT = "Insufficient "
_FAR = 5
"""The distance of a node that no change of the pod can open; see `Obstacle.weight`."""


class Obstacle(msgspec.Struct, frozen=True):
    """Something other than free resources that excludes a pod from a node."""

    text: str
    change: str = ""
    """The change that would help, as an imperative; empty if there is none."""
    weight: float = _FAR
    """The size of the change: 1 is like lacking all of one resource."""
    there: tuple[str, ...] = ()
    """The values of the label on those nodes."""

    @property
    def said(self) -> str:
        """The whole sentence."""
        return (
            f"{self.text}, but their value is {' or '.join(self.there)}"
            if self.there
            else self.text
        )


OTHER_QUEUE = Obstacle("its queue sends it to other nodes")
SPENT = Obstacle("its queue has too little left there")
_SPREAD = "relax its topology spread constraints (whenUnsatisfiable: ScheduleAnyway)"
_PLAIN = {
    "resourceclaim not available on the node": Obstacle(
        "the devices of one of its claims cannot be used there"
    ),
    "invalid resource pools were encountered": Obstacle(
        "the slices of a driver contradict each other there"
    ),
    "cannot allocate all claims": Obstacle("they have no free devices that meet all its claims"),
    "node(s) were unschedulable": Obstacle("they are cordoned", "uncordon one of them", 1),
    "node(s) didn't match the requested node name": Obstacle(
        "the pod names another node", "delete `nodeName`", 1
    ),
    "node(s) didn't satisfy plugin(s) [NodeAffinity]": Obstacle(
        "its node affinity names other nodes", "delete the names from its node affinity", 2
    ),
    "node(s) didn't have free ports for the requested pod ports": Obstacle(
        "its host port is already in use there", "delete its host port", 1
    ),
    "node(s) didn't match pod affinity rules": Obstacle(
        "no pod that its pod affinity requires runs there", "delete its required pod affinity", 2
    ),
    "node(s) didn't match pod anti-affinity rules": Obstacle(
        "a pod that its anti-affinity excludes runs there",
        "delete its required pod anti-affinity",
        2,
    ),
    "node(s) didn't satisfy existing pods anti-affinity rules": Obstacle(
        "the anti-affinity of a pod that runs there excludes it"
    ),
    "node(s) didn't match pod topology spread constraints": Obstacle(
        "it would violate its topology spread constraints there", _SPREAD, 2
    ),
    "node(s) didn't match pod topology spread constraints (missing required label)": Obstacle(
        "they lack the label of its topology spread constraints", _SPREAD, 2
    ),
    "node(s) didn't match PersistentVolume's node affinity": Obstacle(
        "its PersistentVolume cannot be reached from there"
    ),
    "node(s) had no available volume zone": Obstacle("its PersistentVolume lies in another zone"),
}


def obstacles(
    filter_chain: FilterChain, index: int, used: Mapping[str, int] | None = None
) -> tuple[tuple[Obstacle, ...], tuple[str, ...]]:
    """Return everything that excludes a shape from a node, and all resources of which too little is
    left.

    `used` replaces the snapshot's use of the node.
    """
    shape, snapshot = filter_chain.shape, filter_chain.snapshot
    node = snapshot.nodes[index]
    used_amounts = snapshot.used[index] if used is None else used
    node_obstacles: list[Obstacle] = []
    lacking: list[str] = []
    for refusal in filter_chain.all_refusals(index, used):
        if refusal.taint is not None:
            node_obstacles += _taints(shape, node)
            continue
        for reason in refusal.reasons:
            if reason == TOO_MANY:
                lacking.append(PODS)
            elif reason.startswith(_INSUFFICIENT):
                lacking.append(reason.removeprefix(_INSUFFICIENT))
            elif "node affinity/selector" in reason:
                node_obstacles += [*_unmet(shape, node)] or [plain(reason)]
            elif claimed := [*_claimed(reason, shape, node, used_amounts)]:
                lacking += claimed
            else:
                node_obstacles.append(plain(reason))
    return tuple(dict.fromkeys(node_obstacles)), in_order(lacking)


def plain(reason: str) -> Obstacle:
    """Return the scheduler's reason in plain words, if they do not depend on the node."""
    return _PLAIN.get(reason) or Obstacle(reason.removeprefix("node(s) "))


def in_order(names: list[str]) -> tuple[str, ...]:
    """Return resources in order, devices first."""
    return tuple(sorted(names, key=lambda name: (name == PODS, "/" not in name, name)))


def _claimed(reason: str, shape: Shape, node: FleetNode, used: Mapping[str, int]) -> Iterator[str]:
    """Yield the devices by claims of which a node has too few."""
    if reason == "cannot allocate all claims":
        for name, asks in shape.requests.items():
            if name.startswith(PREFIX) and asks > node.allocatable.get(name, 0) - used.get(name, 0):
                yield name


def _taints(shape: Shape, node: FleetNode) -> Iterator[Obstacle]:
    """Yield all taints that are not tolerated; the scheduler itself stops at the first."""
    for taint in node.taints:
        if untolerated(shape.tolerations, (taint,), EFFECTS) is not None:
            value = f"={taint.value}" if taint.value else ""
            taint_text = f"{taint.key}{value}:{taint.effect}"
            yield Obstacle(
                f"it does not tolerate their taint {taint_text}", f"tolerate {taint_text}", 1
            )


def _unmet(shape: Shape, node: FleetNode) -> Iterator[Obstacle]:
    """Yield the conditions on labels that a node does not meet; of several alternatives the
    nearest."""
    affinity, has = shape.affinity, node.labels
    for condition in affinity.selector.conditions:
        if not condition.met(has):
            yield _condition(condition, has.get(condition.key))
    terms = affinity.terms
    if terms is None or any(term.met(node.name, has) for term in terms):
        return
    if not terms:
        yield Obstacle(
            "its node affinity has only empty terms, which no node meets",
            "delete its node affinity",
            2,
        )
        return
    name = {requirement.key: node.name for term in terms for requirement in term.names}
    lacking = [
        [
            *(
                _condition(condition, has.get(condition.key))
                for condition in term.labels.conditions
                if not condition.met(has)
            ),
            *(_NAMES for requirement in term.names if not requirement.met(name)),
        ]
        for term in terms
    ]
    yield from min(lacking, key=len)


_NAMES = _PLAIN["node(s) didn't satisfy plugin(s) [NodeAffinity]"]


def _condition(label_requirement: LabelRequirement, has: str | None) -> Obstacle:
    key, values = label_requirement.key, sorted(label_requirement.values)
    drop = f"do not require the label {key}"
    present_values = () if has is None else (has,)
    missing = ", which they do not have" if has is None else ""
    match label_requirement.operator:
        case "In":
            text = f"it requires {key} {' or '.join(values)}{missing}"
            if has is None:
                return Obstacle(text, drop, 2)
            # `Tesla-T4-SHARED` is nearer to `Tesla-T4` than another model is.
            near = any(has.startswith(value) or value.startswith(has) for value in values)
            return Obstacle(text, f"require {key} {has}", 1 if near else 2, present_values)
        case "NotIn":
            text = f"it excludes nodes with {key} {' and '.join(values)}"
            return Obstacle(text, f"do not exclude {key} {has}", 2)
        case "Exists":
            return Obstacle(f"it requires the label {key}{missing}", drop, 2)
        case "DoesNotExist":
            text = f"it excludes nodes with the label {key}"
            return Obstacle(text, f"do not exclude the label {key}", 2)
        case _:
            if label_requirement.number is None:
                text = (
                    f"it compares {key} with a value that is not a whole number: no node can match"
                )
                return Obstacle(text, drop, 2)
            side = "above" if label_requirement.operator == "Gt" else "below"
            text = f"it requires {key} {side} {label_requirement.number}{missing}"
            return Obstacle(text, drop, 2, present_values)
