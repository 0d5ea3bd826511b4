"""Servers that KServe's controller makes of an LLMInferenceService: the pod stays, presets under it or not."""

import pytest

import gpuspec
from tests.targets.conftest import SERVING, Run, Values

HERE: Values = {
    "installed": {"kserve": "0.20", "lws": "0.9", "gateway-api": "1.5"},
    "targets": {"service": "llminferenceservice"},
    "metrics": {"source": "custom-metrics"},
}
KIND, PRESET = "LLMInferenceService", "kserve-config-llm-worker-pipeline-parallel"
OWN: Values = {"runtime": "custom", "image": "ghcr.io/example/serve:1", "command": ["serve"]}
BEFORE: Values = {
    "sidecars": [{"name": "proxy", "image": "example.com/proxy:1", "ports": {"proxy": 8443}}],
    "expose": {"through": "proxy"},
}
ASKED: Values = {"readiness": {"path": "/ready"}, "liveness": {"path": "/ready"}}


def made(run: Run, spec: Values, **more: object) -> dict[str, Values]:
    return {one["kind"]: one for one in run.objects("Inference", SERVING | spec, **HERE | more)}


def container(found: dict[str, Values], part: str = "template") -> Values:
    (main,) = found[KIND]["spec"][part]["containers"]
    return dict(main)


def test_nothing_is_downloaded_again(run: Run) -> None:
    spec = made(run, {"replicas": 3})[KIND]["spec"]
    assert spec["model"] == {"uri": "pvc://weights", "name": "org/model"}
    assert spec["storageInitializer"] == {"enabled": False}
    assert spec["replicas"] == 3
    assert "parallelism" not in spec
    (claim,) = (one for one in spec["template"]["volumes"] if "persistentVolumeClaim" in one)
    assert claim["persistentVolumeClaim"]["claimName"] == "weights"


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ({"pvc": "weights", "path": "a/b"}, "pvc://weights/a/b"),
        ({"image": "ghcr.io/example/weights:1"}, "oci://ghcr.io/example/weights:1"),
        ({"hub": {}}, "hf://org/model:abc"),
    ],
)
def test_where_weights_come_from_is_told(run: Run, source: Values, uri: str) -> None:
    model = {"id": "org/model", "revision": "abc", "size": "16Gi", "source": source}
    found = made(run, {"model": model})
    assert found[KIND]["spec"]["model"]["uri"] == uri


def test_what_a_preset_would_say_is_said(run: Run) -> None:
    main = container(made(run, {"image": "vllm/vllm-openai:latest", "version": "0.33.0"}))
    assert main["command"] == ["vllm", "serve"]
    assert main["imagePullPolicy"] == "Always"
    assert main["securityContext"]["runAsNonRoot"] is True
    assert main["lifecycle"] == {"preStop": {"exec": {"command": ["/bin/sleep", "15"]}}}
    said = {one["name"]: one.get("value") for one in main["env"]}
    assert said["HF_HUB_CACHE"] == f"{said['HF_HOME']}/hub"
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert main[probe]["httpGet"]["scheme"] == "HTTP"
        assert main[probe]["failureThreshold"]


def test_the_spec_s_own_words_stay(run: Run) -> None:
    spec = {"pullPolicy": "never", "env": {"HF_HUB_CACHE": "/models/hub"}}
    main = container(made(run, spec))
    assert main["imagePullPolicy"] == "Never"
    caches = [one["value"] for one in main["env"] if one["name"] == "HF_HUB_CACHE"]
    assert caches == ["/models/hub"]
    assert "imagePullPolicy" not in container(made(run, {}))


def test_the_label_that_kserve_finds_pods_by_is_its_own(run: Run) -> None:
    own = made(run, {"partOf": "shop", "owner": "team"})[KIND]
    assert own["metadata"]["labels"]["app.kubernetes.io/part-of"] == "shop"
    assert "app.kubernetes.io/part-of" not in own["spec"]["labels"]
    assert own["spec"]["labels"]["gpuspec.dev/owner"] == "team"


