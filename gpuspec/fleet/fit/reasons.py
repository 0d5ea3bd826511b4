"""Why nodes do not take a pod, in plain words, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.fleet.claims.counting import PREFIX
from gpuspec.fleet.fit.result import Reason
from gpuspec.fleet.fit.words import amount, resource
from gpuspec.fleet.scheduler.sieve import Sieve
from gpuspec.fleet.scheduler.tolerations import untolerated
from gpuspec.fleet.scheduler.verdict import piles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.fleet.scheduler.selectors import Condition
    from gpuspec.fleet.scheduler.shape import Shape
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.verdict import Pile, Verdict

_INSUFFICIENT = "Insufficient "
_QUEUE = "its queue sends it to other nodes"
_EFFECTS = ("NoSchedule", "NoExecute")
_PLAIN = {
    "resourceclaim not available on the node": "what one of its claims has can be used elsewhere only",
    "invalid resource pools were encountered": "the slices of a driver contradict each other there",
    "node(s) were unschedulable": "they are cordoned",
    "node(s) didn't match the requested node name": "the pod names another node",
    "node(s) didn't have free ports for the requested pod ports": "the host port that it asks for "
    "is taken there",
    "Too many pods": "all of their pod slots are taken",
    "node(s) didn't match pod affinity rules": "no pod that it must be beside runs there",
    "node(s) didn't match pod anti-affinity rules": "a pod that it must be apart from runs there",
    "node(s) didn't satisfy existing pods anti-affinity rules": "a pod that runs there keeps it "
    "away",
    "node(s) didn't match pod topology spread constraints": "its topology spread constraints would "
    "be broken there",
    "node(s) didn't match pod topology spread constraints (missing required label)": "they lack "
    "the label that its topology spread constraints are over",
}


def reasons(verdict: Verdict, snapshot: Snapshot) -> tuple[Reason, ...]:
    """Nodes by group and by the scheduler's reason, those of most nodes first within a group.

    Each says all that speaks against its nodes: what is mended first is not all that is to mend.
    """
    sieve = Sieve(verdict.shape, snapshot)
    by_group: dict[str, list[Pile]] = {}
    for pile in sorted(piles(verdict, snapshot), key=lambda one: one.first):
        by_group.setdefault(pile.group, []).append(pile)
    found: list[Reason] = []
    for group, members in by_group.items():
        for pile in sorted(members, key=lambda one: -one.nodes):
            texts = [
                _plain(verdict.shape, snapshot, pile, reason)
                for one in sieve.all_refusals(pile.first)
                for reason in one.reasons
            ]
            # What no filter minds is kept off by the labels that its queue adds.
            found.append(Reason(group, pile.nodes, "; ".join(texts) or _QUEUE))
    return tuple(found)


def _plain(shape: Shape, snapshot: Snapshot, pile: Pile, reason: str) -> str:
    if reason.startswith(_INSUFFICIENT):
        return _insufficient(shape, pile, reason.removeprefix(_INSUFFICIENT))
    if reason == "cannot allocate all claims":
        return _unclaimed(shape, pile)
    first = snapshot.nodes[pile.first]
    if "untolerated taint" in reason:
        taint = untolerated(shape.tolerations, first.taints, _EFFECTS)
        if taint is not None:
            value = f"={taint.value}" if taint.value else ""
            return f"it does not tolerate their taint {taint.key}{value}:{taint.effect}"
    if "node affinity/selector" in reason:
        told = list(_unmet(shape, first.labels))
        if told:
            return "; ".join(told)
        return "their labels are not those that it asks for"
    return _PLAIN.get(reason, reason.removeprefix("node(s) "))


def _unclaimed(shape: Shape, pile: Pile) -> str:
    """What of its claims nodes cannot give."""
    told = [
        _insufficient(shape, pile, name)
        for name, asks in shape.requests.items()
        if name.startswith(PREFIX) and asks > pile.free[name]
    ]
    return "; ".join(told) or "they have no free devices that meet all that its claims ask for"


def _insufficient(shape: Shape, pile: Pile, name: str) -> str:
    asks = shape.requests.get(name, 0)
    have = pile.have[name]
    said = f"it asks for {amount(name, asks)} {resource(name)}"
    if have == 0:
        return f"{said}, and they have none"
    if asks > have:
        return f"{said}, and no node has more than {amount(name, have)}"
    return f"{said}, and no node has more than {amount(name, pile.free[name])} free"


def _unmet(shape: Shape, labels: object) -> Iterator[str]:
    """The conditions on labels that a node does not meet; of several alternatives the nearest."""
    has = labels if isinstance(labels, dict) else {}
    affinity = shape.affinity
    for one in affinity.selector.conditions:
        if not one.met(has):
            yield _condition(one, has.get(one.key))
    lacking = [
        [one for one in term.labels.conditions if not one.met(has)] for term in affinity.terms or ()
    ]
    if lacking and all(lacking):
        for one in min(lacking, key=len):
            yield _condition(one, has.get(one.key))


def _condition(one: Condition, has: str | None) -> str:
    key, values = one.key, sorted(one.values)
    there = f"they say {has}" if has is not None else "they do not have the label"
    match one.operator:
        case "In":
            wanted = " or ".join(values)
            return f"it asks for {key} {wanted}, and {there}"
        case "NotIn":
            return f"it is kept off {key} {' and '.join(values)}"
        case "Exists":
            return f"it asks for the label {key}, and {there}"
        case "DoesNotExist":
            return f"it is kept off nodes with the label {key}"
        case _:
            if one.number is None:
                return f"it compares {key} with what is no whole number: no node meets that"
            side = "above" if one.operator == "Gt" else "below"
            return f"it asks for {key} {side} {one.number}, and {there}"
