"""The two checkers, the walk over few objects and the compiled schema for many, agree."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.manifests import Path
from gpuspec.validation import supported_versions, walk
from gpuspec.validation.bundle import load
from gpuspec.validation.compiled import is_valid
from gpuspec.validation.nodes import SchemaNode, root
from gpuspec.validation.violation import SchemaViolation
from gpuspec.validation.walk import SchemaFault, faults, left

DEPLOYMENT = ("apps/v1", "Deployment")


@pytest.mark.parametrize("version", supported_versions())
def test_on_objects_with_one_change(version: str, broken: list[dict[str, Any]]) -> None:
    bundle = load(version)
    compared = slow = 0
    for value in broken:
        kind = str(value.get("apiVersion")), str(value.get("kind"))
        if kind in bundle:
            compared += 1
            top = root(bundle, kind)
            found, quick = faults(top, value), is_valid(version, kind, value)
            assert not quick or left(top, value) == found, value
            slow += not (found or quick)
    assert compared > 5000
    # A null counts as a field for the compiled schema: those are looked into once more.
    assert slow < compared / 20


def test_a_plain_value_of_the_right_type_is_not_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[object] = []
    visit = walk._visit

    def counted(
        node: SchemaNode, value: object, path: Path, found: list[SchemaFault | SchemaViolation]
    ) -> None:
        looked.append(value)
        visit(node, value, path, found)

    monkeypatch.setattr(walk, "_visit", counted)
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "x"},
        "spec": {"containers": [{"name": "main", "image": "x", "args": ["a", "b"]}]},
    }
    assert not faults(root(load(supported_versions()[-1]), ("v1", "Pod")), value)
    plain = [one for one in looked if not isinstance(one, dict | list)]
    assert {"v1", "Pod"} <= {*plain}  # which the schema counts out
    assert not {"a", "b"} & {*plain}


NAMES = """apiVersion kind metadata name labels spec replicas selector matchLabels template strategy
    rollingUpdate maxSurge containers ports containerPort httpGet port resources limits cpu env value
    volumes args"""

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
names = st.sampled_from(NAMES.split())
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4)
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(names, values))
def test_on_anything(value: dict[str, Any]) -> None:
    node = root(load("1.37"), DEPLOYMENT)
    found, quick = faults(node, value), is_valid("1.37", DEPLOYMENT, value)
    assert quick == (not found) or (quick and left(node, value) == found)
