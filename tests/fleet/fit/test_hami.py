"""Pods that HAMi places share cards by memory and cores."""

from typing import Any

import pytest

from gpuspec.fleet.fit import WorkloadFit
from tests.fleet.fit.objects import Fit, Json, deployment

MEMORY, PERCENT, CORES = "nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.37"
  pools:
    - {name: h100, gpu: {model: H100-80GB, count: 4}, nodes: 2, allocatable: {cpu: 500, memory: 4000Gi}}
"""
SMALLER = """\
    - {name: l4, gpu: {model: L4, count: 4}, nodes: 1, allocatable: {cpu: 500, memory: 4000Gi},
       labels: {size: small}}
"""


def sharing(replicas: int, asked: Json, name: str = "chat", gpus: int = 1, **more: Any) -> Json:
    made = deployment(name, replicas, gpus=gpus, cpu="1", memory="1Gi", h100=False, **more)
    resources = made["spec"]["template"]["spec"]["containers"][0]["resources"]
    resources["limits"] = {**resources["limits"], **asked}
    resources["requests"] = resources["limits"]
    return made


def placed(one: WorkloadFit) -> tuple[int, str]:
    return one.placed, one.verdict


@pytest.mark.parametrize(
    ("gpus", "asked", "room"),
    [
        (1, {MEMORY: 20000}, 32),  # of 81559 MiB four
        (1, {MEMORY: 50000}, 8),  # what two of them leave is no third
        (1, {PERCENT: 30}, 24),
        (1, {MEMORY: 1000}, 80),  # no card is handed out more than ten times
        (1, {MEMORY: 20000, CORES: 50}, 16),
        (1, {CORES: 10}, 8),  # who asks for no memory gets all of it
        (4, {MEMORY: 20000}, 8),
        (3, {MEMORY: 40000}, 4),
    ],
)
def test_as_many_as_the_cards_hold(fit: Fit, gpus: int, asked: Json, room: int) -> None:
    [one] = fit(sharing(room + 1, asked, gpus=gpus), profile=PROFILE).workloads
    assert placed(one) == (room, "partly")
    assert any("HAMi puts" in note for note in one.notes)


def test_the_scheduler_that_is_named_is_known(fit: Fit) -> None:
    asked = sharing(5, {MEMORY: 20000}, schedulerName="hami-scheduler")
    [one] = fit(asked, profile=PROFILE).workloads
    assert placed(one) == (5, "placed")


def test_who_asks_for_no_part_has_whole_cards(fit: Fit) -> None:
    """Beside pods in halves and in thirds: 3 whole cards, 6 halves on 3 more, 3 thirds on one."""
    halves, thirds = sharing(6, {PERCENT: 50}, "halves"), sharing(3, {PERCENT: 33}, "thirds")
    whole = sharing(3, {}, "whole")
    report = fit(whole, halves, thirds, profile=PROFILE)
    assert [placed(one)[1] for one in report.workloads] == ["placed"] * 3
    report = fit(sharing(8, {}, "whole"), halves, profile=PROFILE)
    assert [placed(one) for one in report.workloads] == [(8, "placed"), (0, "not placed")]


def test_cards_of_several_sizes_are_not_told_apart(fit: Fit) -> None:
    """Unless they hold as many: a percentage of each, or only one of the pools is meant."""
    both = PROFILE + SMALLER
    assert fit(sharing(1, {MEMORY: 20000}), profile=both).workloads[0].verdict == "unknown"
    [one] = fit(sharing(49, {PERCENT: 25}), profile=both).workloads
    assert placed(one) == (48, "partly")
    [one] = fit(sharing(9, {MEMORY: 10000}, nodeSelector={"size": "small"}), profile=both).workloads
    assert placed(one) == (8, "partly")


def test_more_than_a_card_has_is_placed_nowhere(fit: Fit) -> None:
    assert fit(sharing(1, {MEMORY: 90000}), profile=PROFILE).workloads[0].verdict == "not placed"
