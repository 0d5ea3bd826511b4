"""`python -m tests.refusals.operators.contest`: what operators refuse of mutants, and what the linter says.

Mutants, and how they are counted, are those of `tests/refusals/contest`. What a CustomResourceDefinition
refuses never comes to a webhook: such mutants are left out.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

from msgspec.structs import replace

from gpuspec.keys.tables import project
from gpuspec.manifests import Path as Field
from gpuspec.manifests import format_path
from gpuspec.manifests.values import at
from gpuspec.validation.bundle import Bundle
from tests.refusals import judge as server
from tests.refusals.contest.bases import Base
from tests.refusals.contest.mutants import Mutant, words
from tests.refusals.contest.mutations import MUTATIONS, Change, World
from tests.refusals.contest.scoring import Ours, Outcome, errors, errors_of
from tests.refusals.contest.spots import Spot, spots
from tests.refusals.contest.table import lines
from tests.refusals.contest.tally import Tally
from tests.refusals.contest.trees import changes, put
from tests.refusals.judge import Object
from tests.refusals.operators.bases import bases, bundle
from tests.refusals.operators.judge import QUEUED, Verdict, judge

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "build" / "refusals-operators.json"
CHUNK = 2000
CLAIMS = ("rejects", "rejected by", "never starts", "never uses", "does not start")
"""Words of the linter's that claim a refusal."""
SCHEMA = {"GPU010", "GPU011", "GPU012"}
"""What the definition of a kind says of all that is in it, pods too."""
WRAPPED = ("spec", "components")
"""Where objects of others are in a wrapper, which creates them later."""
KEYED = (("labels",), ("annotations",))
PODS = {
    *("template", "leaderTemplate", "workerTemplate", "resourcesPerNode"),
    *(
        "submitterPodTemplate",
        "predictor",
        "transformer",
        "explainer",
        "containers",
        "initContainers",
        "volumes",
    ),
}
"""Where pods and Jobs are, which an operator makes later: the API server may refuse those."""


class OfOperators(Ours):
    """An error of the linter's on an operator's kind."""

    @property
    def claims(self) -> bool:
        """Whether it says that an operator rejects the object, or never starts it."""
        of_pods = "API server" in self.message and not PODS.isdisjoint(self.path)
        of_wrapped = self.path[:2] == WRAPPED and "template" in self.path
        # Of what an operator makes later, and calls by the object's name, the API server is the judge.
        of_made = self.rule == "GPU014" and "would be" in self.message
        of_pods |= "rejects the pod" in self.message and not PODS.isdisjoint(self.path)
        # The operator creates the pod, and the kubelet cannot start its container.
        of_pods |= "the container never starts" in self.message
        if of_pods or of_made or (of_wrapped and "AppWrapper" not in self.message):
            return False
        return any(word in self.message for word in CLAIMS)


def mutant(seed: int, number: int) -> Mutant:
    """The mutant of a number: any place of any base, changed in any way that it can be."""
    random = Random(f"{seed}:{number}")
    while True:
        base, spot = random.choice(_places())
        name = random.choice([one for one in CHANGES if one != "key twice"])
        changed = CHANGES[name](base.value, spot, random, _world(bundle(base.kind)))
        if changed is not None and changed != base.value:
            return Mutant(number, base, name, spot.path, json.dumps(changed))


def with_a_key_of_kueue(value: Object, spot: Spot, random: Random, world: World) -> Object | None:
    """With a key of Kueue's more in metadata, in its place or in another."""
    if "metadata" not in spot.path or value["kind"] not in QUEUED.get(value["apiVersion"], ()):
        return None
    path = spot.path[: spot.path.index("metadata") + 1]
    metadata, field = at(value, path), random.choice(("labels", "annotations", "annotations"))
    if not isinstance(metadata, dict):
        return None
    key = random.choice(KEYS)
    held = random.choice([*filter(_is_text, world.elsewhere.get(key, ())), *ODD_VALUES])
    there = metadata.get(field)
    keyed = {**(there if isinstance(there, dict) else {}), key: held}
    changed: Object = put(value, (*path, field), keyed)
    return changed


def _is_text(value: object) -> bool:
    return isinstance(value, str)


