"""What a pod asks for in all: containers, init containers, sidecars, overhead, the whole pod."""

from typing import Any

import pytest

from gpuspec.fleet.scheduler.requests import requests_of

MIB = 2**20


def container(cpu: str | None = None, memory: str | None = None, **more: Any) -> dict[str, Any]:
    asks = {"cpu": cpu, "memory": memory}
    return {"resources": {"requests": {k: v for k, v in asks.items() if v}}, **more}


def lasting(cpu: str) -> dict[str, Any]:
    return container(cpu, restartPolicy="Always")


def cpu(spec: dict[str, Any]) -> int:
    return requests_of(spec).amounts.get("cpu", 0)


def test_containers_run_together() -> None:
    found = requests_of({"containers": [container("500m", "1Gi"), container("0.25", "1M")]})
    assert found.amounts == {"cpu": 750, "memory": 2**30 + 10**6}


@pytest.mark.parametrize(
    ("first", "total"),
    [
        ([container("2")], 2000),  # alone, before the others start
        ([container("500m"), container("900m")], 1000),  # one after the other
        ([lasting("2")], 3000),  # beside the others
        ([lasting("1"), container("3")], 4000),  # the second starts beside the first
        ([container("3"), lasting("1")], 3000),  # the first is gone when the second starts
        ([lasting("1"), lasting("2"), container("1")], 4000),
    ],
)
def test_init_containers_and_sidecars(first: list[dict[str, Any]], total: int) -> None:
    assert cpu({"containers": [container("1")], "initContainers": first}) == total


def test_overhead_comes_on_top() -> None:
    spec = {"containers": [container("1")], "overhead": {"cpu": "250m", "memory": "1Mi"}}
    assert requests_of(spec).amounts == {"cpu": 1250, "memory": MIB}


def test_limits_stand_for_requests_that_are_not_written() -> None:
    resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "4", "nvidia.com/gpu": 2}}
    found = requests_of({"containers": [{"resources": resources}]})
    assert found.amounts == {"cpu": 1000, "nvidia.com/gpu": 2}


@pytest.mark.parametrize(
    ("whole", "each", "total"),
    [
        ({"requests": {"cpu": "4"}}, {"requests": {"cpu": "1"}}, {"cpu": 4000}),
        ({"limits": {"cpu": "4"}}, {"requests": {"cpu": "1"}}, {"cpu": 1000}),
        ({"limits": {"cpu": "4"}}, {}, {"cpu": 4000}),
        (
            {"requests": {"memory": "2Mi"}},
            {"requests": {"cpu": "1", "memory": "1Mi"}},
            {"cpu": 1000, "memory": 2 * MIB},
        ),
        ({"limits": {"hugepages-2Mi": "4Mi"}}, {}, {"hugepages-2Mi": 4 * MIB}),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            {"limits": {"hugepages-2Mi": "2Mi"}},
            {"hugepages-2Mi": 4 * MIB},
        ),
        (
            {"requests": {"nvidia.com/gpu": 4}},
            {"limits": {"nvidia.com/gpu": 1}},
            {"nvidia.com/gpu": 1},
        ),
    ],
)
def test_resources_of_the_whole_pod(
    whole: dict[str, Any], each: dict[str, Any], total: dict[str, int]
) -> None:
    spec = {"resources": whole, "containers": [{"resources": each}]}
    assert requests_of(spec).amounts == total


def test_scoring_counts_what_containers_do_not_say() -> None:
    spec = {"containers": [{}, container("1"), container(memory="1Mi")]}
    assert requests_of(spec).nonzero == (1200, (200 + 200 + 1) * MIB)
    assert requests_of(spec).amounts == {"cpu": 1000, "memory": MIB}


def test_scoring_counts_the_whole_pod_as_it_is() -> None:
    spec: dict[str, Any] = {"resources": {"requests": {"cpu": "2"}}, "containers": [{}, {}]}
    assert requests_of(spec).nonzero == (2000, 400 * MIB)
    spec["containers"][0] = container(memory="1Mi")
    assert requests_of(spec).nonzero == (2000, MIB)


@pytest.mark.parametrize(
    "resources",
    [
        {"requests": {"cpu": "-1"}},
        {"requests": {"cpu": "lots"}},
        {"requests": {"cpu": None}},
        {"requests": {"cpu": True}},
        {"requests": {"cpu": "0"}},
        {"requests": {"gpu": "1"}},
        {"requests": {1: "1"}},
        {"requests": ["cpu"]},
        {"limits": "all"},
        7,
    ],
)
def test_nonsense_asks_for_nothing(resources: object) -> None:
    assert requests_of({"containers": [{"resources": resources}]}).amounts == {}


def test_amounts_are_rounded_up_as_the_api_server_stores_them() -> None:
    spec = {"containers": [container("0.1m", "1.5"), container("0.1m", "1.5")]}
    assert requests_of(spec).amounts == {"cpu": 2, "memory": 3}
