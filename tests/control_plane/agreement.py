"""Whether our filters say what kube-scheduler says, pod by pod, on random fleets.

`python -m tests.control_plane.agreement` asks about thousands of pods and writes what came out for
`docs/make_agreement.py`. For each fleet: the nodes and what runs on them are created; pods that we
say fit nowhere, all at once; pods that we say fit, one after the other and each gone before the
next; last one pod that we say makes room for itself by preemption. Then `gpuspec.fit` is asked about
the same pods as anybody asks it: about a manifest, on a dump of that cluster.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from gpuspec.fleet.scheduler.preemption import Preemption, preempt
from gpuspec.fleet.scheduler.status_message import filter_part, message, preemption_part
from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane import asking, binaries, fleets, kinds, public
from tests.control_plane.asking import PODS, Said
from tests.control_plane.client import Client, Object, Ref
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.fleets import Pair, World

CHANCE = "chance: whatever comes"
BUILD = Path(__file__).parents[2] / "build"
# Once a kind has decided so often both ways, it is asked about no more.
ENOUGH = 105
SEED, FLEETS = 2026, 190


class Asked(NamedTuple):
    """A pod that the scheduler is asked about, and what it is an instance of."""

    kind: str
    pod: Object


class Tally:
    """What came out so far."""

    def __init__(self) -> None:
        self.fits: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.faults: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []

    def hear(self, pod: Object, said: Said) -> None:
        """Keep what was said of a pod, for `record`."""
        self.heard[-1]["pods"].append({"pod": pod, **said._asdict()})

    def fault(self, what: str, pod: Object, ours: object, theirs: object, made: World) -> None:
        """Keep a disagreement, with all that is needed to look into it."""
        self.words[f"{what}, differs"] += 1
        shown: dict[str, Any] = {"what": what, "ours": ours, "theirs": theirs, "pod": pod}
        self.faults.append(shown | {"nodes": made.nodes, "running": made.pods})

    def table(self, minor: str, seed: int, count: int, seconds: float) -> dict[str, Any]:
        """As it is written for the page."""
        return {
            "version": binaries.version("kube-scheduler", minor),
            "seed": seed,
            "fleets": count,
            "pods": self.fits.total() + self.kept.total(),
            "seconds": round(seconds),
            "kinds": {
                kind: {"fits": self.fits[kind], "kept": self.kept[kind]}
                for kind in (*kinds.KINDS, CHANCE)
            },
            "words": dict(sorted(self.words.items())),
            "faults": self.faults[:20],
        }


def run(client: Client, minor: str, seed: int, count: int, talk: bool = False) -> Tally:
    """Ask the scheduler of a control plane about the pods of so many fleets."""
    tally = Tally()
    asking.prepare(client)
    for number in range(count):
        rng = Random(f"{seed} {number}")
        made = fleets.world(rng, number)
        pairs = [
            found
            for at, kind in enumerate(kinds.KINDS)
            if min(tally.fits[kind], tally.kept[kind]) < ENOUGH
            and (found := fleets.pair(rng, made, kind, f"p{number}-{at}"))
        ]
        _fleet(client, minor, made, pairs, tally)
        if talk and number % 10 == 9:
            done = tally.fits.total() + tally.kept.total()
            print(f"agreement: {number + 1} fleets, {done} pods", file=sys.stderr, flush=True)
    return tally


def _fleet(client: Client, minor: str, made: World, pairs: list[Pair], tally: Tally) -> None:
    tally.heard.append({"nodes": made.nodes, "running": made.pods, "pods": []})
    try:
        asking.join(client, made)
        live = public.dump(client, minor)
        asked = list(_asked(made, pairs))
        helped = [one for one in asked if _helps(made, one.pod)]
        for one in helped[1:]:
            one.pod["spec"]["priorityClassName"] = "low"
        kept = [one for one in asked if not _fits(made, one.pod) and one not in helped[:1]]
        _kept(client, minor, made, kept, tally)
        for one in asked:
            if _fits(made, one.pod):
                _placed(client, made, one, tally)
        for one in helped[:1]:
            _preempting(client, minor, made, one, tally)
        _public(live, minor, made, tally)
    finally:
        asking.leave(client)


def _asked(made: World, pairs: list[Pair]) -> Iterator[Asked]:
    for pair in pairs:
        yield Asked(pair.kind, pair.fits)
        yield Asked(pair.kind, pair.kept)
        if pair.more:
            yield Asked(CHANCE, pair.more)


def _fits(made: World, pod: Object) -> bool:
    return feasible(fleets.shape_in(pod), made.snapshot).fits


def _kept(client: Client, minor: str, made: World, asked: list[Asked], tally: Tally) -> None:
    for one in asked:
        client.create(one.pod)
    said = asking.said(client, [one.pod for one in asked])
    for one in asked:
        theirs = said[asking.key(one.pod)]
        tally.hear(one.pod, theirs)
        if theirs.node:
            tally.fault("placed or not", one.pod, "kept", theirs, made)
        else:
            tally.kept[one.kind] += 1
            _compare(minor, made, one.pod, theirs.message, tally)
    for space in fleets.SPACES:
        asking.delete_all(client, PODS._replace(namespace=space), "spec.nodeName=")


def _compare(minor: str, made: World, pod: Object, theirs: str, tally: Tally) -> None:
    """The words for a pod that does not fit: the filters', then those of preemption."""
    verdict = feasible(fleets.shape_in(pod), made.snapshot)
    first = filter_part(verdict, minor)
    if not theirs.startswith(first):
        tally.fault("words of the filters", pod, first, theirs, made)
        return
    tally.words["words of the filters, the same"] += 1
    more = preemption_part(verdict, preempt(verdict, made.snapshot), minor, made.snapshot)
    if theirs.removeprefix(first).strip() != more:
        tally.fault("words of preemption", pod, more, theirs.removeprefix(first), made)
    else:
        tally.words["words of preemption, the same"] += 1


