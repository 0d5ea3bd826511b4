"""The published schemas: made from the models, and of one mind with the reader."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gpuspec.locate import shipped
from gpuspec.manifests import InputError, Place, read
from gpuspec.spec import PROFILE_KIND, parse_profile, parse_workload
from gpuspec.spec.schema import KINDS, file_name, json_schema
from gpuspec.spec.starters import starter

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
STARTERS = (
    "inference",
    "training",
    "fine-tune",
    "batch-inference",
    "cluster-profile",
    "smoke-test",
)


class Plain:
    """A document without a text."""

    def __init__(self, value: object) -> None:
        self.value = value

    def place(self, path: tuple[str | int, ...], *, key: bool = False) -> Place:
        return Place("plain", 1, 1)


@cache
def published(kind: str) -> Draft202012Validator:
    text = (shipped("schemas") / "gpuspec" / file_name(kind)).read_text(encoding="utf-8")
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def messages(value: Any) -> list[str]:
    """What the reader says of a value."""
    parse = parse_profile if value.get("kind") == PROFILE_KIND else parse_workload
    try:
        parse(Plain(value))
    except InputError as error:
        return [problem.message for problem in error.problems]
    return []


def documents() -> dict[str, Any]:
    found = {f"starter {name}": read(starter(name), name)[0].value for name in STARTERS}
    for path in EXAMPLES:
        for document in read(path.read_bytes(), path.name):
            value = document.value
            if isinstance(value, dict) and value.get("kind") in KINDS:
                found[f"example {path.name}"] = value
    return found


DOCUMENTS = documents()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_committed_schemas_are_those_of_the_models(kind: str) -> None:
    path = shipped("schemas") / "gpuspec" / file_name(kind)
    made = json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n"
    assert path.read_text(encoding="utf-8") == made, "run: python schemas/make_gpuspec.py"


def test_no_schema_is_left_over() -> None:
    there = {path.name for path in (shipped("schemas") / "gpuspec").glob("*.json")}
    assert there == {file_name(kind) for kind in KINDS}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_examples_and_starters_are_good(name: str) -> None:
    value = DOCUMENTS[name]
    assert [error.message for error in published(value["kind"]).iter_errors(value)] == []
    assert messages(value) == []


def fields(kind: str) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Every field of a kind's schema: the part it is of, its name, its schema, all parts."""
    schema = json_schema(kind)
    for name, part in {kind: schema, **schema["$defs"]}.items():
        for field, described in part.get("properties", {}).items():
            yield name, field, described, schema["$defs"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_field_is_described(kind: str) -> None:
    for part, field, described, _ in fields(kind):
        if field != "kind":
            said = described.get("description", "")
            assert said.endswith((".", "…", ")")), f"{part}.{field}: {said!r}"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_text_and_number_has_an_example(kind: str) -> None:
    for part, field, described, _ in fields(kind):
        plain = described.get("type") in ("string", "integer", "array") or "anyOf" in described
        if plain and "enum" not in described and not _of_parts(described):
            assert described.get("examples"), f"{part}.{field}"


def _of_parts(described: dict[str, Any]) -> bool:
    return "$ref" in described.get("items", {})


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_examples_in_the_schema_are_valid(kind: str) -> None:
    for part, field, described, parts in fields(kind):
        validator = Draft202012Validator({**described, "$defs": parts})
        for example in described.get("examples", ()):
            found = [error.message for error in validator.iter_errors(example)]
            # An example of a whole part shows some of its fields.
            found = [message for message in found if "required" not in message]
            assert found == [], f"{part}.{field}: {example!r}"
        if "default" in described:
            found = [error.message for error in validator.iter_errors(described["default"])]
            assert found == [], f"{part}.{field}: its default"


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([2**31, 2**63, -(2**63), 0.5, 1.5, -0.0, 1e300]),
    st.sampled_from(
        ["", "x", "X", "1", "0", "-1", "6Gi", "6GB", "1h", "90", "yes", "/x", "x/../y", "/x\n", "1h\n",
         "a\n", "8.0", "1.36", "vllm", "custom", "spot", "none", "ä", "a b", "a" * 64, "1.5Gi", "1e3", "-0", "-1Gi"]
    ),
    st.sampled_from([[], {}, ["x"], [1], [{}], {"x": 1}, {"": ""}, {"secret": "s", "key": "k"}]),
)  # fmt: skip


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path of a value but those within an override's patch."""
    found = [above] if above else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()  # fmt: skip
    for key, inner in items:
        if key != "patch":
            found += paths(inner, (*above, key))
    return found


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def mutants(draw: st.DrawFn) -> Any:
    """A good document with one to three changes: other values, missing keys, unknown keys."""
    value = copy.deepcopy(draw(st.sampled_from(WHOLE)))
    for _ in range(draw(st.integers(1, 3))):
        spots = [p for p in paths(value) if p not in (("apiVersion",), ("kind",))]
        if not spots:
            break
        path = draw(st.sampled_from(spots))
        parent = at(value, path[:-1])
        match draw(st.sampled_from(["value", "delete", "unknown"])):
            case "value":
                parent[path[-1]] = copy.deepcopy(draw(STRANGE))
            case "delete":
                del parent[path[-1]]
            case "unknown" if isinstance(parent, dict):
                parent[draw(st.sampled_from(["x", "Count", "on", "", "image", "gpu"]))] = 1
    return value


