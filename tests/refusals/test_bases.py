"""The contest begins with clean objects: one of every kind, with nearly every field that there is."""

from collections.abc import Iterator
from typing import Any

import pytest

from gpuspec.validation.bundle import Bundle, Schema, load
from tests.refusals import judge as wrapper
from tests.refusals.conftest import Judge
from tests.refusals.contest.bases import FAULTY, field, full, rendered, written
from tests.refusals.contest.spots import resolved
from tests.refusals.judge import NEWEST

WARNED = {"Endpoints"}
"""Kinds that the server warns of, whatever is in them."""
FIELDS = 0.85
"""How many of the fields that their schemas have are set, of the parts that any base has."""


@pytest.mark.binaries
def test_every_kind_that_a_server_has_is_there(judge: Judge) -> None:
    served = {(one.api_version, one.kind) for one in wrapper.kinds(NEWEST)}
    assert {one.kind for one in full()} == served


@pytest.mark.binaries
def test_the_judge_takes_them_without_a_word(judge: Judge) -> None:
    bases = [*full(), *rendered()]
    assert len(bases) > 100
    for base, verdict in zip(bases, judge(one.value for one in bases), strict=True):
        assert verdict.errors == (), base.name
        assert base.kind[1] in WARNED or verdict.warnings == (), base.name


@pytest.mark.binaries
def test_the_judge_takes_what_people_wrote_but_for_what_is_listed(judge: Judge) -> None:
    assert len(field()) > 100
    bases = written()
    judged = zip(bases, judge(one.value for one in bases), strict=True)
    assert {base.name for base, verdict in judged if verdict.errors} == FAULTY


def test_every_object_has_a_name_of_its_own() -> None:
    names = [(base.name, base.kind) for base in (*full(), *rendered(), *written())]
    assert len(set(names)) == len(names)


def parts(bundle: Bundle, name: str, schema: Schema, value: Any) -> Iterator[tuple[str, str, bool]]:
    """The fields of a value's schemas, by schema and name, and whether they are set."""
    name = schema.get("$ref", name)
    schema = resolved(bundle, schema)
    if isinstance(value, dict):
        fields = schema.get("properties", {})
        for field in fields:
            yield name, field, field in value
        for field, held in value.items():
            others = schema.get("additionalProperties")
            below = fields.get(field, others if isinstance(others, dict) else {})
            yield from parts(bundle, f"{name}.{field}", below, held)
    elif isinstance(value, list):
        for held in value:
            yield from parts(bundle, name, schema.get("items", {}), held)


def test_nearly_every_field_is_set() -> None:
    bundle = load(NEWEST)
    fields: dict[tuple[str, str], bool] = {}
    for base in full():
        for name, part, there in parts(bundle, base.kind[1], bundle.root(base.kind), base.value):
            if "ObjectMeta" not in name and "Status" not in name and part != "status":
                fields[name, part] = fields.get((name, part), False) or there
    unset = sorted(key for key, there in fields.items() if not there)
    assert len(fields) > 1000
    assert 1 - len(unset) / len(fields) > FIELDS, unset
