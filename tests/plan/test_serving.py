"""Probes, rollouts, budgets, drain, spread and network of a service."""

from types import ModuleType

import pytest

from gpuspec import runtimes
from tests.plan.conftest import ALONE, Made, Make, Refused, Values, image_of

MODEL = {"id": "org/m", "size": "100Gi", "source": {"pvc": "weights"}}
BIG = {"models": ["H200-141GB"]}


def budget(made: Made) -> int:
    probe = made.main["startupProbe"]
    return probe["periodSeconds"] * probe["failureThreshold"]


def test_the_startup_budget_covers_reading_and_building(make: Make, words: ModuleType) -> None:
    """C-24: model size ÷ storage bandwidth + load and compile time, doubled."""
    profile = words.cluster(bandwidth={"claims": {"weights": "1Gi"}})
    made = make("Inference", profile, model=MODEL, gpu=BIG)
    # (100Gi ÷ 1Gi/s + 240s + 100Gi × 1s/Gi) × 2
    assert budget(made) == 880
    assert "100Gi ÷ 1024Mi/s (bandwidth.claims.weights) = 100s to read, 340s to build" in (
        made.reason("spec.template.spec.containers[0].startupProbe")
    )


def test_slow_storage_means_a_longer_budget(make: Make, words: ModuleType) -> None:
    """C-24: a budget that is too short never starts."""
    slow = words.cluster(bandwidth={"default": "100Mi"})
    assert budget(make("Inference", slow, model=MODEL, gpu=BIG)) > 2000


def test_an_assumed_bandwidth_is_printed(make: Make) -> None:
    """C-24: where nothing is known, the assumption is said."""
    assert "assumed: weights are read at 200Mi/s" in make("Inference").loud()


def test_unknown_weights_are_bounded_by_the_gpus_memory(make: Make, words: ModuleType) -> None:
    profile = words.cluster(bandwidth={"default": "1Gi"})
    made = make("Inference", profile, model={"id": "m", "source": {"pvc": "w"}}, gpu=BIG)
    assert "(all GPU memory)" in made.reason("spec.template.spec.containers[0].startupProbe")


def test_the_specs_budget_and_its_own_startup_probe_win(make: Make) -> None:
    assert budget(make("Inference", startup={"budget": "45m"})) == 2700
    own = {"startup": {"path": "/started", "period": "5s", "failures": 90}}
    made = make("Inference", probes=own)
    assert made.main["startupProbe"]["httpGet"]["path"] == "/started"
    assert budget(made) == 450


def test_readiness_proves_the_model_and_liveness_is_looser(make: Make) -> None:
    """C-25, C-26: readiness on the path that proves it; liveness for stuck, not slow."""
    for runtime, image, path in (
        ("vllm", "vllm/vllm-openai:v0.33.0", "/health"),
        ("sglang", "lmsysorg/sglang:v0.5.23", "/health_generate"),
        ("triton", "nvcr.io/nvidia/tritonserver:26.07-py3", "/v2/health/ready"),
        ("nim", "nvcr.io/nim/meta/llama:1.8", "/v1/health/ready"),
    ):
        main = make("Inference", runtime=runtime, image=image).main
        ready, live = main["readinessProbe"], main["livenessProbe"]
        assert ready["httpGet"]["path"] == path
        patience = [p["periodSeconds"] * p["failureThreshold"] for p in (ready, live)]
        assert patience[1] > patience[0]


CUSTOM = {
    "runtime": "custom",
    "image": "ghcr.io/example/own:1",
    "expose": {"port": 8080},
    "probes": {"readiness": {"path": "/ready", "period": "5s"}},
}


def test_a_custom_server_is_asked_as_the_spec_says(make: Make) -> None:
    """C-26: nothing is known of its liveness, so nothing may kill it."""
    main = make("Inference", **CUSTOM).main
    assert main["readinessProbe"]["httpGet"] == {"path": "/ready", "port": "http"}
    assert main["startupProbe"]["httpGet"]["path"] == "/ready"
    assert "livenessProbe" not in main


@pytest.mark.parametrize(
    ("probe", "handler"),
    [
        ({"tcp": True}, {"tcpSocket": {"port": "http"}}),
        ({"grpc": "m"}, {"grpc": {"port": 8080, "service": "m"}}),
        ({"command": ["ok"]}, {"exec": {"command": ["ok"]}}),
    ],
)
def test_every_way_to_ask(make: Make, probe: Values, handler: Values) -> None:
    spec = {**CUSTOM, "probes": {"readiness": probe}}
    assert handler.items() <= make("Inference", **spec).main["readinessProbe"].items()


