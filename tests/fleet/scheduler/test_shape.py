"""Pods' specs are read once, whatever they hold."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.fleet.scheduler.shape import Priority, shape_of
from gpuspec.fleet.scheduler.snapshot import Snapshot
from gpuspec.fleet.scheduler.verdict import feasible
from tests.fleet.scheduler.fleet import REQUIRED, bare, node

KEYS = (
    *("key", "operator", "values", "labelSelector", "matchLabels", "matchExpressions"),
    *("topologyKey", "maxSkew", "whenUnsatisfiable", "resources", "requests", "limits", "ports"),
    *("hostPort", "nodeSelectorTerms", "matchFields", "weight", "preference", "claimName"),
    *("podAffinityTerm", "namespaceSelector", "matchLabelKeys", "persistentVolumeClaim"),
    *(REQUIRED, "nodeAffinity", "podAffinity", "podAntiAffinity", "cpu", "restartPolicy"),
)
WORDS = ("In", "Exists", "Gt", "Always", "DoNotSchedule", "zone", "1", "500m")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = (
    *("containers", "initContainers", "overhead", "resources", "nodeName", "nodeSelector"),
    *("affinity", "tolerations", "topologySpreadConstraints", "schedulingGates", "volumes"),
    *("schedulerName", "priority", "priorityClassName", "preemptionPolicy", "hostNetwork"),
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=6) | ANYTHING,
    st.none() | ANYTHING,
)
def test_nothing_in_a_spec_raises(spec: Any, labels: Any) -> None:
    shape = shape_of(spec, labels=labels)
    assert isinstance(shape.plain, bool)
    assert len(feasible(shape, Snapshot([node("a")])).refusals) <= 1


@pytest.mark.parametrize(
    ("more", "plain"),
    [
        ({}, True),
        ({"nodeSelector": {"zone": "a"}}, True),
        ({"tolerations": [{"operator": "Exists"}]}, True),
        ({"nodeSelector": {"kubernetes.io/hostname": "a"}}, False),
        ({"nodeName": "a"}, False),
        ({"containers": [{"ports": [{"containerPort": 80}]}]}, True),
        ({"containers": [{"ports": [{"hostPort": 80}]}]}, False),
        ({"hostNetwork": True, "containers": [{"ports": [{"containerPort": 80}]}]}, False),
        ({"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone"}]}}}, False),
        (
            {
                "topologySpreadConstraints": [
                    {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
                ]
            },
            True,
        ),
        (
            {
                "topologySpreadConstraints": [
                    {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
                ]
            },
            False,
        ),
    ],
)
def test_plain_is_what_a_nodes_state_alone_decides(more: dict[str, Any], plain: bool) -> None:
    assert shape_of(bare(**more)).plain is plain


def test_the_labels_that_it_reads() -> None:
    term = {"matchExpressions": [{"key": "rack", "operator": "Exists"}]}
    affinity = {
        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}},
        "podAffinity": {REQUIRED: [{"topologyKey": "row"}]},
    }
    shape = shape_of(bare(nodeSelector={"zone": "a"}, affinity=affinity))
    assert shape.reads == {"zone", "rack", "row"}


def test_shapes_are_equal_only_to_themselves() -> None:
    one, other = shape_of(bare()), shape_of(bare())
    assert one != other
    assert len({one, other, one}) == 2


@pytest.mark.parametrize(
    ("spec", "value", "preempts"),
    [
        ({}, 5, True),
        ({"priorityClassName": "high"}, 100, False),
        ({"priorityClassName": "high", "preemptionPolicy": "PreemptLowerPriority"}, 100, True),
        ({"priorityClassName": "high", "priority": 7}, 7, False),
        ({"priorityClassName": "system-node-critical"}, 2_000_001_000, True),
        ({"priorityClassName": "gone"}, 0, True),
        ({"preemptionPolicy": "Never"}, 5, False),
    ],
)
def test_priority_is_the_classs(spec: dict[str, Any], value: int, preempts: bool) -> None:
    known = {"high": Priority(100, preempts=False), "": Priority(5)}
    shape = shape_of(bare(**spec), priorities=known)
    assert (shape.priority, shape.preempts) == (value, preempts)


def test_what_is_not_known_of_volumes_is_told() -> None:
    volumes = [{"persistentVolumeClaim": {"claimName": name}} for name in ("known", "other")]
    shape = shape_of(bare(volumes=volumes), persistent_volumes={"known": {}})
    assert shape.unknown_claims == ("other",)
    assert len(shape.volumes) == 1
