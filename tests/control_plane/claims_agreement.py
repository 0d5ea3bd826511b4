"""Whether `fit` says of pods with claims what kube-scheduler says, on random fleets with devices.

`python -m tests.control_plane.claims_agreement` asks about thousands of pods and writes what came
out for `docs/make_agreement.py`. For each fleet: nodes, slices and claims that have devices are
created; pods that we say fit nowhere, all at once; pods that we say fit, one after the other and
each gone before the next.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.cluster.live import live_fleet
from gpuspec.fleet.scheduler.cluster_context import beside_of
from gpuspec.fleet.scheduler.preemption import preempt
from gpuspec.fleet.scheduler.status_message import message
from gpuspec.fleet.scheduler.verdict import feasible
from tests.control_plane import binaries, device_claims, device_fleets
from tests.control_plane.asking import PODS, Said, delete_all, key, said
from tests.control_plane.client import Ref, Refused, until
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.device_fleets import ADMIN, API, CLASSES, SPACE
from tests.fleet.fit.dumps import Asking as Fit
from tests.fleet.fit.dumps import kept_by, listed

if TYPE_CHECKING:
    from gpuspec.fleet.scheduler.snapshot import Snapshot
    from gpuspec.fleet.scheduler.verdict import Verdict
    from tests.control_plane.client import Client, Object
    from tests.control_plane.device_claims import Asking
    from tests.control_plane.device_fleets import DeviceWorld

BUILD = Path(__file__).parents[2] / "build"
ENOUGH, TRIES = 62, 40
SEED, FLEETS = 2026, 75
_SETTLES = 3.0
"""Seconds in which the scheduler hears of claims that are gone."""
SLICES, CLAIMS = Ref(API, "ResourceSlice"), Ref(API, "ResourceClaim")


class Asked(NamedTuple):
    """A pod that the scheduler is asked about, and what we say."""

    kind: str
    asking: Asking
    verdict: Verdict
    told: str


class Tally:
    """What came out so far."""

    def __init__(self) -> None:
        self.fits: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.faults: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []

    def hear(self, one: Asked, theirs: Said) -> None:
        """Keep what was said of a pod, for `record`."""
        told = {**one.asking._asdict(), "node": theirs.node, "message": theirs.message}
        self.heard[-1]["pods"].append(told)

    def fault(self, what: str, one: Asked, theirs: object, made: DeviceWorld) -> None:
        """Keep a disagreement, with all that is needed to look into it."""
        self.words[f"{what}, differs"] += 1
        shown = {"what": what, "kind": one.kind, "ours": one.told, "theirs": theirs}
        self.faults.append(shown | {"asking": one.asking._asdict(), "world": made._asdict()})

    def table(self, minor: str, seed: int, count: int, seconds: float) -> dict[str, Any]:
        """As it is written for the page."""
        return {
            "version": binaries.version("kube-scheduler", minor),
            "seed": seed,
            "fleets": count,
            "pods": self.fits.total() + self.kept.total(),
            "seconds": round(seconds),
            "kinds": {
                kind: {"fits": self.fits[kind], "kept": self.kept[kind]} for kind in kinds(minor)
            },
            "words": dict(sorted(self.words.items())),
            "faults": self.faults[:20],
        }


def kinds(minor: str) -> dict[str, Any]:
    """What there is in a minor."""
    newer = device_claims.SINCE_1_36 if minor != "1.35" else {}
    return device_claims.KINDS | newer


def run(client: Client, minor: str, seed: int, count: int, *, talk: bool = False) -> Tally:
    """Ask the scheduler of a control plane about the pods of so many fleets."""
    tally = Tally()
    prepare(client)
    for number in range(count):
        rng = Random(f"{seed} {number}")
        made = device_fleets.world(rng, number, newest=minor != "1.35")
        _fleet(client, minor, rng, made, number, tally)
        if talk and number % 10 == 9:
            done = tally.fits.total() + tally.kept.total()
            told = f"{number + 1} fleets, {done} pods, {len(tally.faults)} disagreements"
            print(f"claims: {told}", file=sys.stderr, flush=True)
    return tally


def prepare(client: Client) -> None:
    """What the pods of all fleets name."""
    admin = {"resource.kubernetes.io/admin-access": "true"}
    for space, labels in ((SPACE, {}), (ADMIN, admin)):
        meta = {"name": space, "labels": labels}
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
        account = Ref("v1", "ServiceAccount", "default", space)
        until(partial(client.find, account), f"{account} is there")
    for one in CLASSES:
        client.create(one)


def _fleet(
    client: Client, minor: str, rng: Random, made: DeviceWorld, number: int, tally: Tally
) -> None:
    try:
        _join(client, made, number)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "live.json"
            live = _dump(client, minor)
            tally.heard.append({"version": minor, "live": live, "pods": []})
            path.write_text(json.dumps(live))
            fleet = live_fleet(str(path))
            asked = list(_pairs(rng, minor, live, fleet.snapshot, made, number, tally))
            _kept(client, made, [one for one in asked if not one.verdict.fits], tally)
            for one in asked:
                if one.verdict.fits:
                    _placed(client, made, fleet.snapshot, one, tally)
            _public(Path(folder), live, made, asked, tally)
    finally:
        _leave(client)


def _pairs(
    rng: Random,
    minor: str,
    live: Object,
    snapshot: Snapshot,
    made: DeviceWorld,
    number: int,
    tally: Tally,
) -> Any:
    """Of each kind a pod that we say fits, and one that we say does not."""
    for at, (kind, make) in enumerate(kinds(minor).items()):
        found: dict[bool, Asked] = {}
        for _ in range(TRIES):
            asking = make(rng, made, f"p{number}-{at}-{len(found)}")
            one = judged(kind, asking, live, snapshot, minor)
            if one.verdict.unjudged is not None:
                continue
            enough = tally.fits if one.verdict.fits else tally.kept
            if one.verdict.fits not in found and enough[kind] < ENOUGH:
                found[one.verdict.fits] = one
            if len(found) == 2:
                break
        yield from found.values()


def judged(kind: str, asking: Asking, live: Object, snapshot: Snapshot, minor: str) -> Asked:
    """What we say of a pod on a fleet, of which `live` is the dump."""
    from msgspec.structs import replace

    beside = beside_of((*live["items"], *asking.claims), minor)
    beside = replace(beside, devices=snapshot.devices)
    shape = beside.shape(asking.pod["spec"], {}, asking.pod["metadata"]["namespace"])
    assert not shape.unknown_devices, shape.unknown_devices
    verdict = feasible(shape, snapshot)
    told = "" if verdict.fits else message(verdict, preempt(verdict, snapshot), minor, snapshot)
    return Asked(kind, asking, verdict, told)


def _kept(client: Client, made: DeviceWorld, asked: list[Asked], tally: Tally) -> None:
    for one in asked:
        _create(client, one.asking)
    heard = said(client, [one.asking.pod for one in asked]) if asked else {}
    for one in asked:
        theirs = heard[key(one.asking.pod)]
        tally.hear(one, theirs)
        if theirs.node:
            tally.fault("placed or not", one, theirs, made)
            continue
        tally.kept[one.kind] += 1
        if same(one.told, theirs.message):
            tally.words["words, the same"] += 1
        else:
            tally.fault("words", one, theirs.message, made)
    for space in (SPACE, ADMIN):
        delete_all(client, PODS._replace(namespace=space), "spec.nodeName=")


def same(ours: str, theirs: str) -> bool:
    """Whether both say the same, but for the node whose devices or pools were looked at first."""
    for mark in (r"( on device [^ ]+)?(?=: CEL runtime error)", r"(?<=resource pool )[^ ]+"):
        ours, theirs = re.sub(mark, "", ours), re.sub(mark, "", theirs)
    return ours == theirs


def _placed(
    client: Client, made: DeviceWorld, snapshot: Snapshot, one: Asked, tally: Tally
) -> None:
    nodes = {snapshot.nodes[index].name: index for index in one.verdict.nodes}
    _create(client, one.asking)
    end = time.monotonic() + _SETTLES
    theirs = Said("", "")
    while not theirs.node and time.monotonic() < end:
        theirs = said(client, [one.asking.pod])[key(one.asking.pod)]
    tally.hear(one, theirs)
    if theirs.node in nodes:
        tally.fits[one.kind] += 1
        _devices(client, made, snapshot, one, nodes[theirs.node], tally)
    else:
        tally.fault("placed or not", one, theirs, made)
    client.delete(Ref.of(one.asking.pod), grace=0)
    for claim in one.asking.claims:
        _drop(client, claim)
    if one.kind.startswith("extended"):
        for claim in client.objects(CLAIMS._replace(namespace=SPACE)):
            if claim["metadata"]["name"].startswith(one.asking.pod["metadata"]["name"]):
                _drop(client, {"apiVersion": API, "kind": "ResourceClaim", **claim})


def _devices(
    client: Client, made: DeviceWorld, snapshot: Snapshot, one: Asked, node: int, tally: Tally
) -> None:
    """Whether the claims were given the devices that we say."""
    devices = snapshot.devices
    assert devices is not None
    wanted = devices.wanted(one.verdict.shape.claims)
    offered = devices.offer(snapshot.nodes[node], wanted) if wanted else ()
    ours = [[taken.device.name for taken in each.taken] for each in offered or ()]
    theirs = []
    for claim in one.asking.claims:
        found = until(partial(_allocation, client, claim), "the claim has devices", 10)
        theirs.append([row["device"] for row in found["devices"]["results"]])
    if not one.asking.claims:
        return
    if ours == theirs:
        tally.words["devices, the same"] += 1
    else:
        tally.words["devices, others"] += 1


def _allocation(client: Client, claim: Object) -> Object | None:
    status = client.get(Ref.of(claim)).get("status", {})
    found: Object | None = status.get("allocation")
    return found


def _public(
    folder: Path, live: Object, made: DeviceWorld, asked: list[Asked], tally: Tally
) -> None:
    """What `fit` says of the same pods, from the dump and their manifests."""
    for one in asked:
        items = [*live["items"], *({**claim} for claim in one.asking.claims)]
        found = Fit(folder, listed(*items)).about(one.asking.pod)
        same = found.verdict == ("placed" if one.verdict.fits else "not placed")
        if same and (one.verdict.fits or found.message == one.told):
            tally.words["a manifest and a dump, the same"] += 1
        else:
            said_ = [found.verdict, found.message, *found.notes]
            tally.fault("a manifest and a dump", one, said_, made)


# ------------------------------------------------------------------------------------ the cluster


def _join(client: Client, made: DeviceWorld, number: int) -> None:
    for each in (*made.nodes, *made.slices):
        client.create(each)
    for claim in made.claims:
        status = claim["status"]
        client.create({name: value for name, value in claim.items() if name != "status"})
        client.patch(Ref.of(claim), {"status": status}, part="status")
    # Once it has given the last device that is free, the scheduler knows of all.
    last = _sentinel(number)
    for each in (last.slice, last.claim, last.pod):
        client.create(each)
    until(lambda: client.get(Ref.of(last.pod))["spec"].get("nodeName"), "the fleet is known", 60)
    client.delete(Ref.of(last.pod), grace=0)
    _drop(client, last.claim)
    client.delete(Ref.of(last.slice))


class _Sentinel(NamedTuple):
    slice: Object
    claim: Object
    pod: Object


def _sentinel(number: int) -> _Sentinel:
    """A device of no other's kind, and a pod that asks for it."""
    from tests.control_plane import slices

    driver, name = "sentinel.example.com", f"sentinel-{number}"
    (made,) = slices.pool(name, [{"devices": [{"name": "only"}]}], driver)
    del made["spec"]["nodeName"]
    made["spec"]["allNodes"] = True
    # Any class will do that means it.
    one = device_claims.request("r", "sentinel")
    asking = device_claims.asking(name, device_fleets.a_claim(name, [one]))
    return _Sentinel(made, asking.claims[0], asking.pod)