def strategy(made: Made) -> Values:
    return made.workload["spec"]["strategy"]


def test_without_a_spare_slot_a_pod_makes_room_for_the_next(make: Make, words: ModuleType) -> None:
    """C-27: a surge pod would pend while the old ones hold the GPUs."""
    profile = words.cluster(words.pool())
    assert strategy(make("Inference", profile, replicas=3)) == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
    }
    assert strategy(make("Inference", profile, replicas=1)) == {"type": "Recreate"}


def test_with_a_spare_slot_the_new_pod_comes_first(make: Make, words: ModuleType) -> None:
    """C-27: warm replicas are not ended before new ones are ready."""
    profile = words.cluster(words.pool(spare=2))
    made = make("Inference", profile, replicas=3)
    assert strategy(made)["rollingUpdate"] == {"maxSurge": 2, "maxUnavailable": 0}
    assert "promise 2 spare slots" in made.reason("spec.strategy")
    single = make("Inference", profile, replicas=1)
    assert strategy(single)["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_a_rollout_is_not_given_up_while_a_pod_loads(make: Make) -> None:
    """C-27: the progress deadline outlasts the start-up budget."""
    made = make("Inference", startup={"budget": "45m"})
    assert made.workload["spec"]["progressDeadlineSeconds"] > 2700


def test_a_disruption_budget_never_blocks_every_drain(make: Make) -> None:
    """C-29: not even for a single replica, and not by a pod that is not ready."""
    for replicas in (1, 2, 8, {"min": 1, "max": 4}):
        spec = make("Inference", replicas=replicas).one("PodDisruptionBudget")["spec"]
        assert spec["maxUnavailable"] == 1
        assert spec["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_grace_outlasts_withdrawal_and_the_longest_request(make: Make) -> None:
    """C-28: preStop until the endpoints are gone, then time to finish."""
    made = make("Inference", longestRequest="5m")
    assert made.main["lifecycle"]["preStop"]["sleep"]["seconds"] == 15
    assert made.pod["terminationGracePeriodSeconds"] == 15 + 300 + 15
    args = made.main["args"]
    assert args[args.index("--shutdown-timeout") + 1] == "300"


@pytest.mark.parametrize("runtime", ALONE)
@pytest.mark.parametrize("image", ["own", "old", "published"])
def test_no_server_is_killed_before_its_longest_request_is_done(
    make: Make, runtime: str, image: str
) -> None:
    """C-28: whatever it does on SIGTERM, and whatever release it is."""
    known, published = runtimes.get(runtime), image_of(runtime)
    images = {
        "own": "eu.example.com/own:1",
        "old": published.replace("latest", "0.1.0"),
        "published": published,
    }
    file = (known.weights and known.weights.file) or None
    source = {"pvc": "weights", **({"path": f"model{file}"} if file else {})}
    model = {"id": "org/model", "size": "16Gi", "source": source}
    made = make("Inference", runtime=runtime, image=images[image], model=model, longestRequest="7m")
    sleep = made.main["lifecycle"]["preStop"]["sleep"]["seconds"]
    grace = made.pod["terminationGracePeriodSeconds"]
    setting, said = known.shutdown.drain, [*made.main.get("args", []), *made.env.values()]
    told = setting is None or any("420" in str(word) for word in said)
    if known.shutdown.drains and told:
        assert grace >= sleep + 7 * 60 + 15
    else:
        assert sleep >= 15 + 7 * 60
        assert grace >= sleep + 15


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"args": ["--shutdown-timeout", "30"]}, "`--shutdown-timeout`"),
        ({"args": ["--shutdown-timeout=30"]}, "`--shutdown-timeout`"),
        ({"command": ["vllm", "serve", "--shutdown-timeout", "30"]}, "`--shutdown-timeout`"),
        (
            {"runtime": "tgi", "image": "own:1", "env": {"GRACEFUL_TERMINATION_TIMEOUT": 30}},
            "`GRACEFUL_TERMINATION_TIMEOUT`",
        ),
    ],
)
def test_a_limit_of_the_specs_own_that_cuts_requests_off_is_said(
    make: Make, fields: Values, said: str
) -> None:
    made = make("Inference", **fields)
    assert f"{said} gives running requests 30s" in made.loud()
    assert "cut off" not in make("Inference", longestRequest="30s", **fields).loud()


