"""Workloads that find room: where, how much there is, what bounds it, and what they cost (C-01, C-13)."""

from __future__ import annotations

from pathlib import Path

from tests.fleet.fit.objects import Fit, One, deployment


def test_a_pod_lands_on_the_pool_that_is_for_it(one: One) -> None:
    found = one(deployment(replicas=3))
    assert (found.verdict, found.placed, found.bounds) == ("placed", 3, (3, 3))
    assert [(at.group, at.pods) for at in found.landings] == [("h100", 3)]
    assert found.message is None
    assert found.advice == ()


def test_slots_are_counted_on_each_pool_with_what_bounds_them(one: One) -> None:
    h100, t4 = one(
        deployment(gpus=2, memory="100Gi", h100=False, tolerations=[{"operator": "Exists"}])
    ).rooms
    assert (h100.group, h100.nodes, h100.each, h100.bound) == ("h100", 4, 4, "nvidia.com/gpu")
    assert (h100.free, h100.slots, h100.left) == (16, 16, 0)
    # Of 132Gi DaemonSets have 4, which leaves one pod of 100Gi.
    assert (t4.each, t4.bound, t4.free) == (1, "memory", 2)


def test_daemonsets_have_their_part(one: One) -> None:
    """128 cores are left of 129."""
    assert one(deployment(cpu="64")).rooms[0].each == 2
    assert one(deployment(cpu="64500m")).rooms[0].each == 1


def test_a_pool_that_is_not_for_it_says_why(one: One) -> None:
    (reason,) = [room.reason for room in one(deployment()).rooms if room.group == "t4"]
    assert reason == (
        "it requires nvidia.com/gpu.product NVIDIA-H100-80GB-HBM3, but their value is Tesla-T4"
    )


def test_cpu_beyond_the_share_is_what_binds_and_the_share_is_offered(one: One) -> None:
    found = one(deployment(cpu="40", replicas=2))
    room = found.rooms[0]
    assert (room.each, room.bound, room.left) == (3, "cpu", 5)
    (advice,) = found.advice
    assert advice.text == "ask for 16 CPU instead of 40: 8 pods a node of h100 instead of 3"
    assert advice.place is not None
    written = Path(advice.place.file).read_text().splitlines()[advice.place.line - 1]
    assert written.strip() == "cpu: '40'"


def test_memory_beyond_the_share(one: One) -> None:
    found = one(deployment(memory="500Gi"))
    assert (found.rooms[0].each, found.rooms[0].bound) == (2, "memory")
    assert [a.text for a in found.advice] == [
        "ask for 128Gi memory instead of 500Gi: 8 pods a node of h100 instead of 2"
    ]


def test_what_full_nodes_strand_is_told_with_the_resource_that_is_used_up(fit: Fit) -> None:
    report = fit(deployment(cpu="40", replicas=12))
    (found,) = report.workloads
    assert found.placed == 12
    (lost,) = found.stranded
    assert (lost.group, lost.milli, lost.resource) == ("h100", 4 * 5 * 1000, "cpu")
    assert report.after.stranded == 20_000
    assert dict(report.after.stranded_by) == {"cpu": 20_000}
    assert report.after.fragment == 20.0
    assert report.before.fragment == 0.0


def test_free_whole_nodes_before_and_after(fit: Fit) -> None:
    """Spread as kube-scheduler spreads, two replicas open two nodes; packed, one."""
    spread, packed = (
        fit(deployment(replicas=2), policy=policy).workloads[0].whole
        for policy in ("least-allocated", "best-fit")
    )
    assert (spread.before, spread.after) == (6, 4)
    assert (packed.before, packed.after) == (6, 5)


def test_the_profile_says_how_its_scheduler_scores(fit: Fit) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "ml"}}
    spec = deployment()["spec"]["template"]["spec"] | {"restartPolicy": "Never"}
    job["spec"] = {"parallelism": 8, "completions": 8, "template": {"spec": spec}}
    packed = fit(job, more="  scoring: most-allocated\n")
    assert packed.policy == "most-allocated"
    assert packed.workloads[0].landings[0].nodes == 1
    assert fit(job).workloads[0].landings[0].nodes == 4


def test_an_autoscaled_server_counts_with_all_its_replicas(one: One) -> None:
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "chat", "namespace": "ml"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"},
            "minReplicas": 2,
            "maxReplicas": 40,
        },
    }
    found = one(deployment(), scaler)
    assert (found.least, found.pods, found.placed, found.verdict) == (2, 40, 32, "partly")
    assert found.notes == ("HorizontalPodAutoscaler chat scales it from 2 to 40",)


def test_pods_of_a_daemonset_are_not_guessed(one: One) -> None:
    made = deployment() | {"kind": "DaemonSet"}
    found = one(made)
    assert found.verdict == "unknown"
    assert found.notes == ("a pod on each node",)
