"""Replicas that span nodes: who is told what, who answers, who stays, and what starts together."""

import json
from typing import Any

import pytest

from tests.targets.conftest import SERVING, Run, Values

HERE: Values = {
    "installed": {"lws": "0.10", "kueue": "0.19"},
    "targets": {"service": "lws"},
    "bandwidth": {"default": "1Gi"},
}
SPAN = SERVING | {"nodes": 2, "gpu": {"models": ["H100-80GB"], "count": 8}, "queue": "big"}
SGLANG = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.23"}
INDEX = "leaderworkerset.sigs.k8s.io/worker-index"


class Group:
    """What is rendered of a service, and the pods of its groups."""

    def __init__(self, objects: list[Values]) -> None:
        self.by_kind = {one["kind"]: one for one in objects}
        self.spec: Values = self.by_kind["LeaderWorkerSet"]["spec"]
        self.template: Values = self.spec["leaderWorkerTemplate"]

    def pod(self, role: str) -> Values:
        found: Values = self.template[f"{role}Template"]["spec"]
        return found

    def main(self, role: str) -> Values:
        found: Values = self.pod(role)["containers"][0]
        return found


def group(run: Run, spec: Values, **more: Any) -> Group:
    return Group(run.objects("Inference", spec, **HERE | more))


def reasons(run: Run, spec: Values, profile: Values) -> dict[str, str]:
    """Why each value is as it is, by its path."""
    out = run("explain", "Inference", spec, "--format", "json", profile=profile)[1]
    return {one["path"]: one["reason"] for one in json.loads(out)[0]["decisions"]}


def test_a_group_is_a_pod_on_each_node(run: Run) -> None:
    made = group(run, SPAN | {"nodes": 3, "replicas": 2})
    assert (made.spec["replicas"], made.template["size"]) == (2, 3)
    assert made.template["restartPolicy"] == "RecreateGroupOnPodRestart"
    for role in ("leader", "worker"):
        assert made.main(role)["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_vllm_is_told_of_its_node_and_only_rank_0_serves(run: Run) -> None:
    made = group(run, SPAN)
    leader, worker = made.main("leader")["args"], made.main("worker")["args"]
    words = " ".join(leader)
    assert "--tensor-parallel-size 8 --pipeline-parallel-size 2" in words
    assert "--nnodes 2 --node-rank $(LWS_WORKER_INDEX) --master-addr $(LWS_LEADER_ADDRESS)" in words
    assert "--master-port 29500" in words
    assert "--distributed-executor-backend mp" in words
    assert "--headless" in worker
    assert "--headless" not in leader


def test_sglang_is_told_of_its_node(run: Run) -> None:
    made = group(run, SPAN | SGLANG)
    leader, worker = made.main("leader")["args"], made.main("worker")["args"]
    assert "--dist-init-addr $(LWS_LEADER_ADDRESS):29500" in " ".join(leader)
    assert "--nnodes 2 --node-rank $(LWS_WORKER_INDEX)" in " ".join(leader)
    assert leader == worker


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({}, ("the arguments of rank 0, and that it is a follower: only rank 0 answers clients; ")),
        (SGLANG, "the arguments of rank 0: only rank 0 answers clients; "),
    ],
)
def test_the_others_are_told_what_explain_says_of_them(
    run: Run, server: Values, words: str
) -> None:
    spec = SPAN | server | {"args": ["--seed", "1"]}
    why = reasons(run, spec, HERE)
    leader, worker = (
        why[f"spec.leaderWorkerTemplate.{role}Template.spec.containers[0].args"]
        for role in ("leader", "worker")
    )
    assert worker.startswith(words)
    assert "; one of 2 nodes; " in worker
    assert worker.endswith("; then the spec's own arguments")
    finishes = "; finishes running requests"
    assert (finishes in leader, finishes in worker) == (not server, False)


@pytest.mark.parametrize(
    ("parallelism", "tensor", "pipeline"),
    [({}, "8", "2"), ({"tensor": 16, "pipeline": 1}, "16", None), ({"pipeline": 4}, "4", "4")],
)
def test_degrees_multiply_over_the_group(
    run: Run, parallelism: Values, tensor: str, pipeline: str | None
) -> None:
    """By tensor within a node and by stages from node to node, unless the spec says otherwise."""
    args = group(run, SPAN | {"parallelism": parallelism}).main("leader")["args"]
    assert args[args.index("--tensor-parallel-size") + 1] == tensor
    stages = "--pipeline-parallel-size"
    assert (args[args.index(stages) + 1] if stages in args else None) == pipeline


