"""What the rules on queues say will wait for ever does wait, for the reason that they give.

The fixtures are the blocks of the rules' own pages: what is *wrong* there is held back by Kueue, in
words that name the same thing, and what is *right* is admitted.
"""

import pytest
import yaml

from gpuspec.lint.model import RawFinding
from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.specs import H100, pool, queue
from tests.control_plane.stories import GPU, QUEUES, World, main
from tests.lint.pages import Block, page, raised

pytestmark = pytest.mark.control_plane


@pytest.fixture
def here(world: Worlds) -> World:
    """Nodes, flavor and queue of the profile that the pages' blocks are judged with."""
    large = {"cpu": 190, "memory": "1960Gi", "ephemeralStorage": "6500Gi"}
    nodes = pool("h100", H100, nodes=4, allocatable=large)
    return world(nodes, queues=[queue("research", {"h100": 32})])


def test_what_the_queue_does_not_cover_is_never_admitted(here: World) -> None:
    """C-37, GPU712: with GPUs free, a Job waits for CPU and memory that the queue does not know."""
    wrong, right = blocks("queues.queue_does_not_cover")
    named = {found.message.split("`")[1] for found in said(wrong, "GPU712")}
    assert named == {"cpu", "memory"}
    job = submit(here, wrong, "wrong")
    reason = here.held(job)
    assert {name for name in named if f"resource {name} unavailable in ClusterQueue" in reason}
    assert GPU not in reason.partition("unavailable")[0]
    admitted(here, submit(here, right, "right"))
    assert here.waits(job)


def test_a_queue_that_is_not_there_holds_a_job_without_a_warning(here: World) -> None:
    """C-37, GPU711: a Job of the queue that was meant starts meanwhile."""
    wrong, right = blocks("queues.no_such_queue")
    assert said(wrong, "GPU711")
    job = submit(here, wrong)
    assert "LocalQueue reserch doesn't exist" in here.held(job)
    events = here.client.objects(Ref("v1", "Event", namespace=here.namespace))
    assert {event["reason"] for event in events} <= {"CreatedWorkload", "Suspended"}
    admitted(here, submit(here, right, rename="right"))
    assert here.waits(job)


def test_what_is_larger_than_its_queue_waits_for_ever(here: World) -> None:
    """C-37, GPU713: of eight workers none starts; four, which are all that the queue has, do."""
    wrong, right = blocks("queues.queue_too_small")
    assert said(wrong, "GPU713")
    job = submit(here, wrong)
    assert f"insufficient quota for {GPU} in flavor h100" in here.held(job)
    admitted(here, submit(here, right, rename="right"), 4)
    assert here.waits(job)


def test_a_queue_that_leads_nowhere_is_inactive(here: World) -> None:
    """GPU715: a flavor that is not there, and a queue that selects no namespace."""
    flavor, selector, *_ = page("queues.queue_leads_nowhere").blocks("Wrong")
    assert said(flavor, "GPU715")
    assert said(selector, "GPU715")
    for name, block in (("flavor", flavor), ("selector", selector)):
        made = documents(here, block, name)
        here.create(each for each in made if each["kind"] != "ResourceFlavor")
        here.create([local(here, name)])
    ref = Ref(QUEUES, "ClusterQueue", "gpu-flavor")

    def inactive() -> bool:
        (active,) = here.get(ref).get("status", {}).get("conditions") or [{"status": ""}]
        return active["status"] == "False" and active["reason"] == "FlavorNotFound"

    here.until(inactive, "the queue is inactive")
    job = submit(here, blocks("queues.no_such_queue")[1], rename="one", label="gpu-flavor")
    assert "inactive" in here.held(job)
    job = submit(here, blocks("queues.no_such_queue")[1], rename="two", label="gpu-selector")
    assert "namespace doesn't match" in here.held(job)


def test_what_asks_for_nothing_gets_no_flavor(here: World) -> None:
    """GPU716: it is admitted for free, and may run anywhere."""
    wrong, right = blocks("queues.queued_without_requests")
    assert said(wrong, "GPU716")
    free, paid = submit(here, wrong, rename="free"), submit(here, right, rename="paid")
    for job in (free, paid):
        admitted(here, job)
    template, counted = (here.get(job)["spec"]["template"]["spec"] for job in (free, paid))
    assert "nodeSelector" not in template
    assert counted["nodeSelector"] == {"example.com/pool": "h100"}


def admitted(here: World, job: Ref, pods: int = 1) -> None:
    """Wait until a Job has its pods. They name volumes that nobody made, and so need not run."""
    here.until(lambda: len(here.pods(job)) == pods, f"{job.name} is admitted")


def blocks(module: str) -> tuple[Block, Block]:
    """The first wrong and the first right block of a rule's page."""
    return page(module).blocks("Wrong")[0], page(module).blocks("Right")[0]


def said(block: Block, code: str) -> list[RawFinding]:
    """What the rule says of a block."""
    found = [each.found for each in raised(block.text, block.profile) if each.rule.code == code]
    assert found
    return found


def documents(here: World, block: Block, suffix: str) -> list[Object]:
    """A block's objects, in the story's namespace; its queues under names of their own."""
    text = block.text.replace("name: gpu}", f"name: gpu-{suffix}}}")
    text = text.replace("clusterQueue: gpu}", f"clusterQueue: gpu-{suffix}}}")
    made = list(yaml.safe_load_all(text))
    for each in made:
        if "namespace" in each["metadata"]:
            each["metadata"]["namespace"] = here.namespace
    return made


def local(here: World, suffix: str) -> Object:
    return {
        "apiVersion": QUEUES,
        "kind": "LocalQueue",
        "metadata": {"name": f"gpu-{suffix}", "namespace": here.namespace},
        "spec": {"clusterQueue": f"gpu-{suffix}"},
    }


def submit(
    here: World, block: Block, suffix: str = "", *, rename: str = "", label: str = ""
) -> Ref:
    """Create what a block has. With a suffix, its LocalQueue and Job get it too."""
    made = documents(here, block, suffix)
    for each in made:
        meta = each["metadata"]
        if suffix and each["kind"] in ("LocalQueue", "Job"):
            meta["name"] = f"{meta['name']}-{suffix}"
        if each["kind"] == "Job":
            queue = f"research-{suffix}" if suffix else label
            if queue:
                meta["labels"]["kueue.x-k8s.io/queue-name"] = queue
            meta["name"] = rename or meta["name"]
    here.create(each for each in made if each["kind"] != "Service")
    return main(made)