def test_clients_are_sent_to_those_who_answer(run: Run) -> None:
    selector = made(run, {})["Service"]["spec"]["selector"]
    assert selector["kserve.io/component"] == "workload"


def test_an_autoscaler_beside_it_changes_what_kserve_makes(run: Run) -> None:
    found = made(run, {"replicas": {"min": 1, "max": 4}})
    own, scaler = found[KIND], found["HorizontalPodAutoscaler"]["spec"]
    assert "replicas" not in own["spec"]
    name = f"{own['metadata']['name']}-kserve"
    assert scaler["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    found = made(run, {"replicas": {"min": 1, "max": 4}, "nodes": 2, "gpu": {"count": 8}})
    assert "replicas" not in found[KIND]["spec"]
    of = found["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    assert (of["kind"], of["name"]) == ("LeaderWorkerSet", f"{name}-mn")


def test_a_route_is_the_one_beside_it(run: Run) -> None:
    gateway = {"name": "public", "namespace": "gateway"}
    found = made(run, {"route": {"paths": ["/v1"]}}, gateway=gateway)
    name = found["HTTPRoute"]["metadata"]["name"]
    assert found[KIND]["spec"]["router"] == {"route": {"http": {"refs": [{"name": name}]}}}
    assert "router" not in made(run, {"route": {}})[KIND]["spec"]
    router = {"implementation": "openshift-router"}
    found = made(run, {"route": {}}, gateway=router, provider="openshift")
    assert "router" not in found[KIND]["spec"]


def test_several_nodes_are_leader_and_workers(run: Run) -> None:
    found = made(run, {"nodes": 2, "gpu": {"count": 8}, "replicas": 2})
    spec = found[KIND]["spec"]
    assert spec["parallelism"] == {"pipeline": 2}
    assert spec["baseRefs"] == [{"name": PRESET}]
    leader, worker = container(found), container(found, "worker")
    assert "readinessProbe" in leader
    assert not {"readinessProbe", "livenessProbe", "startupProbe", "ports"} & worker.keys()
    assert "--headless" in worker["args"]
    apart = {"nodes": 2, "gpu": {"count": 8}, "replicas": 2, "availability": {"zones": "none"}}
    assert "topologySpreadConstraints" not in made(run, apart)[KIND]["spec"]["template"]
    (spread,) = spec["template"]["topologySpreadConstraints"]
    assert spread["matchLabelKeys"] == ["leaderworkerset.sigs.k8s.io/template-revision-hash"]


def test_prefill_is_one_of_its_own(run: Run) -> None:
    objects = run.objects("Inference", SERVING | {"prefill": {"replicas": 2}}, **HERE)
    decode, prefill = (one for one in objects if one["kind"] == KIND)
    name = decode["metadata"]["name"]
    assert prefill["metadata"]["name"] == f"{name}-prefill"
    assert (decode["spec"]["replicas"], prefill["spec"]["replicas"]) == (1, 2)
    assert "prefill" not in decode["spec"]
    for one in (decode, prefill):
        (main,) = one["spec"]["template"]["containers"]
        assert "--kv-transfer-config" in main["args"]
        assert one["spec"]["labels"]["app.kubernetes.io/name"] == one["metadata"]["name"]


def test_the_platform_makes_the_preset_that_kserve_does_not_bring(run: Run) -> None:
    run("render", "Inference", SERVING, profile=HERE | {"namespaces": [{"name": "chat"}]})
    (profile,) = gpuspec.load_profiles(str(run.folder / "profile.yaml"))
    (found,) = (one for one in gpuspec.platform(profile).objects if one["kind"] == f"{KIND}Config")
    assert (found["metadata"]["namespace"], found["metadata"]["name"]) == ("chat", PRESET)
    assert found["spec"] == {}
    run("render", "Inference", SERVING, profile={"namespaces": [{"name": "chat"}]})
    (profile,) = gpuspec.load_profiles(str(run.folder / "profile.yaml"))
    assert not [one for one in gpuspec.platform(profile).objects if "KServe" in str(one)]


POOL: Values = {"name": "l4", "gpu": {"model": "L4", "count": 4}}


@pytest.mark.parametrize(
    ("spec", "pool", "said"),
    [
        ({"replicas": 3}, {}, "no pool promises a `spare` slot: a rollout may wait"),
        ({"replicas": 3}, {"spare": 1}, ""),
        ({"replicas": 4}, {}, ""),
    ],
)
def test_a_rollout_that_may_wait_is_said(run: Run, spec: Values, pool: Values, said: str) -> None:
    profile = HERE | {"pools": [POOL | pool]}
    code, _, err = run("render", "Inference", SERVING | spec, profile=profile)
    assert code == 0
    text = " ".join(err.split())
    assert said in text if said else "a rollout may wait" not in text


@pytest.mark.parametrize(
    ("name", "spec", "said"),
    [
        ("x" * 57, {}, "its Deployment would have 64 characters, 1 too many"),
        ("x" * 41, {"nodes": 2, "gpu": {"count": 8}}, "a label of its pods would have 64 characters"),
        ("chat", OWN | {"model": None, "expose": {"port": 8000}, "probes": ASKED}, "the spec has no `model`"),
        ("chat", {"expose": {"containerPort": 9000}}, "write expose.containerPort: 8000"),
        ("chat", {"runtime": "tgi", "image": "ghcr.io/huggingface/text-generation-inference:3.3.5"},
         "the spec has no `command` for"),
        ("chat", BEFORE, "the sidecar before it listens on 8443 let the sidecar listen on 8000"),
        ("chat", {"rollout": {"surge": 1}}, "KServe does not pass `rollout.surge` on to its Deployment"),
        ("chat", {"rollout": {"deadline": "30m"}}, "KServe does not pass `rollout.deadline` on to its Deployment"),
        ("chat", {"probes": {"readiness": {"tcp": True}}}, "refuses a probe of two types"),
        ("chat", {"args": ["--chat-template", "{{ messages }}"]}, "reads `{{` as the start of a Go template"),
        ("chat", {"queue": "big"}, "pods of target llminferenceservice are not queued"),
        ("chat", OWN | {"expose": {"port": 8000}, "probes": {"readiness": {"path": "/ready"}}},
         "KServe's preset adds a liveness probe"),
    ],
)  # fmt: skip
def test_what_it_cannot_carry_is_refused(run: Run, name: str, spec: Values, said: str) -> None:
    asked = {key: value for key, value in (SERVING | spec).items() if value is not None}
    code, _, err = run("render", "Inference", asked, profile=HERE, name=name)
    assert said in " ".join(err.split())
    assert code == 1


def test_a_server_of_one_s_own_is_carried_where_it_says_all(run: Run) -> None:
    spec = OWN | {"expose": {"port": 8000}, "probes": ASKED}
    main = container(made(run, spec))
    assert main["command"] == ["serve"]
    assert main["livenessProbe"]["httpGet"] == {"path": "/ready", "port": "http", "scheme": "HTTP"}


def test_bounds_that_groups_have_anyway_are_fine(run: Run) -> None:
    spec = {"nodes": 2, "gpu": {"count": 8}, "rollout": {"surge": 0, "unavailable": 1}}
    assert KIND in made(run, spec)


def test_groups_need_who_makes_them(run: Run) -> None:
    installed = {"kserve": "0.20"}
    spec = SERVING | {"nodes": 2, "gpu": {"count": 8}}
    said = run.refused("Inference", spec, **HERE | {"installed": installed})
    assert "KServe needs LeaderWorkerSet for a model on several nodes" in said
