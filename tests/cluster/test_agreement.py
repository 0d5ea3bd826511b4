"""Both sides of a profile agree: what workloads ask for is what the platform hands out.

Kueue's own judgement of a flavor is written down here a second time, from its documentation: a
flavor is taken by pods that tolerate its taints and whose required affinity, as far as it speaks of
the flavor's labels, allows them; every resource must be covered, and fit the quota.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import gpuspec

Object = dict[str, Any]
MODELS = {
    "T4": "Tesla-T4",
    "A100-80GB": "NVIDIA-A100-SXM4-80GB",
    "H100-80GB": "NVIDIA-H100-80GB-HBM3",
}
SHARING = [
    {"mode": "time-slicing", "replicas": 4},
    {"mode": "mps", "replicas": 2, "rename": True},
    {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 7}},
    {"mode": "mig", "strategy": "mixed", "profiles": {"1g.10gb": 4, "3g.40gb": 1}},
    {"mode": "mig", "strategy": "single", "profiles": {"2g.20gb": 3}},
]
RDMA = [
    {"resource": "rdma/ib"},
    {"resource": "rdma/ib", "count": 8, "perGpu": True, "hugepages": "5120Mi"},
    {"resource": "rdma/ib", "resources": {"example.com/rail": 2}},
]
TAINTS = [
    {"key": "nvidia.com/gpu", "value": "present"},
    {"key": "dedicated", "value": "ml"},
    {"key": "team"},
]
LEVELS = [{"name": "rack", "label": "example.com/rack"}]
PLENTY = 256


@st.composite
def pools(draw: st.DrawFn, name: str) -> Object:
    model = draw(st.sampled_from(sorted(MODELS)))
    count = draw(st.sampled_from([1, 2, 4, 8]))
    spot = draw(st.integers(0, 5)) == 5
    pool: Object = {
        "name": name,
        "gpu": {"model": model, "count": count},
        "allocatable": {
            "cpu": draw(st.integers(8, 32)) * count + 4,
            "memory": f"{draw(st.integers(64, 256)) * count + 16}Gi",
            "ephemeralStorage": f"{draw(st.integers(100, 400)) * count + 100}Gi",
        },
        "labels": {"example.com/pool": name},
        "taints": draw(st.lists(st.sampled_from(TAINTS), unique_by=str)),
        "capacity": "spot" if spot else "on-demand",
    }
    if spot:
        pool["taints"] = [*pool["taints"], {"key": "spot", "value": "true"}]
    if draw(st.booleans()):
        pool["rdma"] = draw(st.sampled_from(RDMA))
    elif model == "T4":
        pool |= draw(st.sampled_from([{}, {"sharing": SHARING[0]}, {"sharing": SHARING[1]}]))
    else:
        pool |= draw(st.sampled_from([{}, *({"sharing": one} for one in SHARING)]))
    if "sharing" not in pool and draw(st.booleans()):
        # Of a shared GPU the label says more than the model.
        pool["labels"] = {**pool["labels"], "nvidia.com/gpu.product": MODELS[model]}
    return pool


@st.composite
def profiles(draw: st.DrawFn) -> Object:
    """One to three pools, and one or two queues of a cohort that hand out some of them."""
    found = [draw(pools(name)) for name in ("one", "two", "three")[: draw(st.integers(1, 3))]]
    names = [pool["name"] for pool in found]
    queues = []
    for name in ("first", "second")[: draw(st.integers(1, 2))]:
        listed = draw(st.one_of(st.permutations(names), st.just(names[:1])))
        parts = [{"pool": pool, "gpus": draw(st.sampled_from([8, PLENTY]))} for pool in listed]
        queues.append({"name": name, "namespaces": ["ml"], "cohort": "all", "pools": parts})
    spec = {
        "kubernetes": "1.36",
        "pools": found,
        "installed": {"kueue": draw(st.sampled_from(["0.14", "0.19"]))},
        "queues": queues,
        "namespaces": [{"name": "ml"}],
        "priorities": {"training": "train", "queued": {"urgent": 20000}},
    }
    if draw(st.sampled_from([True, True, False])):
        spec["topology"] = {"levels": LEVELS}
    return spec


@st.composite
def workloads(draw: st.DrawFn) -> tuple[str, Object]:
    kind = draw(st.sampled_from(["Training", "Training", "BatchInference"]))
    gpu: Object = {"count": draw(st.sampled_from([1, 1, 1, 2, 4, 8]))}
    gpu |= draw(st.sampled_from([{}, {"memory": "6Gi"}, {"models": sorted(MODELS)}]))
    gpu["count"] = 1 if "memory" in gpu else gpu["count"]
    spec: Object = {
        "image": "ghcr.io/example/w:1",
        "command": ["python", "-m", "w"],
        "gpu": gpu,
        "capacity": "spot" if draw(st.integers(0, 5)) == 5 else "on-demand",
        "queue": "first",
        **draw(st.sampled_from([{}, {"priority": "urgent"}])),
        **draw(st.sampled_from([{}, {"duration": {"max": "2h"}}])),
    }
    if kind == "BatchInference":
        spec["shards"] = {"count": 8, "parallelism": draw(st.integers(1, 8))}
    else:
        spec["workers"] = draw(st.sampled_from([1, 2, 3, 4, 6]))
        if spec["workers"] > 1 and draw(st.booleans()):
            spec["topology"] = {"level": "rack", "required": draw(st.booleans())}
    return kind, spec


def document(kind: str, spec: Object, **metadata: str) -> str:
    version = "gpuspec.dev/v1alpha1"
    return json.dumps(
        {"apiVersion": version, "kind": kind, "metadata": {"name": "any", **metadata}, "spec": spec}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agreement")


def test_what_is_asked_for_is_handed_out(folder: Path) -> None:
    """C-08, C-09, C-17, C-37, whatever the pools and whatever is asked for."""
    rendered = 0

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(profiles(), workloads())
    def each(profile: Object, asked: tuple[str, Object]) -> None:
        nonlocal rendered
        rendered += is_handed_out(folder, profile, asked)

    each()
    assert rendered >= 30, "of 150; what is refused proves little"


def is_handed_out(folder: Path, profile: Object, asked: tuple[str, Object]) -> bool:
    """Hold a workload's objects to the platform's; whether it was rendered at all."""
    kind, spec = asked
    (folder / "profile.yaml").write_text(document("ClusterProfile", profile))
    (folder / "spec.yaml").write_text(document(kind, spec, namespace="ml"))
    (known,) = gpuspec.load_profiles(str(folder / "profile.yaml"))
    platform = gpuspec.platform(known)
    (workload,) = gpuspec.load(str(folder / "spec.yaml"))
    try:
        rendering = gpuspec.render(workload, known)
    except gpuspec.Refusal as refusal:
        event("refused")
        small = any(part["gpus"] < PLENTY for part in profile["queues"][0]["pools"])
        assert small or "may use" not in str(refusal), "what it asks for goes with its GPUs"
        return False
    event("rendered")
    job = next(made for made in rendering.objects if made["kind"] == "Job")
    pod = job["spec"]["template"]["spec"]
    chosen = {one.pool.name for one in rendering.resolution.pools}
    listed = {pool["name"]: pool for pool in profile["pools"]}
    tolerated_taints_are_there(pod, [listed[name] for name in chosen])
    queue = one_of(platform.objects, "ClusterQueue", job["metadata"]["labels"][LABEL])
    parts = next(q["pools"] for q in profile["queues"] if q["name"] == spec["queue"])
    flavors = [one["pool"] for one in parts if one["pool"] in chosen]
    assert flavors, "a it can run on pool that, and that its queue hands out"
    for name in flavors:
        flavor = one_of(platform.objects, "ResourceFlavor", name)["spec"]
        assert taken(pod, flavor), f"{name}: {flavor}"
        assert flavor["nodeLabels"].items() <= listed[name]["labels"].items()
    for name in {one["pool"] for one in parts} - chosen:
        if covered(pod, queue["spec"], name):
            event("kept off a pool of its queue")
            flavor = one_of(platform.objects, "ResourceFlavor", name)["spec"]
            assert not taken(pod, flavor), f"{name} cannot carry it: {flavor}"
    enough(job, queue["spec"], flavors, profile)
    priority = job["metadata"]["labels"].get("kueue.x-k8s.io/priority-class")
    assert priority is None or one_of(platform.objects, "WorkloadPriorityClass", priority)
    for key, label in job["spec"]["template"]["metadata"]["annotations"].items():
        if key.startswith("kueue.x-k8s.io/podset"):
            event("topology")
            levels = one_of(platform.objects, "Topology", "default")["spec"]["levels"]
            assert {"nodeLabel": label} in levels
            for name in flavors:
                flavor = one_of(platform.objects, "ResourceFlavor", name)["spec"]
                assert flavor["topologyName"] == "default"
    return True


LABEL = "kueue.x-k8s.io/queue-name"


def one_of(objects: list[Object], kind: str, name: str) -> Object:
    (found,) = [o for o in objects if o["kind"] == kind and o["metadata"]["name"] == name]
    return found


def tolerates(toleration: Object, taint: Object) -> bool:
    exists = toleration.get("operator") == "Exists"
    return (
        toleration.get("key") == taint["key"]
        and toleration.get("effect") in (None, taint.get("effect", "NoSchedule"))
        and (exists or toleration.get("value", "") == taint.get("value", ""))
    )


def tolerated_taints_are_there(pod: Object, pools: list[Object]) -> None:
    taints = [taint for pool in pools for taint in pool["taints"]]
    for toleration in pod.get("tolerations", ()):
        assert any(tolerates(toleration, taint) for taint in taints), toleration


def taken(pod: Object, flavor: Object) -> bool:
    """Whether Kueue gives a flavor to pods."""
    given = [*pod.get("tolerations", ()), *flavor.get("tolerations", ())]
    for taint in flavor.get("nodeTaints", ()):
        if taint["effect"] != "PreferNoSchedule" and not any(tolerates(t, taint) for t in given):
            return False
    labels = flavor["nodeLabels"]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return any(
        all(
            matches(expression, labels)
            for expression in term["matchExpressions"]
            if expression["key"] in labels
        )
        for term in required["nodeSelectorTerms"]
    )


def covered(pod: Object, queue: Object, flavor: str) -> bool:
    """Whether a queue has a flavor of all that a pod asks for."""
    (group,) = queue["resourceGroups"]
    (part,) = [one for one in group["flavors"] if one["name"] == flavor]
    has = {one["name"] for one in part["resources"] if one["nominalQuota"] != "0"}
    return all(has >= each["resources"]["requests"].keys() for each in pod["containers"])


def matches(expression: Object, labels: dict[str, str]) -> bool:
    value, values = labels[expression["key"]], expression.get("values", [])
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return True
        case "Gt":
            return int(value) > int(values[0])
        case _:
            return False


UNITS = {"": 1, "m": Fraction(1, 1000), "k": 1000, **{f"{u}i": 1024 ** (i + 1) for i, u in enumerate("KMGTP")}}  # fmt: skip


def number(quantity: str) -> Fraction:
    digits = quantity.rstrip("".join(UNITS))
    return Fraction(digits) * UNITS[quantity[len(digits) :]]


def enough(job: Object, queue: Object, flavors: list[str], profile: Object) -> None:
    """Every resource is covered, is one of the pool's, and fits what the queue may use of one."""
    spec = job["spec"]
    pods = min(spec.get("parallelism", 1), spec.get("completions", 10**9))
    (main,) = spec["template"]["spec"]["containers"]
    asked = {name: number(str(q)) * pods for name, q in main["resources"]["requests"].items()}
    (group,) = queue["resourceGroups"]
    assert asked.keys() <= set(group["coveredResources"])
    fits = []
    for flavor in group["flavors"]:
        if flavor["name"] in flavors:
            own = {one["name"]: number(one["nominalQuota"]) for one in flavor["resources"]}
            assert all(own[name] for name in asked), "the pool has every resource"
            # A cohort of two lends all that it has.
            lent = sum(
                Fraction(part["gpus"], mine["gpus"])
                for mine in next(q for q in profile["queues"] if q["name"] == job["metadata"]["labels"][LABEL])["pools"]
                if mine["pool"] == flavor["name"]
                for other in profile["queues"]
                if other["name"] != job["metadata"]["labels"][LABEL]
                for part in other["pools"]
                if part["pool"] == flavor["name"]
            )  # fmt: skip
            fits.append(all(asked[name] <= own[name] * (1 + lent) for name in asked))
    assert any(fits)
