"""Servers on Knative, by its own Service or by KServe's: what it takes of a pod, and what it has of its own."""

import pytest

from gpuspec.plan.facets import ContainerPlan, PodPlan
from gpuspec.spec.knative import FEATURES
from gpuspec.targets._knative_pod import AS_IS, CONTAINER, NEVER, OWN, POD, VOLUMES
from tests.targets.conftest import SERVING, Run, Values

BOTH = pytest.mark.parametrize("target", ["knative", "kserve-knative"])
POOL = {
    "name": "l4",
    "gpu": {"model": "L4", "count": 4},
    "allocatable": {"cpu": 60, "memory": "240Gi"},
    "labels": {"nvidia.com/gpu.product": "NVIDIA-L4"},
    "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
}
SCALING = "autoscaling.knative.dev/"


def here(target: str, **more: object) -> Values:
    return {
        "installed": {"knative": "1.23", "kserve": "0.20"},
        "targets": {"service": target},
        "knative": {"features": list(FEATURES)},
        **more,
    }


def pod(made: list[Values]) -> Values:
    """The pod's spec, with what stands beside its fields."""
    own = made[-1] if made[-1]["kind"] in ("Service", "InferenceService") else made[-2]
    found = own["spec"].get("predictor") or own["spec"]["template"]["spec"]
    return dict(found)


def test_every_field_of_a_pod_has_an_answer() -> None:
    """Whatever the plan can say of a pod, Knative takes, refuses, or has of its own."""
    assert POD.keys() == {*PodPlan.__struct_fields__}
    assert CONTAINER.keys() == {*ContainerPlan.__struct_fields__}
    answers = {*POD.values(), *CONTAINER.values(), *VOLUMES.values()}
    assert answers - {AS_IS, OWN, NEVER} < {*FEATURES}


@BOTH
def test_the_service_is_knatives_and_so_is_the_scaling(run: Run, target: str) -> None:
    made = run.objects(
        "Inference",
        SERVING | {"replicas": {"min": 1, "max": 4, "signal": "running", "target": 9}},
        **here(target, metrics={"source": "custom-metrics"}),
    )
    kinds = [(one["apiVersion"].partition("/")[0], one["kind"]) for one in made]
    assert ("v1", "Service") not in kinds
    assert ("autoscaling", "HorizontalPodAutoscaler") not in kinds
    own = pod(made)
    if target == "kserve-knative":
        assert (own["minReplicas"], own["maxReplicas"]) == (1, 4)
        assert (own["scaleMetric"], own["scaleTarget"]) == ("concurrency", 9)
        assert own["annotations"][f"{SCALING}scale-down-delay"] == "10m"
    else:
        annotations = made[-1]["spec"]["template"]["metadata"]["annotations"]
        assert (
            annotations.items()
            >= {
                f"{SCALING}min-scale": "1",
                f"{SCALING}max-scale": "4",
                f"{SCALING}metric": "concurrency",
                f"{SCALING}target": "9",
                f"{SCALING}target-utilization-percentage": "100",
                f"{SCALING}scale-down-delay": "10m",
            }.items()
        )


@BOTH
def test_none_run_while_nobody_asks(run: Run, target: str) -> None:
    """Knative counts requests before the servers; the first one has the time that a pod takes to start."""
    replicas = {"min": 0, "max": 2, "signal": "running"}
    spec = SERVING | {"replicas": replicas, "startup": {"budget": "6m"}}
    made = run.objects("Inference", spec, **here(target))
    own = pod(made)
    assert own["timeout" if target == "kserve-knative" else "timeoutSeconds"] == 360 + 150
    if target == "kserve-knative":
        assert own["minReplicas"] == 0
    else:
        template = made[-1]["spec"]["template"]
        assert template["metadata"]["annotations"][f"{SCALING}min-scale"] == "0"
        assert template["spec"]["responseStartTimeoutSeconds"] == 360 + 150
    assert (
        "a request and its drain may take 1350s, including the start of a first pod"
        in run.refused("Inference", spec | {"startup": {"budget": "20m"}}, **here(target))
    )


@pytest.mark.parametrize("target", ["deployment", "kserve"])
def test_elsewhere_nothing_starts_the_first_one(run: Run, target: str) -> None:
    replicas = {"min": 0, "max": 2, "signal": "running"}
    profile = here(target, metrics={"source": "custom-metrics"}, kubernetes="1.37")
    said = run.refused("Inference", SERVING | {"replicas": replicas}, **profile)
    assert "at 0 replicas no server emits `running`, and no replica starts again" in said
    assert "targets of Knative's count them themselves" in said


@BOTH
def test_probes_ask_by_number_and_the_drain_is_queue_proxys(run: Run, target: str) -> None:
    """Knative calls the port otherwise, and the time of a request is the pod's to end."""
    own = pod(run.objects("Inference", SERVING | {"longestRequest": "5m"}, **here(target)))
    (main,) = own["containers"]
    assert main["ports"] == [{"containerPort": 8000}]
    for probe in ("startup", "readiness", "liveness"):
        assert main[f"{probe}Probe"]["httpGet"]["port"] == 8000
    assert "lifecycle" not in main
    assert not {"terminationGracePeriodSeconds", "restartPolicy"} & own.keys()
    assert own["timeout" if target == "kserve-knative" else "timeoutSeconds"] == 15 + 300 + 15
    assert own["containerConcurrency"] == 0
    assert "fsGroupChangePolicy" not in own["securityContext"]


