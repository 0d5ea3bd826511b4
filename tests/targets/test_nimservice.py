"""Servers that the NIM Operator makes of a NIMService: what it is told, and that nothing is dropped."""

import pytest

from gpuspec.plan.facets import ContainerPlan, PodPlan
from tests.targets.conftest import Run, Values

HERE: Values = {
    "installed": {"nim-operator": "3.1"},
    "targets": {"service": "nimservice"},
    "metrics": {"source": "custom-metrics"},
}
NIM: Values = {
    "runtime": "nim",
    "image": "nvcr.io/nim/meta/llama-3.1-8b-instruct:2.1.6",
    "model": {
        "id": "meta/llama",
        "size": "16Gi",
        "source": {"hub": {"tokenSecret": "ngc", "tokenKey": "NGC_API_KEY"}},
    },
}


def made(run: Run, spec: Values = {}, **more: object) -> Values:  # noqa: B006
    fields = {key: value for key, value in (NIM | spec).items() if value is not None}
    objects = run.objects("Inference", fields, **HERE | more)
    kinds = {one["kind"] for one in objects}
    assert not kinds & {"Deployment", "Service", "ServiceAccount", "HorizontalPodAutoscaler"}
    (found,) = (one["spec"] for one in objects if one["kind"] == "NIMService")
    assert isinstance(found, dict)
    return found


# Where each field of a pod is said in a NIMService, or why it is in none.
POD = {
    "labels": "labels",
    "annotations": "annotations",
    "restart_policy": "a Deployment's is Always",
    "service_account": "the operator's own, of the same name; another one is refused",
    "automount_token": "a note says that it is mounted",
    "service_links": "the server reads no variable that a Service would make",
    "security": "userID",
    "containers": "image",
    "init_containers": "refused",
    "volumes": "storage; others are refused",
    "subdomain": "of gangs alone",
    "scheduler": "schedulerName",
    "scheduling_group": "of gangs alone",
    "priority_class": "priorityClassName",
    "runtime_class": "runtimeClassName",
    "grace": "a note says that it is 30 s",
    "deadline": "of runs alone",
    "pull_secrets": "image.pullSecrets",
    "node_selector": "nodeSelector",
    "affinity": "affinity",
    "tolerations": "tolerations",
    "resource_claims": "draResources",
    "spread": "a note says that there is none; hard ones are refused",
    "host_network": "of pods that talk to each other",
    "dns_policy": "of pods that talk to each other",
}
CONTAINER = {
    "name": "the operator's own",
    "image": "image",
    "security": "a note says that there is none; a namespace that asks for it refuses",
    "pull_policy": "image.pullPolicy",
    "command": "command",
    "args": "args",
    "working_dir": "refused",
    "env": "env",
    "env_from": "refused",
    "ports": "expose.service.port",
    "resources": "resources",
    "restart_policy": "of sidecars alone",
    "startup_probe": "startupProbe",
    "readiness_probe": "readinessProbe",
    "liveness_probe": "livenessProbe",
    "lifecycle": "a note says that there is none",
    "mounts": "storage; others are refused",
}


def test_every_field_of_a_pod_is_carried_refused_or_said() -> None:
    assert set(POD) == set(PodPlan.__struct_fields__)
    assert set(CONTAINER) == set(ContainerPlan.__struct_fields__)


