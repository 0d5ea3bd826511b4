"""PriorityClasses of a profile."""

from gpuspec.cluster.platform.priorities import priority_notes, priority_objects
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

ALL = """
priorities:
  training: gpu-training
  batchInference: gpu-batch
  inference: gpu-serving
  placeholder: gpu-placeholder
"""


def test_experiments_are_below_production_and_never_preempt(profile: MakeProfile) -> None:
    """C-38: the class of servers alone preempts, placeholders are below everything."""
    made = priority_objects(profile(ALL))
    assert {one["metadata"]["name"]: (one["value"], one["preemptionPolicy"]) for one in made} == {
        "gpu-batch": (10_000, "Never"),
        "gpu-placeholder": (-10, "Never"),
        "gpu-serving": (100_000, "PreemptLowerPriority"),
        "gpu-training": (10_000, "Never"),
    }
    assert all(not validate(one, "1.36") for one in made)


def test_no_class_is_everybodys(profile: MakeProfile) -> None:
    """`globalDefault` would give every pod of the cluster the priority of an experiment."""
    assert all("globalDefault" not in one for one in priority_objects(profile(ALL)))


def test_values_of_the_profile_win(profile: MakeProfile) -> None:
    made = priority_objects(profile(ALL + "  values: {gpu-training: 7, gpu-placeholder: -1}"))
    values = {one["metadata"]["name"]: one["value"] for one in made}
    assert (values["gpu-training"], values["gpu-placeholder"]) == (7, -1)


def test_a_class_without_role_or_value_is_not_invented(profile: MakeProfile) -> None:
    given = profile(
        "priorities: {names: {urgent: gpu-urgent, low: gpu-low}, values: {gpu-low: 100}}"
    )
    (made,) = priority_objects(given)
    assert made["metadata"] == {"name": "gpu-low"}
    assert made["description"] == "the priority that specs call low"
    assert priority_notes(given) == (
        "PriorityClass gpu-urgent is not made: priorities.values has no value for it",
    )


def test_one_class_for_two_roles_is_made_once_with_the_higher_value(profile: MakeProfile) -> None:
    (made,) = priority_objects(profile("priorities: {training: gpu, inference: gpu}"))
    assert (made["value"], made["preemptionPolicy"]) == (100_000, "PreemptLowerPriority")
    assert made["description"] == (
        "model servers; training and fine-tuning; may preempt pods of lower priority"
    )


def test_nothing_is_made_of_nothing(profile: MakeProfile) -> None:
    assert priority_objects(profile("")) == []
    assert priority_notes(profile(ALL)) == ()