@BOTH
def test_features_that_the_profile_does_not_list_are_named_with_what_takes_them(
    run: Run, target: str
) -> None:
    said = run.refused("Inference", SERVING, **here(target, pools=[POOL], knative={}))
    assert (
        "its pods need features of Knative that the profile does not list: "
        "kubernetes.podspec-securitycontext (securityContext), "
        "kubernetes.podspec-affinity (affinity), kubernetes.podspec-tolerations (tolerations), "
        "kubernetes.podspec-persistent-volume-claim (a volume of kind persistentVolumeClaim)"
    ) in said
    assert (
        "knative: {features: [kubernetes.podspec-affinity, "
        "kubernetes.podspec-persistent-volume-claim, kubernetes.podspec-securitycontext, "
        "kubernetes.podspec-tolerations]}"
    ) in said


@BOTH
def test_a_sidecar_is_a_container_beside_the_server(run: Run, target: str) -> None:
    """Knative takes no init container that goes on."""
    sidecar = {"name": "proxy", "image": "ghcr.io/example/proxy:1", "ports": {"http-alt": 8081}}
    own = pod(run.objects("Inference", SERVING | {"sidecars": [sidecar]}, **here(target)))
    _, beside = own["containers"]
    assert beside["name"] == "proxy"
    assert not {"restartPolicy", "ports"} & beside.keys()
    assert "initContainers" not in own
    _, _, said = run("render", "Inference", SERVING | {"sidecars": [sidecar]}, profile=here(target))
    assert "sidecars start with the server, not before it" in said


REFUSED: dict[str, tuple[Values, str]] = {
    "port": ({"expose": {"port": 8000}}, "the Service that Knative creates has port 80 only"),
    "name": ({"expose": {"name": "api"}}, "Knative names the Service after the workload"),
    "ports": ({"expose": {"ports": {"events": 5557}}}, "routes clients to only one port of a pod"),
    "route": ({"route": {}}, "through its own gateway, not through the profile's"),
    "surge": ({"rollout": {"surge": 1}}, "starts all pods of a new version before"),
    "unavailable": ({"rollout": {"unavailable": 1}}, "starts all pods of a new version before"),
    "signal": ({"replicas": {"min": 1, "max": 2}}, "cannot use `signal: queue`"),
    "metric": (
        {"replicas": {"min": 1, "max": 2, "metric": "depth", "target": 3}},
        "cannot use metric depth",
    ),
    "query": (
        {"replicas": {"min": 0, "max": 2, "target": 3, "metricFrom": {"query": "sum(queued)"}}},
        "cannot use a query",
    ),
    "activation": (
        {"replicas": {"min": 0, "max": 2, "signal": "running", "activation": 3}},
        "starts the first replica at the first request",
    ),
    "request": ({"longestRequest": "10m"}, "Knative ends a request after 10m"),
    "variable": (
        {"env": {"PORT": "1"}},
        "does not accept variable PORT, which Knative sets itself",
    ),
    "reserved": ({"expose": {"containerPort": 8012}}, "port 8012, which queue-proxy uses"),
    "queue": ({"queue": "research"}, "are not queued"),
    "nodes": ({"nodes": 2, "gpu": {"count": 8}}, "runs each pod by itself"),
}


@BOTH
@pytest.mark.parametrize("what", REFUSED)
def test_what_knative_does_otherwise_is_refused(run: Run, target: str, what: str) -> None:
    spec, words = REFUSED[what]
    assert words in run.refused("Inference", SERVING | spec, **here(target))


@BOTH
def test_a_claim_that_one_node_holds_is_refused(run: Run, target: str) -> None:
    """A new revision's pods come before the old ones go, and wait for the claim for ever."""
    storage = {
        "claims": {"weights": "fast"},
        "classes": {"fast": {"accessModes": ["ReadWriteOnce"]}},
    }
    assert "the old ones hold claim weights of storage class fast" in run.refused(
        "Inference", SERVING, **here(target, storage=storage)
    )


@BOTH
def test_a_new_version_takes_room_for_all_replicas(run: Run, target: str) -> None:
    for spare, told in ((0, True), (2, False)):
        profile = here(target, pools=[POOL | {"spare": spare}])
        _, _, said = run("render", "Inference", SERVING | {"replicas": 2}, profile=profile)
        assert ("needs slots for 2 replicas more" in said) is told


@BOTH
def test_the_deadline_of_a_rollout_is_a_revisions(run: Run, target: str) -> None:
    """What a Deployment of KServe's is not told, a revision is."""
    made = run.objects("Inference", SERVING | {"rollout": {"deadline": "45m"}}, **here(target))
    own = made[-1]["spec"]
    annotations = (
        own["predictor"]["annotations"]
        if target == "kserve-knative"
        else own["template"]["metadata"]["annotations"]
    )
    assert annotations["serving.knative.dev/progress-deadline"] == "45m"


@BOTH
def test_policies_let_in_who_passes_requests_on(run: Run, target: str) -> None:
    """Callers reach queue-proxy, and so do the activator and the autoscaler; scrapers the server by number."""
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    made = run.objects("Inference", SERVING, **here(target, network=network))
    (policy,) = (one for one in made if one["kind"] == "NetworkPolicy")
    rules = {
        one["from"][0]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"]: [
            port["port"] for port in one["ports"]
        ]
        for one in policy["spec"]["ingress"]
    }
    assert rules == {
        "knative-serving": [8012, 8013, 8112, 8022, 9090, 9091],
        "gateway": [8012, 8013, 8112],
        "monitoring": [8000],
    }


def test_knative_is_needed_beside_kserve(run: Run) -> None:
    said = run.refused("Inference", SERVING, **here("kserve-knative", installed={"kserve": "0.20"}))
    assert "target kserve-knative needs Knative Serving on the cluster" in said
    said = run.refused("Inference", SERVING, **here("knative", installed={"knative": "1.14"}))
    assert "needs Knative Serving 1.15 or later, and the profile has 1.14" in said