def test_a_limit_is_of_no_use_to_a_server_that_is_told_to_stop_last(make: Make) -> None:
    """Nothing runs any more by then."""
    made = make("Inference", image="own:latest", args=["--shutdown-timeout", "30"])
    assert made.main["lifecycle"]["preStop"]["sleep"]["seconds"] == 135
    assert "cut off" not in made.loud()


def test_a_server_that_does_not_drain_is_kept_until_its_requests_are_done(make: Make) -> None:
    """C-28: an old vLLM, or one whose version cannot be read, aborts on SIGTERM."""
    for image in ("vllm/vllm-openai:v0.17.0", "vllm/vllm-openai:latest"):
        made = make("Inference", image=image, longestRequest="5m")
        assert made.main["lifecycle"]["preStop"]["sleep"]["seconds"] == 315
        assert "--shutdown-timeout" not in made.main["args"]
        sleep = made.main["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert made.pod["terminationGracePeriodSeconds"] > sleep


def test_version_tells_the_release_that_no_tag_tells(make: Make) -> None:
    """C-28: without it each pod that stops would hold its GPUs for the longest request."""
    digest = "@sha256:" + "0" * 64
    for image in ("vllm/vllm-openai" + digest, "eu.example.com/ours/vllm:7" + digest):
        untold = make("Inference", image=image)
        assert untold.main["lifecycle"]["preStop"]["sleep"]["seconds"] == 135
        assert "the release of vLLM in the image is unknown" in untold.loud()
        told = make("Inference", image=image, version="0.33.0")
        assert told.main["lifecycle"]["preStop"]["sleep"]["seconds"] == 15
        assert told.main["args"][-2:] == ["--shutdown-timeout", "120"]
        assert "release" not in told.loud()
        old = make("Inference", image=image, version="0.17")
        assert "--shutdown-timeout" not in old.main["args"]
        assert "release" not in old.loud()


def test_spot_nodes_that_go_before_requests_are_done_are_said(
    make: Make, words: ModuleType
) -> None:
    profile = words.cluster(words.pool(capacity="spot", notice="30s"))
    made = make("Inference", profile, capacity="spot", latency="relaxed")
    assert "gives 30s of notice, but draining takes up to 150s" in made.loud()


def test_replicas_are_spread_softly_over_zones_and_not_over_nodes(make: Make) -> None:
    """C-11: soft by default; over nodes it would leave small holes on many of them."""
    (spread,) = make("Inference", replicas=2).pod["topologySpreadConstraints"]
    assert spread["topologyKey"] == "topology.kubernetes.io/zone"
    assert spread["whenUnsatisfiable"] == "ScheduleAnyway"
    assert "topologySpreadConstraints" not in make("Inference").pod


def test_hard_spread_is_there_on_request(make: Make) -> None:
    """C-11: a cordoned node is no empty place that must be filled first."""
    made = make("Inference", replicas=2, availability={"zones": "none", "nodes": "hard"})
    (spread,) = made.pod["topologySpreadConstraints"]
    assert spread["topologyKey"] == "kubernetes.io/hostname"
    assert spread["whenUnsatisfiable"] == "DoNotSchedule"
    assert spread["nodeTaintsPolicy"] == "Honor"
    assert spread["labelSelector"]["matchLabels"].items() <= (
        made.template["metadata"]["labels"].items()
    )


def test_a_network_policy_is_there_only_with_peers(make: Make, words: ModuleType) -> None:
    """C-48: private endpoints."""
    assert "NetworkPolicy" not in make("Inference").kinds()
    network = {
        "ingress": [{"namespace": "gateway", "pods": {"app": "gateway"}}, {"pods": {"app": "x"}}],
        "metrics": [{"namespace": "monitoring"}],
        "egress": [{"cidr": "10.0.0.0/8", "ports": [443]}, {"namespace": "storage"}],
    }
    made = make("Inference", words.cluster(network=network))
    spec = made.one("NetworkPolicy")["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["podSelector"]["matchLabels"].items() <= (
        made.template["metadata"]["labels"].items()
    )
    callers, scrapers = spec["ingress"]
    assert callers["ports"] == [{"port": "http", "protocol": "TCP"}]
    assert callers["from"][0].keys() == {"namespaceSelector", "podSelector"}
    assert callers["from"][1] == {"podSelector": {"matchLabels": {"app": "x"}}}
    assert "monitoring" in str(scrapers)
    assert spec["egress"][0]["ports"][0] == {"port": 53, "protocol": "UDP"}
    assert "10.0.0.0/8" in str(spec["egress"]) and "storage" in str(spec["egress"])
    assert "443" not in str(spec["egress"][2:]), "weights are local: no hub is reached"


def test_a_download_may_reach_the_hub(make: Make, words: ModuleType) -> None:
    hub = {"id": "m", "size": "16Gi", "source": {"hub": {}}}
    made = make("Inference", words.cluster(network={"ingress": []}), model=hub)
    spec = made.one("NetworkPolicy")["spec"]
    assert {"ports": [{"port": 443, "protocol": "TCP"}]} in spec["egress"]
    assert "ingress" not in spec, "closed: nothing empty is written"


def test_metrics_of_triton_are_scraped_on_their_own_port(make: Make, words: ModuleType) -> None:
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    made = make(
        "Inference",
        words.cluster(network=network),
        runtime="triton",
        image="nvcr.io/nvidia/tritonserver:26.07-py3",
    )
    scrapers = made.one("NetworkPolicy")["spec"]["ingress"][1]
    assert scrapers["ports"] == [{"port": "metrics", "protocol": "TCP"}]


def test_a_service_has_an_identity_of_its_own_without_a_token(make: Make) -> None:
    """C-48: a service account for each service, nothing mounted."""
    made = make("Inference")
    assert made.one("ServiceAccount")["automountServiceAccountToken"] is False
    assert made.pod["serviceAccountName"] == made.one("ServiceAccount")["metadata"]["name"]
    existing = make("Inference", serviceAccount="mine")
    assert existing.pod["serviceAccountName"] == "mine"
    assert "ServiceAccount" not in existing.kinds()


def test_continuous_work_is_a_deployment(make: Make) -> None:
    """C-33, C-64: a Deployment with what it needs, in apply order."""
    made = make("Inference", replicas=2)
    assert made.kinds() == ["ServiceAccount", "Service", "PodDisruptionBudget", "Deployment"]
    assert made.workload["spec"]["replicas"] == 2
    assert made.pod["restartPolicy"] == "Always"


PRIORITIES = {"placeholder": "gpu-placeholder", "inference": "gpu-serving"}


def test_warm_room_is_kept_by_a_placeholder_that_gives_way(
    make: Make, words: ModuleType, pod_security: ModuleType
) -> None:
    """C-32, C-31: pods of the same shape and a lower priority, which do nothing."""
    profile = words.cluster(words.pool(), priorities=PRIORITIES)
    made = make("Inference", profile, warm=2)
    # The placeholders are slots of this very shape: a rollout may take them.
    surge = made.one("Deployment", made.workload["metadata"]["name"])["spec"]["strategy"]
    assert surge["rollingUpdate"]["maxUnavailable"] == 0
    keeper = made.one("Deployment", "work-placeholder")
    template = keeper["spec"]["template"]
    pod = template["spec"]
    assert keeper["spec"]["replicas"] == 2
    assert keeper["spec"]["strategy"] == {"type": "Recreate"}, "a surge would take the room"
    assert pod["priorityClassName"] == "gpu-placeholder"
    assert pod["terminationGracePeriodSeconds"] == 0
    assert pod["containers"][0]["resources"] == made.main["resources"]
    assert pod["affinity"] == made.pod["affinity"]
    assert pod["tolerations"] == made.pod["tolerations"]
    assert pod_security.restricted(template) == []
    service = made.one("Service")["spec"]["selector"]
    assert not service.items() <= template["metadata"]["labels"].items(), "gets no requests"


def test_a_placeholder_is_as_large_as_the_whole_pod(make: Make, words: ModuleType) -> None:
    """C-32: room for the main container alone would not be room for the pod."""
    profile = words.cluster(words.pool(), priorities=PRIORITIES)
    side = {"name": "log", "image": "log:1", "resources": {"cpu": "1500m", "memory": "2Gi"}}
    made = make("Inference", profile, warm=1, sidecars=[side])
    keeper = made.one("Deployment", "work-placeholder")["spec"]["template"]["spec"]
    kept = keeper["containers"][0]["resources"]["requests"]
    assert words.number(kept["cpu"]) == words.number(made.requests["cpu"]) + 1.5
    assert words.number(kept["memory"]) == words.number(made.requests["memory"]) + 2 * 2**30
    assert kept["nvidia.com/gpu"] == "1"


def test_warm_room_without_a_class_that_gives_way_is_refused(refused: Refused) -> None:
    """C-32: at the same priority it would only waste GPUs."""
    assert "PriorityClass of a negative value" in refused("Inference", warm=1)