def test_it_says_what_a_deployment_would(run: Run) -> None:
    more: Values = {
        "command": ["serve"],
        "args": ["--x"],
        "env": {"MODE": "fast"},
        "pullPolicy": "always",
        "imagePullSecrets": ["registry"],
        "user": {"uid": 1234, "gid": 1234},
        "podLabels": {"team": "a"},
        "podAnnotations": {"note": "b"},
        "expose": {"port": 9000},
        "gpu": {"models": ["A100-80GB"], "count": 2},
    }
    pool = {"name": "a100", "gpu": {"model": "A100-80GB", "count": 8}, "taints": [
        {"key": "gpu", "value": "a100", "effect": "NoSchedule"}]}  # fmt: skip
    found = made(run, more, pools=[pool], scheduler="packing")
    assert found["image"] == {
        "repository": "nvcr.io/nim/meta/llama-3.1-8b-instruct",
        "tag": "2.1.6",
        "pullPolicy": "Always",
        "pullSecrets": ["registry"],
    }
    assert (found["command"], found["args"]) == (["serve"], ["--x"])
    env = {each["name"]: each.get("value") for each in found["env"]}
    assert (env["MODE"], env["NIM_TENSOR_PARALLEL_SIZE"]) == ("fast", "2")
    assert (found["userID"], found["groupID"]) == (1234, 1234)
    assert found["labels"]["team"] == "a"
    assert found["annotations"] == {"note": "b"}
    assert found["expose"] == {"service": {"type": "ClusterIP", "port": 9000}}
    assert found["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert found["schedulerName"] == "packing"
    assert {"key": "gpu", "operator": "Equal", "value": "a100", "effect": "NoSchedule"} in (
        found["tolerations"]
    )
    assert found["affinity"]["nodeAffinity"]
    assert found["storage"]["sharedMemorySizeLimit"]


def test_an_image_by_digest_is_the_same_when_the_operator_joins_it(run: Run) -> None:
    digest = "sha256:" + "a" * 64
    for image in (f"nvcr.io/nim/meta/llama:2.1.6@{digest}", f"nvcr.io/nim/meta/llama@{digest}"):
        found = made(run, {"image": image})["image"]
        assert f"{found['repository']}:{found['tag']}" == image


def test_probes_ask_the_port_by_its_name_there_and_wait_for_the_model(run: Run) -> None:
    found = made(run)
    for field in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert found[field]["probe"]["httpGet"]["port"] == "api"
    startup = found["startupProbe"]["probe"]
    assert startup["failureThreshold"] * startup["periodSeconds"] > 600


def test_it_signs_in_by_one_secret(run: Run) -> None:
    assert made(run)["authSecret"] == "ngc"
    own = {"model": None, "env": {"NGC_API_KEY": {"secret": "mine", "key": "NGC_API_KEY"}}}
    assert made(run, own)["authSecret"] == "mine"


def test_downloads_lie_where_the_operator_mounts_something(run: Run) -> None:
    """No variable leads to a folder that only pods of ours have."""
    kept = made(run, {"model": NIM["model"] | {"source": {"hub": {
        "tokenSecret": "ngc", "cache": "nim-cache"}}}})  # fmt: skip
    assert kept["storage"]["pvc"] == {"name": "nim-cache"}
    lost = made(run)
    assert "emptyDir" in lost["storage"]
    for found in (kept, lost):
        values = [str(each.get("value", "")) for each in found["env"]]
        assert not any(value.startswith(("/home/app", "/model-cache")) for value in values)


def test_its_autoscaler_is_told_and_not_made(run: Run) -> None:
    found = made(run, {"replicas": {"min": 1, "max": 4}})
    assert "replicas" not in found
    assert found["scale"]["enabled"] is True
    hpa = found["scale"]["hpa"]
    assert (hpa["minReplicas"], hpa["maxReplicas"]) == (1, 4)
    assert hpa["metrics"][0]["pods"]["metric"]["name"] == "vllm_num_requests_waiting"
    assert "scaleTargetRef" not in hpa


@pytest.mark.parametrize(
    ("metrics", "emitted"),
    [
        ({"source": "keda", "prometheus": {"address": "http://p:9090"}}, {"query": "sum(asked)"}),
        ({"source": "custom-metrics"}, {"object": {"kind": "Service", "name": "gateway"}}),
    ],
)
def test_its_autoscaler_does_not_go_to_zero(run: Run, metrics: Values, emitted: Values) -> None:
    """The operator's goes to 1 at least, and reads nothing of KEDA: none would ever start."""
    replicas = {"min": 0, "max": 4, "target": 5, "metricFrom": emitted}
    if "object" in emitted:
        replicas["metric"] = "asked"
    profile = HERE | {"metrics": metrics, "installed": HERE["installed"] | {"keda": "2.17"}}
    said = run.refused("Inference", NIM | {"replicas": replicas}, **profile)
    assert "target nimservice does not support 0 replicas" in said


def test_policies_name_the_port_as_it_is_called_there(run: Run) -> None:
    network = {"ingress": [{"namespace": "gateway"}], "metrics": [{"namespace": "monitoring"}]}
    objects = run.objects("Inference", NIM, **HERE | {"network": network})
    (policy,) = (one["spec"] for one in objects if one["kind"] == "NetworkPolicy")
    ports = [each["ports"][0]["port"] for each in policy["ingress"]]
    assert ports == ["api", "api"]


def test_what_the_operator_decides_is_said(run: Run) -> None:
    _, _, said = run("render", "Inference", NIM, profile=HERE)
    said = " ".join(said.split())
    assert "the NIM Operator gives its containers no security context" in said
    assert "30s to stop and no preStop" in said


LEVEL = {"namespaces": [{"name": "default", "podSecurity": "restricted"}]}


@pytest.mark.parametrize(
    ("spec", "profile", "why"),
    [
        ({}, LEVEL, "enforces restricted, which refuses the pods of the NIM Operator"),
        ({"model": None}, {}, "must name a Secret to sign in with, but the spec has none"),
        ({"sidecars": [{"name": "a", "image": "b:1"}]}, {}, "no security context for one"),
        ({"initContainers": [{"name": "a", "image": "b:1"}]}, {}, "no security context for one"),
        ({"volumes": [{"mount": "/data", "pvc": "data"}]}, {}, "mounts only its own"),
        ({"caches": {"pvc": "kept"}}, {}, "keeps downloads only in `model.source.hub.cache`"),
        ({"envFrom": [{"secret": "a"}]}, {}, "passes on single variables only"),
        ({"workingDir": "/app"}, {}, "sets no working directory"),
        ({"serviceAccount": "mine"}, {}, "creates one with the workload's name"),
        ({"rollout": {"unavailable": 1}}, {}, "always replaces a quarter of its pods at a time"),
        ({"availability": {"zones": "hard"}}, {}, "does not spread its pods"),
        (
            {"expose": {"port": 80, "containerPort": 8000}},
            {},
            "the same port for container and Service",
        ),
        ({"expose": {"ports": {"more": 9100}}}, {}, "creates the Service itself"),
        ({"expose": {"name": "api"}}, {}, "creates the Service itself"),
        (
            {"user": {"gid": 1000, "fsGroup": 2000}},
            {},
            "sets the group of volumes to the pod's own group",
        ),
        (
            {"model": NIM["model"] | {"source": {"pvc": "weights"}}},
            {},
            "mounts a claim as NIM's cache, and weights in the claim are not in the cache's form",
        ),
        ({"queue": "research"}, {"installed": HERE["installed"] | {"kueue": "0.19"}}, "not queued"),
        ({"runtime": "vllm"}, {}, "target nimservice starts only runtime nim, not vllm"),
    ],
)
def test_what_has_no_field_is_refused(run: Run, spec: Values, profile: Values, why: str) -> None:
    fields = {key: value for key, value in (NIM | spec).items() if value is not None}
    assert why in run.refused("Inference", fields, **HERE | profile)
