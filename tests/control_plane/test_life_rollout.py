"""The rollout of a model server where every GPU is in use, as most pools are on purpose."""

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import L4, pool, server
from tests.control_plane.stories import GPU, World, main

pytestmark = pytest.mark.control_plane
FULL = pool("l4", L4, nodes=2, gpus=1)


def test_our_rollout_completes_on_a_full_pool(world: Worlds) -> None:
    """No spare slot: one pod makes room for the next, and never more than one is missing."""
    here = world(FULL)
    deployment = here.submit(server("chat", replicas=2))
    here.started(deployment, 2)
    assert rolled_out(here, deployment, server("chat", replicas=2, env={"NEW": "1"})) == 1


def test_the_default_strategy_hangs_there(world: Worlds) -> None:
    """25 % surge, rounded up to one, and 25 % unavailable, rounded down to none.

    The new pod pends, the old ones stay, and nothing changes until the deadline says so. Then the
    strategy that we render is applied to the same Deployment, and it goes on.
    """
    here = world(FULL)
    made = here.render(server("chat", replicas=2))
    deployment = main(made)
    for each in made:
        if each["kind"] == "Deployment":
            ours = each["spec"].pop("strategy")
    here.create(made)
    here.started(deployment, 2)
    default = here.get(deployment)["spec"]["strategy"]["rollingUpdate"]
    assert default == {"maxSurge": "25%", "maxUnavailable": "25%"}
    old = names(here, deployment)
    new = template(here, deployment, server("chat", replicas=2, env={"NEW": "1"}))
    here.client.patch(deployment, {"spec": {"template": new, "progressDeadlineSeconds": 3}})

    def hangs() -> bool:
        conditions = here.get(deployment)["status"]["conditions"]
        return any(each.get("reason") == "ProgressDeadlineExceeded" for each in conditions)

    here.until(hangs, "the rollout is past its deadline")
    (pending,) = here.pods(deployment, "Pending")
    assert f"Insufficient {GPU}" in pending["status"]["conditions"][0]["message"]
    assert names(here, deployment) - {pending["metadata"]["name"]} == old
    here.client.patch(deployment, {"spec": {"strategy": ours}})
    here.until(lambda: complete(here, deployment), "with our strategy it completes")
    assert names(here, deployment).isdisjoint(old)


def test_an_only_replica_makes_room_for_itself(world: Worlds) -> None:
    """One replica without a spare slot: `Recreate`, since nothing else finds a GPU."""
    here = world(pool("l4", L4, nodes=1, gpus=1))
    deployment = here.submit(server("chat"))
    here.started(deployment)
    assert here.get(deployment)["spec"]["strategy"] == {"type": "Recreate"}
    assert rolled_out(here, deployment, server("chat", env={"NEW": "1"})) == 1


def test_with_a_spare_slot_no_replica_is_missing(world: Worlds) -> None:
    """`spare: 1` is one node more than the replicas need: the surge finds it, pod after pod."""
    here = world(pool("l4", L4, nodes=3, gpus=1, spare=1))
    deployment = here.submit(server("chat", replicas=2))
    here.started(deployment, 2)
    assert rolled_out(here, deployment, server("chat", replicas=2, env={"NEW": "1"})) == 0


def test_a_promise_of_a_spare_slot_must_be_kept(world: Worlds) -> None:
    """`spare: 1` on a full pool: it hangs like the default. The profile is believed."""
    here = world(pool("l4", L4, nodes=2, gpus=1, spare=1))
    deployment = here.submit(server("chat", replicas=2))
    here.started(deployment, 2)
    old = names(here, deployment)
    change(here, deployment, server("chat", replicas=2, env={"NEW": "1"}))

    def pends() -> Object | None:
        return next(iter(here.pods(deployment, "Pending")), None)

    pending = here.until(pends, "the surge pod is there")
    ref = Ref.of(pending)
    here.until(
        lambda: f"Insufficient {GPU}" in str(here.get(ref)["status"].get("conditions")), "it pends"
    )
    assert names(here, deployment) - {ref.name} == old


def test_a_warm_placeholder_makes_room_for_the_surge(world: Worlds) -> None:
    """`warm: 1`: the placeholder's room is taken by preemption, and no replica is missing."""
    priorities = {"inference": "gpu-serving", "placeholder": "gpu-placeholder"}
    here = world(pool("l4", L4, nodes=3, gpus=1), priorities=priorities)
    deployment = here.submit(server("chat", replicas=2, warm=1))
    here.started(deployment, 2)
    placeholder = deployment._replace(name="chat-placeholder")
    here.started(placeholder)
    assert rolled_out(here, deployment, server("chat", replicas=2, warm=1, env={"NEW": "1"})) == 0
    here.started(placeholder)


def template(here: World, deployment: Ref, spec: Object) -> Object:
    """The pod template that a Deployment has when this spec is rendered."""
    made = next(each for each in here.render(spec) if Ref.of(each) == deployment)
    return dict(made["spec"]["template"])


def change(here: World, deployment: Ref, spec: Object) -> None:
    """Begin a rollout of what a spec is rendered to now."""
    here.client.patch(deployment, {"spec": {"template": template(here, deployment, spec)}})


def rolled_out(here: World, deployment: Ref, spec: Object) -> int:
    """Roll a changed spec out, to the end. Gives how many replicas were missing at the worst."""
    old, wanted = names(here, deployment), here.get(deployment)["spec"]["replicas"]
    fewest = [wanted]
    change(here, deployment, spec)

    def probe() -> bool:
        fewest.append(len(here.places(deployment)))
        return complete(here, deployment)

    here.until(probe, "the rollout completes")
    assert names(here, deployment).isdisjoint(old)
    return int(wanted - min(fewest))


def complete(here: World, deployment: Ref) -> bool:
    """Whether all replicas are new and ready, and no other is left."""
    found = here.get(deployment)
    status, wanted = found["status"], found["spec"]["replicas"]
    seen = status.get("observedGeneration") == found["metadata"]["generation"]
    counts = [status.get(f"{key}eplicas", 0) for key in ("r", "updatedR", "readyR", "availableR")]
    return seen and counts == [wanted] * 4 and len(here.pods(deployment)) == wanted


def names(here: World, deployment: Ref) -> set[str]:
    return {pod["metadata"]["name"] for pod in here.pods(deployment)}
