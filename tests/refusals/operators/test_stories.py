"""Objects that an operator refuses, or never starts, one fault each, and their twins, which it takes."""

from pathlib import Path as File
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.manifests import format_path, parse_path, write
from gpuspec.validation import validate
from gpuspec.validation.operators import OPERATORS
from tests.refusals.contest.spots import spots
from tests.refusals.contest.trees import drop, put
from tests.refusals.judge import NEWEST, Object
from tests.refusals.operators.bases import bases, bundle
from tests.refusals.operators.conftest import Judge
from tests.refusals.test_stories import errors
from tests.refusals.test_versions import script

STORIES: list[dict[str, Any]] = yaml.safe_load(
    (File(__file__).parent / "stories.yaml").read_text(encoding="utf-8")
)
BASES = {base.name.partition(" ")[2]: base.value for base in bases()}
told = pytest.mark.parametrize("story", STORIES, ids=lambda one: f"{one['of']} {one['at']}")


def changed(of: str, change: dict[str, Any]) -> Object:
    """A clean object with some things changed, or deleted."""
    value: Object = BASES[of]
    for where, new in change.items():
        path = parse_path(where)
        value = drop(value, path) if new is None else put(value, path, new)
    return value


@told
def test_what_is_refused_is_told_with_its_place_its_reason_and_by_whom(
    story: dict[str, Any],
) -> None:
    found = errors(changed(story["of"], story["bad"]))
    where = format_path(parse_path(story["at"]))
    said = [message for path, message in found if path == where and story["says"] in message]
    assert said, found
    assert said[0].endswith(tuple(OPERATORS.values())), said


@told
def test_its_twin_is_taken(story: dict[str, Any]) -> None:
    found = validate(changed(story["of"], story["good"]), NEWEST)
    assert [one for one in found if one.reason != "no-schema"] == []


FILLED: list[tuple[str, dict[str, Any]]] = [
    ("LeaderWorkerSet/chat", {"spec.networkConfig": {}}),
    ("LeaderWorkerSet/chat", {"spec.leaderWorkerTemplate.restartPolicy": ""}),
    ("JobSet/train", {"spec.failurePolicy.rules[0].name": None}),
    ("ClusterQueue/research-before", {"spec.queueingStrategy": "", "spec.cohort": "ml"}),
    ("ClusterQueue/plain", {"spec.resourceGroups[0].flavors[0].resources[0].nominalQuota": " 8 "}),
    ("ClusterQueue/plain", {"spec.resourceGroups[0].flavors[0].resources[0].nominalQuota": 1.5}),
]


@pytest.mark.parametrize(("of", "change"), FILLED)
def test_what_a_webhook_fills_in_is_not_missed(of: str, change: dict[str, Any]) -> None:
    assert errors(changed(of, change)) == []


@pytest.mark.binaries
def test_an_operator_fills_it_in(judge: Judge) -> None:
    for verdict in judge(changed(of, change) for of, change in FILLED):
        assert verdict.errors == ()


NULLS: list[tuple[str, dict[str, Any], str]] = [
    ("LeaderWorkerSet/plain", {"spec.leaderWorkerTemplate": {"size": None}}, "GPU743"),
    ("RayJob/rules", {"spec": {"rayClusterSpec": None}}, "GPU742"),
    ("MPIJob/train", {"spec.mpiReplicaSpecs": {"Launcher": None}}, "GPU741"),
    ("ScaledObject/formula", {"spec": {"minReplicaCount": None}}, "GPU803"),
]


@pytest.mark.parametrize(("of", "nulls", "code"), NULLS)
def test_null_is_what_is_not_there(of: str, nulls: dict[str, Any], code: str) -> None:
    """Rules that say what an operator refuses read null as an operator does."""
    value = BASES[of]
    for where, fields in nulls.items():
        for field in fields:
            value = put(value, (*parse_path(where), field), None)
    found = gpuspec.lint_text(write([value]), "object.yaml", severity="error")
    assert code in {one.rule for one in found.findings}


def test_what_the_definition_refuses_already_is_said_once() -> None:
    value = changed("JAXJob/train", {"spec.jaxReplicaSpecs": None})
    (found,) = errors(value)
    assert found[1].endswith("the API server rejects the object")