CHANGES: dict[str, Change] = {**MUTATIONS, "a key of Kueue's": with_a_key_of_kueue}
KEYS = sorted(project("kueue").every())
ODD_VALUES = (
    "true",
    "1",
    "0",
    "-1",
    "3",
    "1000",
    "1_000",
    "a",
    "A_b",
    "example.com/a",
    "",
    "[]",
    " 2",
)


@cache
def _places() -> list[tuple[Base, Spot]]:
    return [
        (base, spot)
        for base in bases()
        for spot in spots(bundle(base.kind), bundle(base.kind).root(base.kind), base.value)
        if not _deep_in_pod(spot)
    ]


def _deep_in_pod(spot: Spot) -> bool:
    """Whether it is a place in a container: what a pod is, operators leave to the API server."""
    inside = [at for at, step in enumerate(spot.path) if step == "containers"]
    return bool(inside) and len(spot.path) - inside[-1] > 4


@cache
def _world(schemas: Bundle) -> World:
    elsewhere: dict[str, list[object]] = {}
    for _, spot in _places():
        known = elsewhere.setdefault(str(spot.path[-1]), [])
        if spot.there and spot.value not in known:
            known.append(spot.value)
    return World(schemas, elsewhere, sorted({word for one in bases() for word in words(one.value)}))


def outcomes(mutants: Iterable[Mutant]) -> list[Outcome]:
    """What both say of each that the definitions take."""
    made = list(mutants)
    judged = zip(made, judge(one.text for one in made), strict=True)
    return [_outcome(one, verdict) for one, verdict in judged if verdict.by != "schema"]


def _outcome(one: Mutant, verdict: Verdict) -> Outcome:
    """What is said of a mutant.

    Where it was changed is where it is wrong: an operator may name another part of a relation. Where it
    names no field that there can be, or a whole list of maps, ours is meant, or what was changed.
    """
    ours, value = _ours(one), json.loads(one.text)
    places = {found.path for found in ours}
    changed = [one.path, *changes(one.base.value, value)]
    told = next((path for path in changed if path in places), None)
    meant = (found.path for found in sorted(ours) if found.claims or found.rule in SCHEMA)
    named = next(meant, ())

    def place(path: Field) -> Field:
        if told is not None:
            return told
        is_missing = path[-2:-1] in KEYED and at(value, path) is None
        if is_missing and path[:-2] == named[:-2]:
            return named  # a key that misses is told by the one that needs it
        return path if path and _is_one_place(value, path) else named

    said = tuple(replace(each, path=place(each.path)) for each in verdict.errors)
    return Outcome(one, server.Verdict(said, verdict.warnings), ours)


def _is_one_place(value: Object, path: Field) -> bool:
    found = at(value, path)
    is_list_of_maps = isinstance(found, list) and any(isinstance(item, dict) for item in found)
    return at(value, path[:-1]) is not None and not is_list_of_maps


def _ours(one: Mutant) -> frozenset[Ours]:
    return frozenset(OfOperators(*found) for found in errors(one.text) - errors_of(one.base))


def run(seed: int, tries: int) -> Tally:
    """What comes of the mutants of the first numbers."""
    tally = Tally()
    for start in range(0, tries, CHUNK):
        for outcome in outcomes(mutant(seed, n) for n in range(start, min(start + CHUNK, tries))):
            tally.add(outcome)
        print(f"{start + CHUNK} of {tries}", file=sys.stderr, flush=True)
    return tally


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.refusals.operators.contest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=20_000)
    parser.add_argument("--patterns", type=int, default=60, help="how many of those most missed")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.relative_to(ROOT)}")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="show one mutant")
    arguments = parser.parse_args()
    if arguments.only is not None:
        return _show(mutant(arguments.seed, arguments.only))
    tally = run(arguments.seed, arguments.tries)
    data = tally.as_data(arguments.seed, arguments.patterns)
    print("\n".join(lines(data)))
    if arguments.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def _show(one: Mutant) -> int:
    (verdict,) = judge([one.text])
    print(f"{one.base.name}: {format_path(one.path)} {one.mutation}\n{one.text}")
    for said in verdict.errors:
        print(f"{verdict.by}: {said.field}: {said.message} [{said.type}]")
    for ours in sorted(_ours(one)):
        print(f"ours: {format_path(ours.path)}: {ours.message} [{ours.rule}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
