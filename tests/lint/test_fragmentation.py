"""Shapes against nodes beyond the rules' pages: levels, several pools, and silence without need."""

import json
from typing import Any

import pytest
from yaml import safe_dump, safe_load

from tests.lint.pages import HERE, merge, raised
from tests.lint.patched import of


def job(
    gpus: int, cpu: str = "8", memory: str = "64Gi", count: int = 1, **spec: Any
) -> dict[str, Any]:
    """The clean Job with another shape, and as many pods at once."""
    base = safe_load((HERE / "bases" / "job.yaml").read_text())
    base["spec"] |= {"parallelism": count, "completions": count}
    container = base["spec"]["template"]["spec"]["containers"][0]
    container["command"] = ["python", "-m", "score"]
    container["resources"] = {
        "requests": {"cpu": cpu, "memory": memory},
        "limits": {"memory": memory, "nvidia.com/gpu": gpus},
    }
    return merge(base, {"spec": {"template": {"spec": spec}}})


def said(*objects: dict[str, Any], profile: str | None = None) -> list[tuple[str, str]]:
    """Codes and severities of this family's findings."""
    text = "\n---\n".join(json.dumps(one) for one in objects)
    found = [one.finding() for one in raised(text, profile)]
    return [(one.rule, one.severity) for one in found if one.rule.startswith("GPU4")]


@pytest.mark.parametrize(
    ("cpu", "memory", "count", "expected"),
    [
        ("23500m", "64Gi", 2, []),
        ("24", "64Gi", 2, [("GPU401", "info")]),
        ("31", "64Gi", 2, [("GPU401", "warning")]),
        ("31", "64Gi", 1, [("GPU401", "info")]),
        ("64", "64Gi", 1, [("GPU401", "warning")]),
        ("8", "500Gi", 2, [("GPU401", "warning")]),
    ],
)
def test_host_resources_above_the_share_by_how_much(
    cpu: str, memory: str, count: int, expected: list[tuple[str, str]]
) -> None:
    """C-13: 188 cores and 1952Gi for eight GPUs."""
    assert said(job(1, cpu, memory, count), profile="h100") == expected


def test_what_fits_no_node_is_not_said_to_strand_it() -> None:
    assert said(job(1, cpu="1000"), profile="h100") == []


def test_a_whole_node_may_take_all_of_it() -> None:
    assert said(job(8, cpu="188", memory="1900Gi"), profile="h100") == []


def test_machines_are_asked_softly_without_a_profile() -> None:
    """A machine by its name is known; of a model there may be one with a single GPU and more CPU."""
    assert said(job(1, cpu="64")) == []
    by_name = job(1, cpu="64", nodeSelector={"node.kubernetes.io/instance-type": "p5.48xlarge"})
    del by_name["spec"]["template"]["spec"]["affinity"]
    assert said(by_name) == [("GPU401", "info")]
    by_name["spec"]["template"]["spec"]["nodeSelector"] = {}
    assert said(by_name) == []


@pytest.mark.parametrize(
    ("gpus", "count", "expected"),
    [
        (1, 2, []),
        (2, 2, []),
        (4, 2, []),
        (8, 2, []),
        (3, 1, [("GPU402", "info")]),
        (3, 2, [("GPU402", "info")]),
        (5, 2, [("GPU402", "info")]),
        (6, 2, [("GPU402", "info")]),
        (7, 2, [("GPU402", "info")]),
    ],
)
def test_counts_that_do_not_divide_the_node(
    gpus: int, count: int, expected: list[tuple[str, str]]
) -> None:
    """C-12: where smaller pods fill the rest it costs nothing, and a manifest alone tells of none."""
    assert said(job(gpus, count=count), profile="h100") == expected