def test_clients_and_probes_go_to_rank_0_alone(run: Run) -> None:
    made = group(run, SPAN)
    assert made.by_kind["Service"]["spec"]["selector"][INDEX] == "0"
    leader, worker = made.main("leader"), made.main("worker")
    probes = {"startupProbe", "readinessProbe", "livenessProbe", "ports"}
    assert probes <= leader.keys()
    assert not probes & worker.keys()


def test_clients_and_workers_ask_services_of_different_names(run: Run) -> None:
    """A shared one would have the set's name: the controller makes none where there is one."""
    made = group(run, SPAN)
    name = made.by_kind["LeaderWorkerSet"]["metadata"]["name"]
    assert made.by_kind["Service"]["metadata"]["name"] == name
    assert made.spec["networkConfig"] == {"subdomainPolicy": "UniquePerReplica"}


def test_the_others_stay_until_rank_0_has_answered(run: Run) -> None:
    made = group(run, SPAN | {"longestRequest": "5m"})

    def pause(role: str) -> int:
        return int(made.main(role)["lifecycle"]["preStop"]["sleep"]["seconds"])

    grace = {made.pod(role)["terminationGracePeriodSeconds"] for role in ("leader", "worker")}
    assert grace == {330}
    # Rank 0 sleeps, and is then given the longest request to finish.
    assert pause("leader") + 300 == pause("worker") < 330
    assert "--shutdown-timeout" in made.main("leader")["args"]
    assert "--shutdown-timeout" not in made.main("worker")["args"]


def test_the_budget_has_time_for_the_other_pods_to_come(run: Run) -> None:
    alone = SPAN | {"nodes": 1}

    def seconds(spec: Values) -> int:
        made = group(run, spec)
        probe = made.main("leader" if "leaderTemplate" in made.template else "worker")[
            "startupProbe"
        ]
        return int(probe["periodSeconds"] * probe["failureThreshold"])

    assert seconds(SPAN) == seconds(alone) + 300


def test_one_group_makes_room_for_the_next_unless_slots_for_a_whole_one_are_promised(
    run: Run,
) -> None:
    def pools(spare: int) -> Values:
        pool = {"name": "h100", "gpu": {"model": "H100-80GB", "count": 8}, "spare": spare}
        return {"pools": [pool]}

    def rollout(spare: int) -> tuple[int, int]:
        made = group(run, SPAN | {"replicas": 3}, **pools(spare))
        rolling = made.spec["rolloutStrategy"]["rollingUpdateConfiguration"]
        return rolling["maxUnavailable"], rolling["maxSurge"]

    assert [rollout(spare) for spare in (0, 1, 2, 5)] == [(1, 0), (1, 0), (0, 1), (0, 2)]


def test_a_warm_placeholder_makes_room_for_a_group_of_one_pod(run: Run) -> None:
    spec = SPAN | {"nodes": 1, "replicas": 3, "warm": 2}
    profile = HERE | {"priorities": {"placeholder": "placeholder"}}
    made = Group(run.objects("Inference", spec, **profile))
    rolling = made.spec["rolloutStrategy"]["rollingUpdateConfiguration"]
    assert (rolling["maxUnavailable"], rolling["maxSurge"]) == (0, 2)
    why = reasons(run, spec, profile)["spec.rolloutStrategy"]
    assert why == "2 new groups at a time, before an old one stops: 2 warm placeholders make room"


def test_pods_of_a_group_may_talk_to_each_other(run: Run) -> None:
    network = {"network": {"ingress": [{"namespace": "gateway"}]}}
    policy = group(run, SPAN, **network).by_kind["NetworkPolicy"]["spec"]
    own = [{"podSelector": {"matchLabels": policy["podSelector"]["matchLabels"]}}]
    assert {"from": own} in policy["ingress"]
    assert {"to": own} in policy["egress"]


def test_the_only_replica_may_be_evicted(run: Run) -> None:
    """Of its pods none is the only one."""
    why = reasons(run, SPAN, HERE)["spec.maxUnavailable"]
    assert why.startswith("the only replica may be evicted too")


