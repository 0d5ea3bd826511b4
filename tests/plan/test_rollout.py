"""A rollout as the spec asks for it, and what it says where that finds no room."""

from types import ModuleType

import pytest

from tests.plan.conftest import Make, Values


@pytest.mark.parametrize(
    ("asked", "surge", "unavailable"),
    [
        ({"surge": 1, "unavailable": 1}, 1, 1),
        ({"surge": 2}, 2, 0),
        ({"unavailable": 2}, 0, 2),
        ({"surge": 0}, 0, 1),
        ({"unavailable": 0}, 1, 0),
    ],
)
def test_a_rollout_is_as_the_spec_says(
    make: Make, asked: Values, surge: int, unavailable: int
) -> None:
    """What is left out follows from the rest, so that some replica can always be replaced."""
    made = make("Inference", replicas=4, rollout=asked)
    assert made.workload["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
    }
    assert made.reason("spec.strategy").startswith("as the spec says")


def test_spare_slots_are_used_where_only_the_missing_are_bounded(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(words.pool("p", spare=3))
    made = make("Inference", profile, replicas=4, rollout={"unavailable": 1})
    assert made.workload["spec"]["strategy"]["rollingUpdate"] == {
        "maxSurge": 3,
        "maxUnavailable": 1,
    }


def test_a_surge_without_a_slot_is_said(make: Make, words: ModuleType) -> None:
    def loud(spare: int, **rollout: int) -> str:
        profile = words.cluster(words.pool("p", spare=spare))
        return make("Inference", profile, replicas=4, rollout=rollout).loud()

    said = "a new one stays Pending while no GPU is free"
    assert f"{said}, and the rollout stops until then" in loud(0, surge=1)
    assert said in loud(1, surge=2)
    assert "does not go on" not in loud(0, surge=1, unavailable=1)
    assert said not in loud(1, surge=1)
    assert said not in make("Inference", rollout={"surge": 1}).loud(), "no pools, nothing known"


def test_a_deadline_takes_the_place_of_the_derived_one(make: Make) -> None:
    made = make("Inference", rollout={"deadline": "1h"})
    assert made.workload["spec"]["progressDeadlineSeconds"] == 3600
    assert made.workload["spec"]["strategy"] == make("Inference").workload["spec"]["strategy"]


def test_a_deadline_that_ends_before_the_startup_budget_is_said(make: Make) -> None:
    made = make("Inference", startup={"budget": "30m"}, rollout={"deadline": "10m"})
    assert "counts as failed while its pods may still start: 30m" in made.loud()