@pytest.mark.parametrize(("gpus", "left"), [(6, "2 of 8"), (12, "4 of 16")])
def test_what_is_left_is_counted_on_a_node_that_holds_the_pod(gpus: int, left: str) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}
    main = {"name": "main", "image": "a/b:1", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    [found] = of("GPU402", safe_dump({**pod, "spec": {"containers": [main]}}))
    assert left in found.message


def test_odd_counts_without_a_profile_are_information() -> None:
    assert said(job(6, memory="384Gi", cpu="48")) == [("GPU402", "info")]
    assert said(job(4, memory="384Gi", cpu="48")) == []


def test_a_gang_that_breaks_its_last_node() -> None:
    mpi = safe_load((HERE / "bases" / "mpijob.yaml").read_text())
    worker = mpi["spec"]["mpiReplicaSpecs"]["Worker"]
    container = worker["template"]["spec"]["containers"][0]
    for amounts in container["resources"].values():
        amounts |= {"nvidia.com/gpu": 4, "memory": "384Gi"}
    worker["replicas"] = 3
    assert said(mpi, profile="h100") == [("GPU403", "info")]
    worker["replicas"] = 4
    assert said(mpi, profile="h100") == []


def test_few_small_pods_and_packed_ones_need_no_packing() -> None:
    near: dict[str, Any] = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
    assert said(job(1, count=16), profile="h100") == [("GPU406", "info")]
    assert said(job(1, count=16), profile="packed") == []
    assert said(job(1, count=16)) == []
    assert said(job(1, count=4), profile="h100") == []
    assert said(job(4, count=16), profile="h100") == []
    assert said(job(1, count=16, schedulerName="packer"), profile="h100") == []
    near["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = [{"weight": 1}]
    assert said(job(1, count=16, affinity=near), profile="h100") == []


def apart(replicas: int, key: str) -> dict[str, Any]:
    """The clean Deployment whose pods must each have a node, or a zone, of their own."""
    base = next(iter(_documents("deployment")))
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": "chat"}}}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    pod = {"spec": {"affinity": {"podAntiAffinity": required}}}
    return merge(base, {"spec": {"replicas": replicas, "template": pod}})


def _documents(base: str) -> list[dict[str, Any]]:
    from yaml import safe_load_all

    return list(safe_load_all((HERE / "bases" / f"{base}.yaml").read_text()))


@pytest.mark.parametrize(
    ("replicas", "key", "expected"),
    [
        (2, "kubernetes.io/hostname", []),
        (3, "kubernetes.io/hostname", [("GPU405", "info")]),
        (5, "kubernetes.io/hostname", [("GPU405", "error")]),
        (5, "example.com/rack", []),
    ],
)
def test_pods_apart_against_four_nodes(
    replicas: int, key: str, expected: list[tuple[str, str]]
) -> None:
    """C-11."""
    assert said(apart(replicas, key), profile="fleet") == expected


@pytest.mark.parametrize(
    ("replicas", "key", "least", "skew", "pending"),
    [
        # Two rooms, of which each takes one or two.
        (4, "topology.kubernetes.io/zone", 3, 1, 2),
        (4, "topology.kubernetes.io/zone", 3, 2, 0),
        (4, "topology.kubernetes.io/zone", 2, 1, 0),
        (2, "topology.kubernetes.io/zone", 3, 1, 0),
        (4, "example.com/rack", 3, 1, 0),
        (20, "kubernetes.io/hostname", 17, 1, 4),
    ],
)
def test_more_domains_than_there_are(
    replicas: int, key: str, least: int, skew: int, pending: int
) -> None:
    """C-11: with fewer than `minDomains` none takes more than the skew."""
    labels = {"matchLabels": {"app": "chat"}}
    row = {
        "topologyKey": key,
        "minDomains": least,
        "maxSkew": skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": labels,
    }
    spec = {"affinity": None, "topologySpreadConstraints": [row]}
    one = merge(
        _documents("deployment")[0], {"spec": {"replicas": replicas, "template": {"spec": spec}}}
    )
    found = [each.finding() for each in raised(safe_dump(one), "h100")]
    said_so = [each for each in found if "minDomains" in each.message]
    assert [each.severity for each in said_so] == ["error"] * bool(pending)
    assert all(f"{pending} pods stay Pending" in each.message for each in said_so)


@pytest.mark.parametrize(
    ("told", "expected"),
    [("0.3", [("GPU409", "warning")]), ("0.5", [("GPU409", "warning")]), ("0.9", [])],
)
def test_a_whole_gpu_for_half_of_its_memory(told: str, expected: list[tuple[str, str]]) -> None:
    """C-14: a MIG slice that would do is named."""
    base = _documents("deployment")[0]
    args = ["/models/qwen3-8b", "--served-model-name", "chat", f"--gpu-memory-utilization={told}"]
    base["spec"]["template"]["spec"]["containers"][0]["args"] = args
    assert said(base, profile="fleet") == expected


@pytest.mark.parametrize(
    ("name", "said_of"),
    [
        (
            "1g.20gb",
            "a GPU divided only into `nvidia.com/mig-1g.20gb` has 4 slices, and 3 of its 7 compute slices stay unused",
        ),
        (
            "4g.40gb",
            "a GPU divided only into `nvidia.com/mig-4g.40gb` has 1 slices, and 3 of its 7 compute slices stay unused",
        ),
        ("1g.10gb", None),
        ("2g.20gb", None),
        ("3g.40gb", None),
        ("1g.10gb.me", None),
    ],
)
def test_slices_alike_that_leave_compute_in_none(name: str, said_of: str | None) -> None:
    """C-16: advice, and none of slices whose rest others fill or that are the only ones on a GPU."""
    one = json.dumps(_sliced(name))
    found = [each.finding() for each in raised(one) if each.rule.code == "GPU404"]
    assert [(each.severity, each.confidence) for each in found] == (
        [("info", "possible")] if said_of else []
    )
    assert all(said_of is not None and each.message.endswith(said_of) for each in found)


def test_a_layout_that_a_profile_tells_is_its_owners() -> None:
    """C-16: whoever cut the pool's GPUs has weighed what is left."""
    assert said(_sliced("1g.20gb")) == [("GPU404", "info")]
    assert said(_sliced("1g.20gb"), profile="slices-alike") == []


def _sliced(name: str) -> dict[str, Any]:
    """The clean Job on one MIG slice."""
    made = job(1)
    limits = made["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    limits[f"nvidia.com/mig-{name}"] = limits.pop("nvidia.com/gpu")
    return made
