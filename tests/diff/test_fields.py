"""Which fields differ: by meaning, not by how they are written."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.diff.fields import differences
from gpuspec.diff.steps import Pick, Steps, written
from gpuspec.diff.values import ABSENT
from tests.diff.sides import change, compared, deployment, told


def paths(old: Any, new: Any, *, ours: bool = False) -> list[str]:
    return [f"{raw.change} {written(raw.steps)}" for raw in differences(old, new, ours=ours)]


LIMITS = {"resources": {"limits": {"memory": "1Gi", "cpu": "1", "nvidia.com/gpu": 1}}}


@pytest.mark.parametrize(
    "other",
    [
        {"resources": {"limits": {"memory": "1024Mi", "cpu": "1000m", "nvidia.com/gpu": "1"}}},
        {"resources": {"limits": {"nvidia.com/gpu": "1e0", "cpu": 1.0, "memory": 1073741824}}},
    ],
)
def test_quantities_are_compared_by_value(other: Any) -> None:
    assert paths(LIMITS, other) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # A text is a text, whatever it looks like.
        ({"env": [{"name": "A", "value": "1Gi"}]}, {"env": [{"name": "A", "value": "1024Mi"}]}, 1),
        (
            {"metadata": {"labels": {"storage": "1Gi"}}},
            {"metadata": {"labels": {"storage": "1024Mi"}}},
            1,
        ),
        ({"a": "1"}, {"a": 1}, 1),
        ({"a": True}, {"a": 1}, 1),
        ({"a": 1}, {"a": 1.0}, 0),
        ({"a": None}, {}, 0),
        ({"a": {}}, {}, 1),
        ({"a": []}, {"a": [None]}, 0),
        ({"a": "x"}, {"a": {"x": 1}}, 1),
        ({"volumes": [{"name": "a", "emptyDir": {}}]}, {"volumes": [{"name": "a"}]}, 1),
    ],
)
def test_what_is_a_difference(old: Any, new: Any, expected: int) -> None:
    assert len(paths(old, new)) == expected


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("containers", [{"name": "a"}, {"name": "b", "image": "x"}], [{"name": "b", "image": "y"}, {"name": "a"}],
         ["changed containers[name=b].image"]),
        ("env", [{"name": "A", "value": "1"}], [{"name": "B", "value": "1"}, {"name": "A", "value": "1"}],
         ["added env[name=B]"]),
        ("ports", [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}], [{"containerPort": 80, "protocol": "UDP"}],
         ["removed ports[containerPort=80]"]),
        ("ports", [{"name": "http", "port": 80}], [{"name": "http", "port": 8080}], ["changed ports[name=http].port"]),
        ("tolerations", [{"key": "a", "operator": "Exists"}, {"operator": "Exists"}], [{"operator": "Exists"}],
         ["removed tolerations[0]"]),
        ("tolerations", [{"key": "a", "effect": "NoSchedule", "value": "x"}], [{"key": "a", "effect": "NoSchedule", "value": "y"}],
         ["changed tolerations[key=a,effect=NoSchedule].value"]),
        ("drop", ["ALL"], ["NET_RAW", "ALL"], ["added drop[NET_RAW]"]),
        ("volumeClaimTemplates", [{"metadata": {"name": "v"}, "spec": 1}], [{"metadata": {"name": "v"}, "spec": 2}],
         ["changed volumeClaimTemplates[name=v].spec"]),
        ("initContainers", [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}], ["reordered initContainers"]),
        ("unknownThings", [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}], ["reordered unknownThings"]),
        ("env", [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}], [{"name": "B", "value": "$(A)"}, {"name": "A", "value": "1"}],
         ["reordered env"]),
        ("metrics", [{"type": "A"}, {"type": "B"}], [{"type": "B"}], ["removed metrics[0]"]),
        ("args", ["--a", "1", "--b=2"], ["--a", "3", "--b=4"], ["changed args[--a]", "changed args[--b]"]),
        ("args", ["--a", "1"], ["--new", "--a", "1"], ["added args[--new]"]),
        ("args", ["--a", "1", "--b"], ["--b", "--a", "1"], ["reordered args"]),
        ("args", ["--a", "1"], ["--a=1"], ["changed args[--a]"]),
        ("args", ["serve", "x"], ["serve", "y"], ["changed args[1]"]),
        ("args", ["a", "a"], ["a", "a", "b"], ["added args[2]"]),
        ("command", ["sh", "-c", "one"], ["sh", "-c", "two"], ["changed command[-c]"]),
    ],
)  # fmt: skip
def test_items_of_lists_belong_together_by_what_they_are(
    name: str, old: Any, new: Any, expected: list[str]
) -> None:
    assert paths({name: old}, {name: new}) == expected
    assert paths({name: old}, {name: old}) == []


def test_durations_and_amounts_of_a_spec_are_compared_by_value() -> None:
    old = {
        "spec": {"duration": {"max": "90m"}, "resources": {"memory": "1Gi"}, "env": {"A": "60s"}}
    }
    new = {
        "spec": {
            "duration": {"max": "1h30m"},
            "resources": {"memory": "1024Mi"},
            "env": {"A": "1m"},
        }
    }
    assert paths(old, new, ours=True) == ["changed spec.env.A"]


def test_defaults_are_not_invented() -> None:
    assert told(change(deployment(), deployment(spec=", replicas: 1"))) == [
        "+ spec.replicas: None → 1"
    ]


def test_a_long_list_is_compared_at_once() -> None:
    old = {"data": [str(n) for n in range(2_000)]}
    assert paths(old, {"data": old["data"][::-1]}) == ["changed data"]


# --------------------------------------------------------------------------------- properties

TEXTS = st.sampled_from(["a", "b", "c", "1Gi", "1024Mi", "--x", "y=1", ""])
LEAVES = TEXTS | st.integers(0, 3) | st.booleans() | st.none()
KEYS = st.sampled_from(
    ["spec", "env", "args", "containers", "limits", "memory", "name", "tolerations", "drop", "key"]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
NAMED = st.lists(
    st.fixed_dictionaries({"name": TEXTS.filter(bool), "value": LEAVES}),
    max_size=4,
    unique_by=lambda one: one["name"],
)
PODS = st.fixed_dictionaries({"containers": NAMED, "volumes": NAMED, "imagePullSecrets": NAMED})


@given(VALUES)
@settings(max_examples=150)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert paths(value, json.loads(json.dumps(value))) == []


@given(PODS, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_keys_and_of_named_items_means_nothing(
    value: Any, chance: random.Random
) -> None:
    assert paths(value, shuffled(value, chance)) == []


@given(VALUES, VALUES)
@settings(max_examples=200)
def test_every_leaf_that_changed_is_mentioned(old: Any, new: Any) -> None:
    """What is reported, put into the old value, makes the new one."""
    old, new = {"top": old}, {"top": new}
    found = differences(old, new)
    if bare(old) != bare(new):
        assert found or equal_in_meaning(old, new)
    for raw in found:
        assert raw.old is not raw.new
        if not raw.reordered and all(isinstance(step, str) for step in raw.steps):
            assert at(old, raw.steps) == raw.old
            assert at(new, raw.steps) == raw.new


@given(VALUES, TEXTS)
@settings(max_examples=100)
def test_a_changed_scalar_is_found_wherever_it_is(value: Any, mark: str) -> None:
    old = {"top": value}
    for steps in leaves(old):
        new = json.loads(json.dumps(old))
        put(new, steps, f"changed {mark}")
        assert paths(old, new), f"{steps} of {old}"


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        keys = [*value]
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    if isinstance(value, list):
        items = [shuffled(item, chance) for item in value]
        chance.shuffle(items)
        return items
    return value


def bare(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def equal_in_meaning(old: Any, new: Any) -> bool:
    """Equal once nulls are gone, amounts are numbers and orderless lists are sorted."""
    return meaning(old, ()) == meaning(new, ())


def meaning(value: Any, names: tuple[str, ...]) -> str:
    if isinstance(value, dict):
        kept = {k: meaning(v, (*names, k)) for k, v in value.items() if v is not None}
        return json.dumps(kept, sort_keys=True)
    if isinstance(value, list):
        return json.dumps(sorted(meaning(v, names) for v in value if v is not None))
    if isinstance(value, str) and value in ("1Gi", "1024Mi"):
        return "an amount"
    # `--x` with a value and `--x=value` are one to most programs.
    return json.dumps(value)


def at(value: Any, steps: Steps) -> Any:
    for step in steps:
        assert not isinstance(step, Pick)
        value = value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    return ABSENT if value is None else value


def leaves(value: Any, steps: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [one for key, inner in value.items() for one in leaves(inner, (*steps, key))]
    if isinstance(value, list):
        return [one for n, inner in enumerate(value) for one in leaves(inner, (*steps, n))]
    return [steps]


def put(value: Any, steps: tuple[str | int, ...], new: Any) -> None:
    for step in steps[:-1]:
        value = value[step]
    value[steps[-1]] = new


def test_an_object_compared_with_itself_is_alike() -> None:
    found = compared(deployment(), deployment())
    assert (found.level, found.alike, found.changes) == (None, 1, ())