@pytest.mark.parametrize("name", BASES)
def test_no_null_and_no_missing_field_stops_it(name: str) -> None:
    """What the linter reads of an object may not be there, wherever it is."""
    kind = BASES[name]["apiVersion"], BASES[name]["kind"]
    schemas = bundle(kind)
    for spot in spots(schemas, schemas.root(kind), BASES[name]):
        if spot.there:
            for wrong in (put(BASES[name], spot.path, None), drop(BASES[name], spot.path)):
                assert isinstance(validate(wrong, NEWEST), tuple)


def test_the_files_are_what_the_tables_make() -> None:
    made = script()
    for path in sorted(made.OPERATORS.glob("*.yaml")):
        assert path.with_suffix(".json").read_text(encoding="utf-8") == made.of_operator(path)


def test_every_operator_has_a_story() -> None:
    said = {
        message.rpartition(", so ")[2]
        for story in STORIES
        for path, message in errors(changed(story["of"], story["bad"]))
        if path == format_path(parse_path(story["at"]))
    }
    assert set(OPERATORS.values()) <= said


@pytest.mark.binaries
def test_an_operator_says_so_too(judge: Judge) -> None:
    for field, by in (("bad", {"webhook", "controller"}), ("good", {""})):
        verdicts = judge(changed(story["of"], story[field]) for story in STORIES)
        for story, verdict in zip(STORIES, verdicts, strict=True):
            said = {story["by"]} if field == "bad" and "by" in story else by
            assert verdict.by in said, (story, verdict)


ZEROS: list[tuple[str, str]] = [
    ("ClusterQueue/plain", "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota"),
    ("JobSet/plain", "spec.replicatedJobs[0].name"),
]


@pytest.mark.parametrize(("of", "at"), ZEROS)
def test_what_a_webhook_writes_nothing_into_is_not_refused(of: str, at: str) -> None:
    """It is missed all the same: nobody means a zero by leaving it out."""
    found = gpuspec.lint_text(write([changed(of, {at: None})]), "object.yaml").findings
    missed = [one for one in found if one.rule == "GPU012"]
    assert [(one.path, one.severity) for one in missed] == [(at, "warning")]


UNIT = {"spec.resourceGroups[0].flavors[0].resources[0].nominalQuota": "Gi"}


def test_a_unit_without_a_number_is_none_of_it() -> None:
    value = changed("ClusterQueue/plain", UNIT)
    (found,) = gpuspec.lint_text(write([value]), "object.yaml", select=("GPU011",)).findings
    assert found.severity == "warning"
    assert "webhook sets the field to `0`" in found.message


@pytest.mark.binaries
def test_an_operator_reads_a_unit_so(judge: Judge) -> None:
    assert [one.errors for one in judge([changed("ClusterQueue/plain", UNIT)])] == [()]


@pytest.mark.binaries
def test_an_operator_takes_it(judge: Judge) -> None:
    for verdict in judge(changed(of, {at: None}) for of, at in ZEROS):
        assert verdict.errors == ()


def test_what_is_refused_is_said_beside_what_only_hurts() -> None:
    """That nothing advertises a resource is a warning; that KServe does not know it is the end."""
    limits = {"spec.predictor.model.resources.limits": {"nvidiacom/gpu": "8"}}
    value = changed("InferenceService/many", limits)
    found = gpuspec.lint_text(write([value]), "object.yaml").findings
    said = {(one.rule, one.severity) for one in found if "nvidiacom/gpu" in one.path}
    assert said == {("GPU017", "error"), ("GPU103", "warning")}


def test_null_in_a_list_is_an_empty_text_where_any_text_is_taken() -> None:
    at = "spec.failurePolicy.rules[0].onJobFailureReasons"
    (refused,) = validate(changed("JobSet/train", {at: [None]}), NEWEST)
    claims = "spec.volumeClaimPolicies[0].templates[0].spec.accessModes"
    (found,) = validate(changed("JobSet/train", {claims: [None]}), NEWEST)
    assert (found.zero, refused.zero) == ('""', None)


def test_a_text_is_filled_in_where_there_is_none_and_not_another_type() -> None:
    value = changed("JobSet/train", {"spec.failurePolicy.rules[0].name": []})
    (found,) = validate(value, NEWEST)
    assert not found.taken