def filled(kind: str) -> Any:
    """A document of a kind with every field that there is, from the examples in the schema."""
    schema = json_schema(kind)
    value = _example(schema, schema["$defs"])
    value["apiVersion"], value["kind"] = "gpuspec.dev/v1alpha1", kind
    return value


def _example(described: dict[str, Any], parts: dict[str, Any]) -> Any:
    if "$ref" in described:
        return _example(parts[described["$ref"].rpartition("/")[2]], parts)
    if "properties" in described:
        return {name: _example(field, parts) for name, field in described["properties"].items()}
    if described.get("type") == "array" and "$ref" in described["items"]:
        return [_example(described["items"], parts)]
    for known in ("examples", "enum"):
        if known in described:
            return described[known][-1]
    empty: dict[str, Any] = {"object": {}, "array": []}
    return described.get("default", empty.get(described.get("type", ""), False))


WHOLE = [*DOCUMENTS.values(), *(filled(kind) for kind in sorted(KINDS))]
# The one thing that no pattern can say.
BEYOND_SCHEMA = "a quantity cannot be more than"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_document_with_every_field_has_a_good_form(kind: str) -> None:
    value = filled(kind)
    assert [error.message for error in published(kind).iter_errors(value)] == []
    msgspec.convert(value, KINDS[kind], dec_hook=_decode())


def _decode() -> Any:
    from gpuspec.spec.types import decode

    return decode


def is_whole(value: Any) -> bool:
    """Whether a value is a float that JSON Schema takes for an integer, as the reader does too, but
    not where text may stand: an environment's `2.0` is refused, since nobody knows which was meant."""
    return isinstance(value, float) and value.is_integer()


def reads(value: Any) -> bool:
    """Whether the reader takes the form of a value: no nulls, and it becomes a model."""
    if any(at(value, path) is None for path in paths(value)):
        return False
    try:
        msgspec.convert(value, KINDS[value["kind"]], dec_hook=_decode())
    except msgspec.ValidationError:
        return False
    return True


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutants())
def test_schema_and_reader_agree(value: Any) -> None:
    assume(not any("env" in path and is_whole(at(value, path)) for path in paths(value)))
    # The reader of YAML makes 0 of it, and the one of models knows no such integer.
    assume(not any(str(at(value, path)) == "-0.0" for path in paths(value)))
    assert published(value["kind"]).is_valid(value) == reads(value)
    said = messages(value)
    assert reads(value) or said
    # Nothing is ever said in the reader's own words.
    assert not any("$." in message or message.startswith("Expected") for message in said), said


def test_only_the_size_of_a_quantity_is_beyond_the_schema() -> None:
    value = copy.deepcopy(DOCUMENTS["starter training"])
    value["spec"]["gpu"]["memory"] = "9Ei"
    assert published("Training").is_valid(value)
    assert messages(value) == ['`spec.gpu.memory`: "9Ei" is not a Kubernetes quantity']
