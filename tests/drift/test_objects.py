"""What is rendered against what is there: what servers and controllers fill in is no drift, what people do is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.drift.conftest import ROOT, Cluster, MakeCluster, Object, told

BARE_METAL = ROOT / "examples/clusters/bare-metal.yaml"
SPECS = [str(ROOT / f"examples/{name}.yaml") for name in ("chat", "chat-70b", "queued-pretrain")]
API = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1beta2.custom.metrics.k8s.io"},
    "spec": {"group": "custom.metrics.k8s.io", "version": "v1beta2"},
}
WHOLE = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "idle", "namespace": "x"}}


@pytest.fixture
def here(cluster: MakeCluster) -> Cluster:
    """The example's cluster with three workloads, its adapter and a pod without GPUs."""
    made = cluster(BARE_METAL, *SPECS)
    made.add(API, WHOLE)
    return made


def main(one: Object) -> Any:
    return one["spec"]["template"]["spec"]["containers"][0]


def test_nothing_differs(here: Cluster) -> None:
    found = here.drift()
    assert not found.differences
    assert not found.unseen
    assert found.objects > 30


def filled(one: Object) -> None:
    """What the API server makes of a Deployment."""
    one["metadata"] |= {"uid": "1", "resourceVersion": "7", "generation": 3, "managedFields": []}
    one["metadata"]["annotations"] |= {"deployment.kubernetes.io/revision": "4"}
    one["status"] = {"replicas": 2}
    one["spec"] |= {"minReadySeconds": 0, "paused": False, "replicas": 2}
    pod = one["spec"]["template"]["spec"]
    pod |= {"dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "serviceAccount": "chat"}
    pod |= {"schedulerName": "default-scheduler"}
    main(one).update(
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        imagePullPolicy="IfNotPresent",
    )
    for port in main(one)["ports"]:
        port["protocol"] = "TCP"


NO_DRIFT: dict[str, tuple[str, str, Callable[[Object], object]]] = {
    "defaults of the server": ("Deployment", "chat", filled),
    "replicas of an autoscaler": ("Deployment", "chat", lambda one: one["spec"].update(replicas=5)),
    "a restart": (
        "Deployment",
        "chat",
        lambda one: one["spec"]["template"]["metadata"].update(
            annotations={"kubectl.kubernetes.io/restartedAt": "now"}
        ),
    ),
    "somebody's annotation": (
        "Deployment",
        "chat",
        lambda one: one["metadata"]["annotations"].update({"example.com/seen": "yes"}),
    ),
    "whence it comes": (
        "Deployment",
        "chat",
        lambda one: one["metadata"]["annotations"].update({"gpuspec.dev/digest": "sha256:0"}),
    ),
    "another spelling": (
        "Deployment",
        "chat",
        lambda one: main(one)["resources"]["requests"].update(cpu="15000m"),
    ),
    "an address": (
        "Service",
        "chat",
        lambda one: one["spec"].update(
            clusterIP="10.0.0.1", clusterIPs=["10.0.0.1"], ipFamilies=["IPv4"], type="ClusterIP"
        ),
    ),
    "what Kueue does": (
        "Job",
        "",
        lambda one: (
            one["spec"].update(suspend=False),
            one["spec"]["template"]["spec"].update(nodeSelector={"example.com/pool": "h100"}),
            one["spec"]["template"]["spec"]["tolerations"].append(
                {"key": "a", "operator": "Exists"}
            ),
        ),
    ),
}


@pytest.mark.parametrize(("kind", "name", "change"), NO_DRIFT.values(), ids=NO_DRIFT)
def test_what_is_no_drift(
    here: Cluster, kind: str, name: str, change: Callable[[Object], object]
) -> None:
    """None of it is anybody's change."""
    change(here.one(kind, name))
    assert told(here.differences) == []


DRIFT: dict[str, tuple[str, str, Callable[[Object], object], list[str]]] = {
    "an image": (
        "Deployment",
        "chat-70b",
        lambda one: main(one).update(image="a:2"),
        ["if applied: restarts the pods", "image: …→ a:2"],
    ),
    "a variable": (
        "Deployment",
        "chat",
        lambda one: main(one)["env"].append({"name": "EXTRA", "value": "1"}),
        ["if applied: restarts the pods", 'env[name=EXTRA]: {name: EXTRA, value: "1"}'],
    ),
    "the value of a secret variable": (
        "Deployment",
        "chat",
        lambda one: main(one)["env"].append({"name": "HF_TOKEN", "value": "hf_secret"}),
        [
            "if applied: restarts the pods",
            "env[name=HF_TOKEN]: {name: HF_TOKEN, value: (hidden)}",
        ],
    ),
    "a toleration": (
        "Deployment",
        "chat",
        lambda one: one["spec"]["template"]["spec"]["tolerations"].append(
            {"key": "a", "operator": "Exists"}
        ),
        [
            "if applied: restarts the pods",
            "tolerations[key=a]: {key: a, operator: Exists}",
        ],
    ),
    "the host's network": (
        "Deployment",
        "chat",
        lambda one: one["spec"]["template"]["spec"].update(hostNetwork=True),
        ["if applied: restarts the pods", "hostNetwork: true"],
    ),
    "replicas that nobody moves": (
        "Deployment",
        "chat-70b",
        lambda one: one["spec"].update(replicas=3),
        ["spec.replicas: 2 → 3"],
    ),
    "a label": (
        "Service",
        "chat",
        lambda one: one["metadata"]["labels"].pop("app.kubernetes.io/managed-by"),
        ['metadata.labels["app.kubernetes.io/managed-by"]: gpuspec'],
    ),
    "a Job's own": (
        "Job",
        "",
        lambda one: one["spec"].update(backoffLimit=99),
        ["spec.backoffLimit: …→ 99"],
    ),
    "what an apply cannot set back": (
        "Job",
        "",
        lambda one: main(one).update(image="a:2"),
        ["the API server refuses an apply: …", "image: …→ a:2"],
    ),
    "a class's value": (
        "PriorityClass",
        "gpu-serving",
        lambda one: one.update(value=7),
        ["the API server refuses an apply: …", "value: 100000 → 7"],
    ),
    "a taint of a flavor": (
        "ResourceFlavor",
        "h100",
        lambda one: one["spec"]["nodeTaints"].append({"key": "a", "effect": "NoSchedule"}),
        ["spec.nodeTaints[1]: {key: a, effect: NoSchedule}"],
    ),
    "a level of a namespace": (
        "Namespace",
        "serving",
        lambda one: one["metadata"]["labels"].update(
            {"pod-security.kubernetes.io/enforce": "privileged"}
        ),
        ["…restricted → privileged"],
    ),
}


@pytest.mark.parametrize(("kind", "name", "change", "said"), DRIFT.values(), ids=DRIFT)
def test_what_somebody_changed(
    here: Cluster,
    kind: str,
    name: str,
    change: Callable[[Object], object],
    said: list[str],
) -> None:
    one = here.one(kind, name)
    change(one)
    ((how, what, sentences),) = told(here.differences)
    space = one["metadata"].get("namespace")
    called = one["metadata"]["name"]
    assert (how, what) == ("different", f"{kind} {f'{space}/' if space else ''}{called}")
    assert len(sentences) == len(said)
    for sentence, wanted in zip(sentences, said, strict=True):
        assert all(part in sentence for part in wanted.split("…")), sentence


def test_what_is_missing(here: Cluster) -> None:
    here.remove("Service", "chat")
    here.remove("LocalQueue", "bookstore")
    assert told(here.differences) == [
        ("missing", "LocalQueue bookstore-ml/bookstore", []),
        ("missing", "Service serving/chat", []),
    ]


def test_a_run_that_deletes_itself_is_not_missed(cluster: MakeCluster, tmp_path: Any) -> None:
    spec = tmp_path / "smoke.yaml"
    text = (ROOT / "examples/gpu-smoke-test.yaml").read_text()
    spec.write_text(text.replace("  image:", "  ttlAfterFinished: 1h\n  image:", 1))
    made = cluster(BARE_METAL, str(spec))
    made.add(API, WHOLE, {**made.one("Job"), "metadata": {"name": "b", "namespace": "x"}})
    made.remove("Job", "gpu-smoke-test-1")
    found = made.drift()
    assert not found.differences
    assert found.notes == (
        "Job default/gpu-smoke-test-1 is missing: the cluster deletes it some time after its end",
    )


def test_another_version_of_an_api_is_not_compared(here: Cluster) -> None:
    here.one("ClusterQueue", "small")["apiVersion"] = "kueue.x-k8s.io/v1beta1"
    found = here.drift()
    assert not found.differences
    assert "dump clusterqueue.v1beta2.kueue.x-k8s.io" in found.notes[0]


def test_what_is_not_in_the_dump_is_not_missing(here: Cluster) -> None:
    here.objects = [one for one in here.objects if one["kind"] in ("Node", "Namespace")]
    found = here.drift()
    assert not found.differences
    asked = {one.kind: one for one in found.unseen}
    assert asked["ClusterQueue"].ask == "clusterqueue.kueue.x-k8s.io"
    assert asked["ClusterQueue"].names == ("research", "bookstore", "small")
    assert {"Deployment", "Service", "Pod", "APIService"} <= asked.keys()


def test_an_empty_list_of_a_kind_says_that_there_is_none(here: Cluster, tmp_path: Any) -> None:
    import gpuspec
    from tests.drift.conftest import listed

    left = [one for one in here.objects if one["kind"] != "PriorityClass"]
    dump = tmp_path / "two.yaml"
    none = "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClassList, items: []}"
    dump.write_text(f"{listed(left)}\n---\n{none}\n")
    found = gpuspec.fleet_drift(*SPECS, live=str(dump), profile=here.profile)
    assert not found.unseen
    assert [one.name for one in found.differences if one.how == "missing"] == [
        f"PriorityClass gpu-{name}"
        for name in ("batch", "placeholder", "preemptible", "serving", "training", "urgent")
    ]


def test_what_we_made_and_nobody_asks_for(here: Cluster) -> None:
    ours = {"app.kubernetes.io/managed-by": "gpuspec"}
    quota: Object = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpuspec"}}
    quota["metadata"] |= {"namespace": "old", "labels": ours}
    theirs = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "theirs"}}
    workload: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "b", "namespace": "x"},
    }
    workload["metadata"]["labels"] = ours | {"app.kubernetes.io/name": "b"}
    here.add(quota, theirs, workload)
    assert told(here.differences) == [
        (
            "unasked",
            "ResourceQuota old/gpuspec",
            ["gpuspec made it, but the profile no longer requires it"],
        )
    ]


