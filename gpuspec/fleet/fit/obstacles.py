"""What keeps a pod off one node, and what would have to change so that it does not."""

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
"""How far a node is that nothing in the pod opens to it; see `Obstacle.weight`."""


class Obstacle(msgspec.Struct, frozen=True):
    """Something that keeps a pod off a node, whatever is free there."""

    text: str
    change: str = ""
    """What would have to change, as an order; empty where nothing that can be said would do."""
    weight: float = _FAR
    """How much that is: to lack all of one resource is 1."""
    there: tuple[str, ...] = ()
    """What the label says there that it is about."""

    @property
    def said(self) -> str:
        """The whole sentence."""
        return f"{self.text}, and they say {' or '.join(self.there)}" if self.there else self.text


OTHER_QUEUE = Obstacle("its queue sends it to other nodes")
SPENT = Obstacle("its queue has too little left there")
_SPREAD = "let its topology spread constraints be broken (whenUnsatisfiable: ScheduleAnyway)"
_PLAIN = {
    "resourceclaim not available on the node": Obstacle(
        "what one of its claims has can be used elsewhere only"
    ),
    "invalid resource pools were encountered": Obstacle(
        "the slices of a driver contradict each other there"
    ),
    "cannot allocate all claims": Obstacle(
        "they have no free devices that meet all that its claims ask for"
    ),
    "node(s) were unschedulable": Obstacle("they are cordoned", "uncordon one of them", 1),
    "node(s) didn't match the requested node name": Obstacle(
        "the pod names another node", "leave out `nodeName`", 1
    ),
    "node(s) didn't satisfy plugin(s) [NodeAffinity]": Obstacle(
        "its node affinity names other nodes", "leave out the names in its node affinity", 2
    ),
    "node(s) didn't have free ports for the requested pod ports": Obstacle(
        "the host port that it asks for is taken there", "ask for no host port", 1
    ),
    "node(s) didn't match pod affinity rules": Obstacle(
        "no pod that it must be beside runs there", "leave out its required pod affinity", 2
    ),
    "node(s) didn't match pod anti-affinity rules": Obstacle(
        "a pod that it must be apart from runs there",
        "leave out its required pod anti-affinity",
        2,
    ),
    "node(s) didn't satisfy existing pods anti-affinity rules": Obstacle(
        "a pod that runs there keeps it away"
    ),
    "node(s) didn't match pod topology spread constraints": Obstacle(
        "its topology spread constraints would be broken there", _SPREAD, 2
    ),
    "node(s) didn't match pod topology spread constraints (missing required label)": Obstacle(
        "they lack the label that its topology spread constraints are over", _SPREAD, 2
    ),
    "node(s) didn't match PersistentVolume's node affinity": Obstacle(
        "its PersistentVolume cannot be reached from there"
    ),
    "node(s) had no available volume zone": Obstacle("its PersistentVolume lies in another zone"),
}


def obstacles(
    filter_chain: FilterChain, index: int, used: Mapping[str, int] | None = None
) -> tuple[tuple[Obstacle, ...], tuple[str, ...]]:
    """Return what keeps a shape off a node, and the resources of which too little is left: all of
    both.

    `used` instead of what the snapshot says is used of the node.
    """
    shape, snapshot = filter_chain.shape, filter_chain.snapshot
    node = snapshot.nodes[index]
    taken = snapshot.used[index] if used is None else used
    found: list[Obstacle] = []
    lacking: list[str] = []
    for refusal in filter_chain.all_refusals(index, used):
        if refusal.taint is not None:
            found += _taints(shape, node)
            continue
        for reason in refusal.reasons:
            if reason == TOO_MANY:
                lacking.append(PODS)
            elif reason.startswith(_INSUFFICIENT):
                lacking.append(reason.removeprefix(_INSUFFICIENT))
            elif "node affinity/selector" in reason:
                found += [*_unmet(shape, node)] or [plain(reason)]
            elif claimed := [*_claimed(reason, shape, node, taken)]:
                lacking += claimed
            else:
                found.append(plain(reason))
    return tuple(dict.fromkeys(found)), in_order(lacking)


def plain(reason: str) -> Obstacle:
    """Return the scheduler's reason in plain words, where it needs no look at the node."""
    return _PLAIN.get(reason) or Obstacle(reason.removeprefix("node(s) "))


def in_order(names: list[str]) -> tuple[str, ...]:
    """Return resources: devices first, for they are what a pod is placed for."""
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
            "its node affinity has no term that any node meets", "leave out its node affinity", 2
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
    drop = f"do not ask for the label {key}"
    said = () if has is None else (has,)
    missing = ", and they do not have the label" if has is None else ""
    match label_requirement.operator:
        case "In":
            text = f"it asks for {key} {' or '.join(values)}{missing}"
            if has is None:
                return Obstacle(text, drop, 2)
            # `Tesla-T4-SHARED` is nearer to `Tesla-T4` than another model is.
            near = any(has.startswith(value) or value.startswith(has) for value in values)
            return Obstacle(text, f"ask for {key} {has}", 1 if near else 2, said)
        case "NotIn":
            text = f"it is kept off {key} {' and '.join(values)}"
            return Obstacle(text, f"do not keep it off {key} {has}", 2)
        case "Exists":
            return Obstacle(f"it asks for the label {key}{missing}", drop, 2)
        case "DoesNotExist":
            text = f"it is kept off nodes with the label {key}"
            return Obstacle(text, f"do not keep it off the label {key}", 2)
        case _:
            if label_requirement.number is None:
                text = f"it compares {key} with what is no whole number: no node meets that"
                return Obstacle(text, drop, 2)
            side = "above" if label_requirement.operator == "Gt" else "below"
            text = f"it asks for {key} {side} {label_requirement.number}{missing}"
            return Obstacle(text, drop, 2, said)
