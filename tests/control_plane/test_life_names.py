"""Names: a Job cannot be changed, so a changed Job has a new name, and `kubectl apply` takes it."""

from typing import Any

import pytest

from tests.conftest import Tool
from tests.control_plane.applying import Apply, NotApplied, applier
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import A100, batch, pool, training
from tests.control_plane.stories import World, main

pytestmark = pytest.mark.control_plane


@pytest.fixture
def apply(plane: ControlPlane, tool: Tool) -> Apply:
    return applier(tool("kubectl"), plane.kubeconfig)


@pytest.fixture
def here(world: Worlds) -> World:
    """One node of eight GPUs."""
    return world(pool("a100", A100, nodes=1))


@pytest.mark.parametrize(
    "change",
    [{"gpus": 4}, {"workers": 2}, {"env": {"SEED": "2"}}],
    ids=["GPUs", "workers", "environment"],
)
def test_a_changed_spec_is_another_job(here: World, apply: Apply, change: dict[str, Any]) -> None:
    """Without `run`: the one that goes on is left alone, and the new one starts beside it."""
    first = here.render(training("train", A100, 2))
    changed = here.render(training("train", A100, **({"gpus": 2} | change)))
    apply(first)
    here.started(main(first))
    apply(changed)
    assert main(changed) != main(first)
    here.started(main(changed), 2 if "workers" in change else 1)
    assert len(here.places(main(first))) == 1


def test_under_one_run_a_change_is_refused_and_the_run_goes_on(here: World, apply: Apply) -> None:
    """`run`: a new run begins when its name changes, and not before."""
    first = here.render(training("train", A100, 2, run="one"))
    apply(first)
    here.started(main(first))
    with pytest.raises(NotApplied, match="field is immutable"):
        apply(here.render(training("train", A100, 4, run="one")))
    assert len(here.places(main(first))) == 1
    second = here.render(training("train", A100, 4, run="two"))
    apply(second)
    here.started(main(second))


def test_what_can_change_is_taken_by_a_job_that_runs(here: World, apply: Apply) -> None:
    """Only metadata differs: the same Job, by the same name, and nothing starts anew."""
    first = here.render(training("train", A100, 2))
    apply(first)
    here.started(main(first))
    (pod,) = here.pods(main(first))
    same = here.render(training("train", A100, 2, duration={"expected": "2h"}))
    assert main(same) == main(first)
    apply(same)
    assert here.get(main(first))["metadata"]["annotations"]["gpuspec.dev/expected-duration"] == "2h"
    assert [one["metadata"]["uid"] for one in here.pods(main(first))] == [pod["metadata"]["uid"]]


def test_a_schedule_keeps_its_name_and_may_change_at_any_time(here: World, apply: Apply) -> None:
    """A CronJob's template is not immutable: the next run is the changed one."""
    first = here.render(batch("nightly", A100, 1, schedule={"cron": "0 2 * * *"}))
    changed = here.render(batch("nightly", A100, 2, schedule={"cron": "0 3 * * *"}))
    apply(first)
    apply(changed)
    assert main(changed) == main(first)
    assert here.get(main(first))["spec"]["schedule"] == "0 3 * * *"