def pod(name: str, gpus: int, **metadata: Any) -> Object:
    container = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "serving", **metadata},
        "spec": {"containers": [container], "nodeName": "h100-0"},
        "status": {"phase": "Running"},
    }


def owner(kind: str, name: str, uid: str = "") -> Object:
    return {"ownerReferences": [{"kind": kind, "name": name, "uid": uid, "controller": True}]}


def test_workloads_that_nothing_makes_are_told_by_owner(here: Cluster) -> None:
    """Those with GPUs alone; what is made by what is given is known by its owners and labels."""
    by_hash = {"labels": {"pod-template-hash": "5d4f"}}
    ray: Object = {"apiVersion": "ray.io/v1", "kind": "RayCluster"}
    ray["metadata"] = {
        "name": "r-x",
        "namespace": "serving",
        "uid": "7",
        **owner("RayService", "r"),
    }
    done = pod("done", 8)
    done["status"]["phase"] = "Succeeded"
    here.add(
        pod("chat-5d4f-aaaaa", 1, **by_hash, **owner("ReplicaSet", "chat-5d4f")),
        pod("llama-5d4f-aaaaa", 2, **by_hash, **owner("ReplicaSet", "llama-5d4f")),
        pod("llama-5d4f-bbbbb", 2, **by_hash, **owner("ReplicaSet", "llama-5d4f")),
        pod("r-x-0", 4, **owner("RayCluster", "r-x", "7")),
        pod("web", 0),
        ray,
        done,
    )
    assert told(here.differences) == [
        (
            "unasked",
            "Deployment serving/llama",
            ["4 nvidia.com/gpu in 2 pods, but no given spec or manifest creates it"],
        ),
        (
            "unasked",
            "RayService serving/r",
            ["4 nvidia.com/gpu in 1 pod, but no given spec or manifest creates it"],
        ),
    ]


