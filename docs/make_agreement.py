"""Write how far our filters agree with kube-scheduler: `python docs/make_agreement.py`.

`scheduler-agreement.md` is made from what `make agreement` wrote for each minor of Kubernetes: of
pods without claims, and of pods with claims. Where a minor's results are missing, or of another
version than the one that is pinned, it says so and writes nothing.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.control_plane import binaries

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "scheduler-agreement.md"
MINORS = (binaries.NEWEST, binaries.OLDEST)
LEAST, LEAST_CLAIMS = 100, 30
Results = dict[str, Any]

HEAD = """# Agreement with kube-scheduler

<!-- Made by docs/make_agreement.py from what `make agreement` found. Do not edit. -->

`gpuspec fit` says which nodes take a pod and, where none does, what kube-scheduler will write into
the pod's status. This page compares those answers with the real scheduler's.

The test creates random fleets of six to ten nodes, with running pods, on a real control plane (etcd,
API server, controllers and scheduler, without a kubelet). For each filter it draws a pair of pods
that differ only in the fields that this filter reads. gpuspec says that one pod fits, and that the
filter excludes every node for the other. The scheduler then decides on both pods, and often on a
third one that is changed at random. The test creates all pods that fit nowhere at once. It creates
the pods that fit one by one, and deletes each before the next. Priorities are mixed, so most
messages have a part on preemption. On most fleets, the last pod preempts others.

gpuspec and the scheduler must agree on:

- whether the pod is placed, and on which nodes it may be placed;
- the message of a pod that is not placed, word for word, its parts on filters and on preemption;
- the node and the victims, if preemption helps; any of several equally good choices counts.

`gpuspec fit` must print the same when it reads the pod's manifest and the output of
`kubectl get -o json`.

Pods with resource claims have fleets of their own: see [Claims](#claims).

The test leaves out what `fit` does not judge: limits of volumes by node, storage capacity, features
that nodes declare, disruption budgets. A pod with `nodeName` never reaches the scheduler: "node
name" below is a node affinity to the name.

    make agreement                # {newest}
    make agreement MINOR={oldest}

Each takes minutes; then `python docs/make_agreement.py` writes this page anew.
"""


ALONE = "Number of pods placed / pending. The pods of a pair differ only in the first column."
DRAWN = "Number of pods placed / pending, by the subject of their claims."
CLAIMS = """## Claims

The nodes of these fleets have whole GPUs and MIG partitions, fixed or made on demand, as NVIDIA's
driver lists them. A second driver has every type of attribute, taints, shares of a capacity, and
devices that several nodes use. Some pools are incomplete, and some devices are already claimed. For
each subject, the test draws random claims until gpuspec says that one pod fits and another does not.

gpuspec and the scheduler must agree on the same points as above. If an expression fails, the message
may name another device. The row *devices* counts how often a placed pod gets exactly the devices that
gpuspec names. Kubernetes 1.35 tries slices in random order, so other devices count as agreement
there. If that order decides whether an expression fails, `fit` says that it does not know.

A – marks a feature that 1.35 turns off by default. The test leaves out claims from templates, binding
conditions, derived and list-typed attributes, and features behind gates that are off.
"""


def results(name: str = "scheduler-agreement") -> dict[str, Results]:
    """What was found, by minor. Exits where there are no results of the pinned version."""
    found = {}
    for minor in MINORS:
        file = ROOT / "build" / f"{name}-{minor}.json"
        if not file.exists():
            sys.exit(f"{file} is missing; to make it: make agreement MINOR={minor}")
        found[minor] = json.loads(file.read_text())
        pinned, asked = binaries.version("kube-scheduler", minor), found[minor]["version"]
        if asked != pinned:
            sys.exit(f"{file} is of {asked}, and {pinned} is pinned: make agreement MINOR={minor}")
    return found


def text(found: dict[str, Results], claims: dict[str, Results]) -> str:
    """The whole page."""
    lines = [HEAD.format(newest=MINORS[0], oldest=MINORS[1])]
    lines += ["## Results", "", *_totals(found), ""]
    lines += ["## By what decides", "", *_kinds(found, ALONE), ""]
    lines += [CLAIMS, *_claims(claims), "", *_kinds(claims, DRAWN)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _totals(found: dict[str, Results]) -> Iterator[str]:
    yield from _head("", found)
    for title, key in (("seed", "seed"), ("fleets", "fleets"), ("pods", "pods")):
        yield _row(title, [each[key] for each in found.values()])
    for title, what in (
        ("placed or not", "placed or not"),
        ("words of the filters", "words of the filters"),
        ("words on preemption", "words of preemption"),
        ("words on preemption that helps", "words of a successful preemption"),
        ("victims and their node", "victims"),
        ("all of it by `fit` on a manifest and a dump", "a manifest and a dump"),
    ):
        yield _row(f"{title}: the same / not", [_same(each, what) for each in found.values()])


def _claims(found: dict[str, Results]) -> Iterator[str]:
    yield from _head("", found)
    for title, key in (("seed", "seed"), ("fleets", "fleets"), ("pods", "pods")):
        yield _row(title, [each[key] for each in found.values()])
    for title, what in (
        ("placed or not", "placed or not"),
        ("words", "words"),
        ("all of it by `fit` on a manifest and a dump", "a manifest and a dump"),
    ):
        yield _row(f"{title}: the same / not", [_same(each, what) for each in found.values()])
    given = [
        f"{one['words'].get('devices, the same', 0)} / {one['words'].get('devices, others', 0)}"
        for one in found.values()
    ]
    yield _row("devices: the same / others", given)


def _same(each: Results, what: str) -> str:
    words = each["words"]
    # What was placed as we say, or kept, is counted by kind.
    same = each["pods"] if what == "placed or not" else words.get(f"{what}, the same", 0)
    return f"{same} / {words.get(f'{what}, differs', 0)}"


def _kinds(found: dict[str, Results], said: str) -> Iterator[str]:
    yield said
    yield ""
    yield from _head("what the pods differ in", found)
    for kind in found[MINORS[0]]["kinds"]:
        each = [one["kinds"].get(kind) for one in found.values()]
        yield _row(kind, [f"{one['fits']} / {one['kept']}" if one else "–" for one in each])


def _head(title: str, found: dict[str, Results]) -> Iterator[str]:
    yield _row(title, [each["version"] for each in found.values()])
    yield "|" + "---|" * (1 + len(found))


def _row(title: str, cells: list[Any]) -> str:
    return "| " + " | ".join([title, *map(str, cells)]) + " |"


def check(found: dict[str, Results], least: int = LEAST) -> None:
    """Exits where a kind has decided too seldom, or anything was not the same."""
    for minor, each in found.items():
        for kind, told in each["kinds"].items():
            if min(told.values()) < least:
                sys.exit(f"{minor}: {kind}: {told}, fewer than {least} each way")
        if each["faults"]:
            sys.exit(f"{minor}: not the same: {[one['what'] for one in each['faults']]}")


if __name__ == "__main__":
    made, claimed = results(), results("claims-agreement")
    check(made)
    check(claimed, LEAST_CLAIMS)
    PAGE.write_text(text(made, claimed), encoding="utf-8")
