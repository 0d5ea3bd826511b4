"""The contest's mutants have one thing wrong each, and what comes of them does not get worse."""

import json
from typing import Any

import pytest

from gpuspec.validation.bundle import load
from tests.refusals.conftest import Judge
from tests.refusals.contest import mutations, trees
from tests.refusals.contest.mutants import mutant
from tests.refusals.contest.scoring import Ours, Outcome, outcomes
from tests.refusals.contest.spots import spots
from tests.refusals.contest.table import lines
from tests.refusals.contest.tally import Tally
from tests.refusals.fields import ANY
from tests.refusals.judge import NEWEST, Said, Verdict

FEW = 3000
FOUND, ALARMS = 0.99, 0.0
"""Of what the judge refuses of the first few mutants, how much the linter says at least; of what it
takes, how much the linter says is refused, at most."""

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"b": "c"}},
    "spec": {"containers": [{"name": "main", "image": "x"}]},
    "status": {"phase": "Running"},
}


def test_places_are_what_is_there_and_what_the_schema_has() -> None:
    bundle = load(NEWEST)
    found = {one.path: one for one in spots(bundle, bundle.root(("v1", "Pod")), POD)}
    assert found["metadata", "labels", "b"].there
    assert found["spec", "containers", 0, "image"].value == "x"
    assert not found["spec", "containers", 0, "resources"].there
    assert "limits" in found["spec", "containers", 0, "resources"].schema["properties"]
    assert not {("kind",), ("status",), ("status", "phase")} & found.keys()


def test_an_object_is_changed_in_one_place() -> None:
    before = json.dumps(POD)
    path = ("spec", "containers", 0, "image")
    assert trees.at(trees.put(POD, path, "y"), path) == "y"
    assert trees.drop(POD, path)["spec"]["containers"] == [{"name": "main"}]
    assert [*trees.rename(POD, path, "imag")["spec"]["containers"][0]] == ["name", "imag"]
    assert trees.twice(POD, path).count('"image": "x"') == 2
    assert json.dumps(POD) == before
    assert list(trees.changes(POD, trees.put(POD, path, "y"))) == [path]
    assert list(trees.changes(POD, trees.drop(POD, path))) == [path]


def test_a_number_tells_a_mutant() -> None:
    first = [mutant(5, number) for number in range(200)]
    assert first == [mutant(5, number) for number in range(200)]
    assert len({one.text for one in first}) > 190


def test_every_kind_and_every_mutation_comes() -> None:
    made = [mutant(0, number) for number in range(FEW)]
    assert {one.mutation for one in made} == mutations.MUTATIONS.keys()
    assert len({one.base.kind for one in made}) > 55


def test_a_mutant_is_another_object_than_its_base() -> None:
    for number in range(500):
        one = mutant(0, number)
        assert one.mutation == "key twice" or json.loads(one.text) != one.base.value


def outcome(said: list[Said], ours: list[Ours]) -> Outcome:
    return Outcome(mutant(0, 0), Verdict(tuple(said), ()), frozenset(ours))


@pytest.mark.parametrize(
    ("theirs", "ours", "found"),
    [
        (("spec", "ports", 0, "port"), ("spec", "ports", 0, "port"), True),
        (("spec", "ports", 0, "port"), ("spec", "ports", 0), True),
        (("metadata", "labels"), ("metadata", "labels", "a"), True),
        (("spec", "ports", 0, "port"), ("spec",), False),
        (("spec", "ports", 0, "port"), ("spec", "ports", 1, "port"), False),
        (("spec", "ports", ANY, "port"), ("spec", "ports", 1, "port"), True),
        (("spec", "ports", ANY, "port"), ("spec", "ports", 1, "name"), False),
    ],
)
def test_what_is_said_of_one_place_is_found(theirs: Any, ours: Any, found: bool) -> None:
    said = Said("", "FieldValueInvalid", "", "", theirs)
    assert outcome([said], [Ours("GPU011", ours, "")]).found is found


def test_what_misses_is_named_by_what_it_would_hold() -> None:
    one = mutant(0, 0)._replace(text=json.dumps({"spec": {"ports": None}}))
    said = Said("", "FieldValueRequired", "", "", ("spec", "ports", 0, "port"))
    inside = Said("", "FieldValueRequired", "", "", ("spec", "template", "spec", "containers"))

    def found(theirs: Said, *ours: str) -> bool:
        told = frozenset([Ours("GPU012", ours, "")])
        return Outcome(one, Verdict((theirs,), ()), told).found

    assert found(said, "spec", "ports")
    assert found(inside, "spec", "template")
    assert not found(inside, "spec")


def test_what_a_server_takes_and_we_say_it_refuses_is_an_alarm() -> None:
    wrong = Ours("GPU011", ("spec",), "expected a list: the API server rejects the object")
    harmful = Ours("GPU901", ("spec",), "it ends with a bus error")
    assert outcome([], [wrong, harmful]).alarms == [wrong]
    assert outcome([Said("", "FieldValueInvalid", "", "")], [wrong]).alarms == []


@pytest.mark.binaries
def test_a_small_contest(judge: Judge) -> None:
    tally = Tally()
    for one in outcomes(mutant(0, number) for number in range(FEW)):
        tally.add(one)
    data = tally.as_data(0, 20)
    text = "\n".join(lines(data))
    total = data["kinds"]["all"]
    assert data["tries"] == FEW
    assert total["refused"] > FEW * 0.5, text
    assert total["found"] >= FOUND * total["refused"], text
    assert total["alarming"] <= ALARMS * total["taken"], text