def _placed(client: Client, made: World, asked: Asked, tally: Tally) -> None:
    verdict = feasible(fleets.shape_in(asked.pod), made.snapshot)
    ours = {made.snapshot.nodes[index].name for index in verdict.nodes}
    client.create(asked.pod)
    theirs = asking.said(client, [asked.pod])[asking.key(asked.pod)]
    client.delete(Ref.of(asked.pod), grace=0)
    tally.hear(asked.pod, theirs)
    if theirs.node in ours:
        tally.fits[asked.kind] += 1
    else:
        tally.fault("placed or not", asked.pod, sorted(ours), theirs, made)


def _preempting(client: Client, minor: str, made: World, asked: Asked, tally: Tally) -> None:
    """A pod that makes room: where, whose, and in what words."""
    pod = asked.pod
    verdict = feasible(fleets.shape_in(pod), made.snapshot)
    ours = preempt(verdict, made.snapshot)
    client.create(pod)
    theirs = asking.said(client, [pod])[asking.key(pod)]
    tally.hear(pod, theirs)
    places = {
        frozenset(victim.name for victim in one.victims): one.node
        for one in ours.candidates[: ours.best]
    }
    # Evictions follow the verdict; the pods stay, since no kubelet ends them.
    victims = asking.victims_among(client, places)
    first = _first(ours, places.get(victims))
    if first is None:
        wanted = sorted(map(sorted, places))
        tally.fault("victims", pod, wanted, [sorted(victims), theirs.message], made)
        return
    tally.words["victims, the same"] += 1
    said = message(verdict, first, minor, made.snapshot)
    if said == theirs.message:
        tally.kept[asked.kind] += 1
        tally.words["words of the filters, the same"] += 1
        tally.words["words of a successful preemption, the same"] += 1
    else:
        tally.fault("words of a successful preemption", pod, said, theirs.message, made)


def _public(live: Object, minor: str, made: World, tally: Tally) -> None:
    """What `fit` says, from the dump and the manifest, of all pods of a fleet."""
    for heard, ours in public.answers(live, minor, made, tally.heard[-1]["pods"]):
        if ours is None:
            tally.words["a manifest and a dump, the same"] += 1
        else:
            theirs = [heard["node"], heard["message"]]
            tally.fault("a manifest and a dump", heard["pod"], ours, theirs, made)


def _first(ours: Preemption, node: int | None) -> Preemption | None:
    """The same preemption with a node of the equally good ones first."""
    chosen = [one for one in ours.candidates if one.node == node]
    rest = [one for one in ours.candidates if one.node != node]
    return replace(ours, candidates=(*chosen, *rest)) if chosen else None


def _helps(made: World, pod: Object) -> bool:
    verdict = feasible(fleets.shape_in(pod), made.snapshot)
    return not verdict.fits and preempt(verdict, made.snapshot).helps


def record(path: Path, minor: str, heard: list[dict[str, Any]]) -> None:
    """Add what a version said to a file of cases: a fleet to a line, `message` by version.

    Raises ValueError if the file holds other fleets.
    """
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = [json.loads(line) for line in lines] or [{"pods": []} for _ in heard]
    for fleet, case in zip(heard, known, strict=True):
        before = [one["pod"] for one in case["pods"]]
        if before and before != [one["pod"] for one in fleet["pods"]]:
            raise ValueError(f"{path} holds other fleets: remove it, and record all versions anew")
        for index, one in enumerate(fleet["pods"]):
            said = case["pods"][index]["message"] if before else {}
            one["message"] = said | {minor: one["message"]}
    text = "".join(json.dumps(fleet, separators=(",", ":")) + "\n" for fleet in heard)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Run, write the results, and say whether there was any disagreement (exit code 1)."""
    parser = argparse.ArgumentParser(prog="python -m tests.control_plane.agreement")
    parser.add_argument("--minor", default=binaries.NEWEST, help="Kubernetes minor")
    parser.add_argument("--fleets", type=int, default=FLEETS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--record", type=Path, help="write what was said here, and no results")
    given = parser.parse_args()
    begun = time.monotonic()
    with ControlPlane(given.minor) as plane:
        tally = run(plane.client(), given.minor, given.seed, given.fleets, talk=True)
    if given.record:
        record(given.record, given.minor, tally.heard)
        return 1 if tally.faults else 0
    table = tally.table(given.minor, given.seed, given.fleets, time.monotonic() - begun)
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"scheduler-agreement-{given.minor}.json"
    path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    print(f"agreement: {table['pods']} pods, {len(tally.faults)} disagreements: {path}")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