def test_pods_of_a_workload_and_of_an_earlier_run_of_it(here: Cluster) -> None:
    """What an operator makes in between is not in the dump; an earlier Job is a workload of its own."""
    ours = {"app.kubernetes.io/managed-by": "gpuspec", "app.kubernetes.io/name": "chat"}
    here.add(pod("a", 1, labels=ours, **owner("Between", "chat-1")))
    assert not here.differences
    here.add(pod("b", 1, labels=ours, **owner("Deployment", "chat-before")))
    ((how, name, _),) = told(here.differences)
    assert (how, name) == ("unasked", "Deployment serving/chat-before")


def test_without_specs_nobody_is_asked_for_workloads(cluster: MakeCluster) -> None:
    made = cluster(BARE_METAL)
    made.add(API, pod("alone", 4))
    found = made.drift()
    assert not found.differences
    assert not found.unseen


def test_what_the_profile_names_and_others_make(cluster: MakeCluster) -> None:
    text = (ROOT / "examples/clusters/bare-metal.yaml").read_text()
    text = text.replace("      nodes: 16\n", "      nodes: 16\n      runtimeClass: nvidia\n")
    text = text.replace("urgent: gpu-urgent,", "urgent: gpu-urgent, other: theirs,")
    made = cluster(text)
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}}
    made.add(API, runtime)
    assert told(made.differences) == [
        (
            "missing",
            "RuntimeClass nvidia",
            ["the profile names it, but it must be created elsewhere"],
        ),
        (
            "missing",
            "PriorityClass theirs",
            ["the profile names it, but it must be created elsewhere"],
        ),
    ]


def test_metrics_that_nothing_serves(here: Cluster) -> None:
    here.remove("APIService")
    here.add({**API, "metadata": {"name": "v1."}, "spec": {"group": "apps"}})
    ((how, name, said),) = told(here.differences)
    assert (how, name) == ("missing", "API custom.metrics.k8s.io")
    assert said == [
        "no adapter serves custom.metrics.k8s.io, but the profile has metrics from `custom-metrics`"
    ]


def test_features_that_knative_does_not_have(cluster: MakeCluster) -> None:
    text = (ROOT / "examples/clusters/bare-metal.yaml").read_text()
    feature = "kubernetes.podspec-tolerations"
    made = cluster(f"{text}  knative: {{features: [{feature}]}}\n")
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": {feature: "disabled"}}
    config["metadata"] = {"name": "config-features", "namespace": "knative-serving"}
    made.add(API, config)
    ((how, name, said),) = told(made.differences)
    assert (how, name) == ("different", "ConfigMap knative-serving/config-features")
    assert said == [f"not enabled, and the profile has it: {feature}"]
    config["data"] = {feature: "enabled"}
    assert not made.differences