def _create(client: Client, asking: Asking) -> None:
    for claim in asking.claims:
        client.create(claim)
    client.create(asking.pod)


def _drop(client: Client, claim: Object) -> None:
    """Delete a claim, without the controller that would let it go."""
    try:
        client.patch(Ref.of(claim), {"metadata": {"finalizers": None}})
        client.delete(Ref.of(claim))
    except Refused as refused:
        if refused.code != 404:
            raise


def _leave(client: Client) -> None:
    for space in (SPACE, ADMIN):
        delete_all(client, PODS._replace(namespace=space))
        for claim in client.objects(CLAIMS._replace(namespace=space)):
            _drop(client, {"apiVersion": API, "kind": "ResourceClaim", **claim})
    delete_all(client, SLICES)
    delete_all(client, Ref("v1", "Node"))


def _dump(client: Client, minor: str) -> Object:
    """What kubectl prints of the cluster."""
    found = [kept_by({"kind": "Node", **one}, minor) for one in client.objects(Ref("v1", "Node"))]
    for ref in (SLICES, Ref(API, "DeviceClass"), CLAIMS, Ref("v1", "Namespace")):
        found += [{"kind": ref.kind, **one} for one in client.objects(ref)]
    for one in found:
        # kubectl leaves them out too.
        one["metadata"].pop("managedFields", None)
    return listed(*found)


def main() -> int:
    """Run, write the results, and say whether there was any disagreement (exit code 1)."""
    parser = argparse.ArgumentParser(prog="python -m tests.control_plane.claims_agreement")
    parser.add_argument("--minor", default=binaries.NEWEST, help="Kubernetes minor")
    parser.add_argument("--fleets", type=int, default=FLEETS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--record", type=Path, help="add what was said here, and no results")
    given = parser.parse_args()
    begun = time.monotonic()
    with ControlPlane(given.minor) as plane:
        tally = run(plane.client(), given.minor, given.seed, given.fleets, talk=True)
    if given.record:
        with given.record.open("a", encoding="utf-8") as file:
            for fleet in tally.heard:
                file.write(json.dumps(fleet, separators=(",", ":")) + "\n")
        return 1 if tally.faults else 0
    table = tally.table(given.minor, given.seed, given.fleets, time.monotonic() - begun)
    BUILD.mkdir(exist_ok=True)
    path = BUILD / f"claims-agreement-{given.minor}.json"
    path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    print(f"claims: {table['pods']} pods, {len(tally.faults)} disagreements: {path}")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
