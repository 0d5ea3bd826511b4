"""GPU783: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

JOB = """
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  {least}
  tasks:
    - {{name: master, replicas: 1, {master} template: {{spec: {{containers: [{{name: main, image: a}}]}}}}}}
    - {{name: worker, replicas: 10, {worker} template: {{spec: {{containers: [{{name: main, image: a}}]}}}}}}
"""
AFTER_WORKERS = "dependsOn: {name: [worker]},"
AFTER_MASTER = "dependsOn: {name: [master]},"


def said(least: str = "", master: str = "", worker: str = "") -> list[str]:
    found = raised(JOB.format(least=least, master=master, worker=worker))
    return [one.found.message for one in found if one.rule.code == "GPU783"]


@pytest.mark.parametrize("least", ["minAvailable: 11", "minAvailable: 0", ""])
def test_all_pods_are_awaited_where_no_other_number_is_said(least: str) -> None:
    (words,) = said(least, master=AFTER_WORKERS)
    assert "before 11 pods exist" in words
    assert "so only 10 pods exist" in words


def test_a_start_that_the_first_tasks_reach_is_fine() -> None:
    """As Volcano's own example has it: three workers of ten are enough."""
    assert not said("minAvailable: 3", master=AFTER_WORKERS)
    assert said("minAvailable: 3", worker=AFTER_MASTER)


def test_tasks_say_how_few_of_them_are_enough() -> None:
    assert not said(master=f"minAvailable: 0, {AFTER_WORKERS}")


def test_without_an_order_nothing_waits() -> None:
    assert not said("minAvailable: 11")
    assert not said("minAvailable: 11", master="dependsOn: {name: []},")


def test_a_number_that_is_no_number_is_not_judged() -> None:
    assert not said("minAvailable: all", master=AFTER_WORKERS)
