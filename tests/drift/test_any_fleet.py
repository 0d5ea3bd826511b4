"""Whatever a profile says: a fleet made from it has no drift, and one fact changed is the one that is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuspec.drift import read_dump
from gpuspec.drift.run import drift
from gpuspec.manifests import read
from gpuspec.spec import Profile, parse_profile
from tests.drift.conftest import Object, listed, machines, told

Pool = dict[str, Any]
few = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WHOLE = ("H100-80GB", "L4", "A100-40GB", "B200")
SHARED: tuple[tuple[str, Pool], ...] = (
    ("A100-80GB", {"mode": "mig", "profiles": {"1g.10gb": 7}}),
    ("H100-80GB", {"mode": "mig", "strategy": "mixed", "profiles": {"3g.40gb": 2}}),
    ("T4", {"mode": "time-slicing", "replicas": 4}),
    ("L4", {"mode": "time-slicing", "replicas": 2, "rename": True}),
    ("A10", {"mode": "mps", "replicas": 8}),
)


@st.composite
def pools(draw: st.DrawFn, number: int) -> Pool:
    """A pool that a label of its own tells from others."""
    model, sharing = draw(st.sampled_from([*((one, None) for one in WHOLE), *SHARED]))
    gpu: Pool = {"model": model, "count": draw(st.sampled_from((1, 2, 4, 8)))}
    made: Pool = {"name": f"p{number}", "gpu": gpu, "nodes": draw(st.integers(1, 3))}
    made["labels"] = {"example.com/pool": f"p{number}"}
    if sharing is not None:
        made["sharing"] = sharing
    if draw(st.booleans()):
        made["taints"] = [{"key": "gpu", "value": draw(st.sampled_from(("", "yes")))}]
    if draw(st.booleans()):
        made["zones"] = ["a", "b"]
    if draw(st.booleans()):
        made["allocatable"] = {"cpu": 64, "memory": "512Gi", "pods": 60}
    if draw(st.booleans()):
        made["rdma"] = {"resource": "rdma/hca", "count": 4, "perGpu": draw(st.booleans())}
    return made


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """A profile of one to four such pools."""
    some = [draw(pools(number)) for number in range(draw(st.integers(1, 4)))]
    made = {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "any"},
        "spec": {"kubernetes": "1.36", "pools": some},
    }
    (document,) = read(yaml.safe_dump(made), "any.yaml")
    return parse_profile(document)


def no_label(node: Object) -> str:
    del node["metadata"]["labels"]["example.com/pool"]
    return "no label example.com/pool"


def a_taint(node: Object) -> str:
    node["spec"]["taints"].append({"key": "other", "value": "x", "effect": "NoExecute"})
    return "taint other=x:NoExecute, which the pool does not have"


def one_less(node: Object) -> str:
    have = node["status"]["allocatable"]
    name = next(key for key in have if key.startswith("nvidia.com/"))
    have[name] = str(int(have[name]) - 1)
    return f"{name} can be allocated"


def cordoned(node: Object) -> str:
    node["spec"]["unschedulable"] = True
    return "cordoned"


def not_ready(node: Object) -> str:
    node["status"]["conditions"][0]["status"] = "Unknown"
    return "not ready"


CHANGES: list[Callable[[Object], str]] = [no_label, a_taint, one_less, cordoned, not_ready]


@few
@given(profiles(), st.data())
def test_no_drift_and_one_fact(profile: Profile, data: st.DataObject) -> None:
    nodes = machines(profile)
    assert told(drift(profile, None, read_dump(listed(nodes), "any")).differences) == []
    node = data.draw(st.sampled_from(nodes))
    pool = node["metadata"]["name"].partition("-")[0]
    models = [one.gpu.model for one in profile.spec.pools]
    (model,) = (one.gpu.model for one in profile.spec.pools if one.name == pool)
    # Of two pools of one model nothing tells a node that has lost its label.
    changes = CHANGES if models.count(model) == 1 else CHANGES[1:]
    said = data.draw(st.sampled_from(changes))(node)
    found = drift(profile, None, read_dump(listed(nodes), "any")).differences
    told_of = [(one.name, remark.nodes, remark.text) for one in found for remark in one.remarks]
    assert len(told_of) == 1, json.dumps(told(found))
    ((name, names, text),) = told_of
    assert (name, names) == (f"pool {pool}", (node["metadata"]["name"],))
    assert said in text
