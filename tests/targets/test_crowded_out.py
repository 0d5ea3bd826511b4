"""A pod beside the workers that has no room once they run: said when it is rendered."""

from __future__ import annotations

import pytest

from tests.targets.conftest import TRAINING, Run, Values

LAUNCHER: Values = {
    "name": "launcher",
    "command": ["bash", "-c", "mpirun"],
    "resources": {"cpu": 1, "memory": "2Gi"},
    "starts": "after",
    "ends": "the-run",
}
SPEC = TRAINING | {"workers": 2, "run": "1", "gpu": {"count": 8}, "roles": [LAUNCHER]}
POOL: Values = {
    "name": "p4de",
    "gpu": {"model": "A100-80GB", "count": 8},
    "allocatable": {"cpu": 95, "memory": "1100Gi", "ephemeralStorage": "900Gi"},
    "labels": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
    "nodes": 2,
}
SAID = "no node of p4de has the"


def said(run: Run, spec: Values, *pools: Values, **profile: Values) -> str:
    here = {"installed": {"jobset": "0.12"}, "targets": {"gang": "jobset"}, **profile}
    code, _, told = run("render", "Training", spec, profile={**here, "pools": list(pools)})
    assert code == 0, told
    return " ".join(told.split())


def test_workers_that_take_all_of_their_nodes_leave_none_for_the_pod_that_they_wait_for(
    run: Run,
) -> None:
    told = said(run, SPEC, POOL)
    assert "once the 2 workers run, no node of p4de has the CPU and memory for launcher" in told
    assert "a smaller resources.cpu and resources.memory fits" in told


@pytest.mark.parametrize(
    ("spec", "pool"),
    [
        pytest.param({}, {"nodes": 3}, id="a node more"),
        pytest.param({}, {"nodes": {"max": 3}}, id="an autoscaler that makes one more"),
        pytest.param({"workers": 3, "gpu": {"count": 4}}, {}, id="half a node that is left"),
        pytest.param({"resources": {"cpu": 90, "memory": "900Gi"}}, {}, id="workers that ask less"),
        pytest.param({}, {"nodes": None}, id="a number of nodes that nobody says"),
        pytest.param({}, {"allocatable": None}, id="a size of nodes that nobody says"),
        pytest.param({"roles": []}, {}, id="no pod beside the workers"),
        pytest.param(
            {},
            {"taints": [{"key": "nvidia.com/gpu", "value": "present"}]},
            id="taints: it runs elsewhere",
        ),
    ],
)
def test_nothing_is_said_where_there_may_be_room(run: Run, spec: Values, pool: Values) -> None:
    known = {key: value for key, value in (POOL | pool).items() if value is not None}
    assert SAID not in said(run, SPEC | spec, known)


def test_another_pool_that_lets_it_in_has_room(run: Run) -> None:
    other = POOL | {
        "name": "t4",
        "gpu": {"model": "T4", "count": 4},
        "labels": {"nvidia.com/gpu.product": "Tesla-T4"},
    }
    assert SAID not in said(run, SPEC, POOL, other)


def test_a_role_with_gpus_that_the_workers_take_cpus_from(run: Run) -> None:
    """Two GPUs are left of each node, and no CPU to go with them."""
    spec = SPEC | {
        "gpu": {"count": 6},
        "resources": {"cpu": 93, "memory": "500Gi"},
        "roles": [{**LAUNCHER, "resources": {"cpu": 4, "memory": "8Gi", "gpus": 1}}],
    }
    told = said(run, spec, POOL)
    assert "once the 2 workers run, no node of p4de has the CPU for launcher" in told
    assert "in a cluster without other nodes" not in told


def test_the_launcher_of_an_mpi_job_counts_too(run: Run) -> None:
    """Its target leaves room for it of a share that is ours to give, and not of what is asked for."""
    mpi = {"installed": {"mpi-operator": "0.8"}, "targets": {"gang": "mpijob"}}
    plain = {key: value for key, value in SPEC.items() if key != "roles"}
    spec = plain | {"launcher": "none", "resources": {"cpu": 94, "memory": "500Gi"}}
    assert "has the CPU for launcher" in said(run, spec, POOL, **mpi)
    assert SAID not in said(run, plain | {"launcher": "none"}, POOL, **mpi)