def test_an_autoscaler_changes_the_groups(run: Run) -> None:
    spec = SPAN | {"replicas": {"min": 1, "max": 3}}
    made = group(run, spec, metrics={"source": "custom-metrics"})
    scaled = made.by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert scaled["kind"] == "LeaderWorkerSet"
    assert scaled["apiVersion"] == made.by_kind["LeaderWorkerSet"]["apiVersion"]
    assert "replicas" not in made.spec


def test_its_queue_holds_the_set_and_without_one_it_is_said(run: Run) -> None:
    made = group(run, SPAN)
    labels = made.by_kind["LeaderWorkerSet"]["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == "big"
    free = {key: value for key, value in SPAN.items() if key != "queue"}
    said = run("render", "Inference", free, profile=HERE)[2]
    assert "no queue admits the 2 pods of a replica together: some may hold GPUs" in " ".join(
        said.split()
    )


@pytest.mark.parametrize(
    ("required", "key"),
    [
        (True, "kueue.x-k8s.io/podset-required-topology"),
        (False, "kueue.x-k8s.io/podset-preferred-topology"),
    ],
)
def test_its_queue_places_the_pods_of_a_replica_as_one(run: Run, required: bool, key: str) -> None:
    """By the label of the profile's level, on both templates; and nothing else draws them together."""
    label = "example.com/rack"
    near = {"topology": {"level": "rack", "required": required}}
    profile = HERE | {"topology": {"levels": [{"name": "rack", "label": label}]}}
    made = Group(run.objects("Inference", SPAN | near, **profile))
    for role in ("leader", "worker"):
        annotations = made.template[f"{role}Template"]["metadata"]["annotations"]
        assert annotations == {key: label, "kueue.x-k8s.io/podset-group-name": "replica"}
        assert "podAffinity" not in made.pod(role)["affinity"]
    why = reasons(run, SPAN | near, profile)
    said = next(reason for path, reason in why.items() if key in path)
    assert "the 2 pods of a replica" in said


def test_a_topology_that_its_queue_cannot_keep_to_is_refused(run: Run) -> None:
    said = run.refused("Inference", SPAN | {"topology": {"level": "rack"}}, **HERE)
    assert "the profile has no topology of its nodes" in said
    levels = [{"name": "host", "label": "kubernetes.io/hostname"}]
    pool = {"name": "h100", "gpu": {"model": "H100-80GB", "count": 8}}
    pool["labels"] = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}
    profile = HERE | {"topology": {"levels": levels}, "pools": [pool]}
    near = {"topology": {"level": "host", "required": True}}
    said = run.refused("Inference", SPAN | near, **profile)
    assert "2 pods × 8 GPUs = 16 on one node, and the largest has 8" in said


def test_a_replica_of_one_pod_has_one_template(run: Run) -> None:
    made = group(run, SPAN | {"nodes": 1})
    assert made.template["size"] == 1
    assert "leaderTemplate" not in made.template
    assert "readinessProbe" in made.main("worker")
    assert "--nnodes" not in made.main("worker")["args"]


@pytest.mark.parametrize(
    ("spec", "profile", "words"),
    [
        (
            SPAN | {"target": "deployment"},
            HERE,
            "target deployment runs each pod by itself, but `nodes: 2` makes one replica of 2 pods "
            "targets that support groups of pods: llminferenceservice, lws",
        ),
        (
            SPAN | {"nodes": 1, "target": "deployment"},
            HERE,
            "pods of target deployment are not queued delete `queue`",
        ),
        (SPAN, HERE | {"installed": {"kueue": "0.19"}}, 'installed: {lws: "0.10"}'),
        (SPAN, HERE | {"installed": {"kueue": "0.19", "lws": "0.6.2"}}, "LeaderWorkerSet 0.7 or"),
    ],
)
def test_what_cannot_carry_it_refuses_it(
    run: Run, spec: Values, profile: Values, words: str
) -> None:
    assert words in run.refused("Inference", spec, **profile)


def test_weights_are_held_by_all_gpus_of_a_replica(run: Run) -> None:
    model = {"id": "org/large", "size": "900Gi", "source": {"pvc": "weights"}}
    code, _, said = run("render", "Inference", SPAN | {"model": model, "nodes": 1}, profile=HERE)
    assert code == 2
    assert "the weights do not fit" in said
    assert group(run, SPAN | {"model": model})
