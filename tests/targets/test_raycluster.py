"""Ray clusters that programs are submitted to: who reaches them, how they scale, what is refused."""

import pytest

from tests.targets.conftest import Run, Values

HERE: Values = {
    "installed": {"kuberay": "1.6", "kueue": "0.19", "gateway-api": "1.4"},
    "targets": {"service": "raycluster"},
    "gateway": {"name": "public", "namespace": "gateway"},
}
SHARED: Values = {
    "runtime": "ray",
    "image": "rayproject/ray:2.54.0-py312-cu128",
    "gpu": {"count": 4},
    "replicas": {"min": 1, "max": 8},
}


def made(run: Run, spec: Values = {}, **more: object) -> dict[str, list[Values]]:  # noqa: B006
    found: dict[str, list[Values]] = {}
    for one in run.objects("Inference", SHARED | spec, **HERE | more):
        found.setdefault(one["kind"], []).append(one)
    return found


def test_it_is_a_cluster_and_nothing_that_serves(run: Run) -> None:
    found = made(run)
    assert set(found) == {"ServiceAccount", "PodDisruptionBudget", "RayCluster"}
    (cluster,) = found["RayCluster"]
    (group,) = cluster["spec"]["workerGroupSpecs"]
    assert (group["minReplicas"], group["maxReplicas"]) == (1, 8)
    assert cluster["spec"]["enableInTreeAutoscaling"] is True
    assert cluster["spec"]["upgradeStrategy"] == {"type": "Recreate"}


def test_the_autoscaler_alone_has_a_token(run: Run) -> None:
    """Whatever is submitted runs beside it."""
    (cluster,) = made(run)["RayCluster"]
    head = cluster["spec"]["headGroupSpec"]["template"]["spec"]
    assert head["automountServiceAccountToken"] is False
    account = "/var/run/secrets/kubernetes.io/serviceaccount"
    scaler = cluster["spec"]["autoscalerOptions"]
    assert account in {each["mountPath"] for each in scaler["volumeMounts"]}
    (main,) = head["containers"]
    assert account not in {each["mountPath"] for each in main["volumeMounts"]}
    assert scaler["securityContext"] == main["securityContext"]


def test_a_fixed_number_has_no_autoscaler(run: Run) -> None:
    (cluster,) = made(run, {"replicas": 3})["RayCluster"]
    assert not {"enableInTreeAutoscaling", "autoscalerOptions"} & cluster["spec"].keys()
    assert cluster["spec"]["workerGroupSpecs"][0]["replicas"] == 3
    head = cluster["spec"]["headGroupSpec"]["template"]["spec"]
    assert not any("projected" in each for each in head["volumes"])


def test_a_worker_is_ready_when_its_raylet_is(run: Run) -> None:
    """Nothing of Serve runs there to be asked, unless the spec says what does."""
    (cluster,) = made(run)["RayCluster"]
    (main,) = cluster["spec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"]
    assert main["readinessProbe"]["httpGet"] == {
        **{"path": "/api/local_raylet_healthz", "port": "agent"},
    }
    assert {each["name"] for each in main["ports"]} == {"metrics", "agent"}
    own = {"probes": {"readiness": {"command": ["ray", "status"]}}}
    (cluster,) = made(run, own)["RayCluster"]
    (main,) = cluster["spec"]["workerGroupSpecs"][0]["template"]["spec"]["containers"]
    assert main["readinessProbe"]["exec"] == {"command": ["ray", "status"]}


def test_callers_reach_the_head_and_no_worker(run: Run) -> None:
    network = {"ingress": [{"namespace": "team"}], "metrics": [{"namespace": "monitoring"}]}
    workers, head = (each["spec"] for each in made(run, network=network)["NetworkPolicy"])
    assert [len(each["from"]) for each in workers["ingress"]] == [1]
    assert not any("ports" in each for each in workers["ingress"])
    asked = {
        each["from"][0].get("namespaceSelector", {}).get("matchLabels", {}).get(
            "kubernetes.io/metadata.name"
        ): each.get("ports")
        for each in head["ingress"]
    }  # fmt: skip
    assert [each["port"] for each in asked["team"]] == ["dashboard", "client"]
    assert [each["port"] for each in asked["monitoring"]] == ["metrics"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {"serve": {"applications": [{"import_path": "a:b"}]}},
            "a RayCluster deploys no application",
        ),
        ({"expose": {"port": 80}}, "KubeRay creates the Service of a RayCluster"),
        ({"route": {"hosts": ["ray.example.com"]}}, "would allow all its clients to run any code"),
        ({"rollout": {"surge": 1}}, "all pods of a RayCluster are replaced at once"),
        (
            {"rollout": {"surge": 1, "deadline": "30m"}},
            "all pods of a RayCluster are replaced at once",
        ),
        ({"command": ["sleep"]}, "KubeRay sets the command of a RayCluster's pods"),
        ({"queue": "research"}, "Kueue does not admit a RayCluster with an autoscaled cluster"),
    ],
)
def test_what_it_cannot_carry_is_refused(run: Run, spec: Values, said: str) -> None:
    assert said in run.refused("Inference", SHARED | spec, **HERE)


def test_an_operator_that_replaces_no_pods_is_too_old(run: Run) -> None:
    installed = HERE["installed"] | {"kuberay": "1.5"}
    assert "needs KubeRay 1.6 or later" in run.refused(
        "Inference", SHARED, **HERE | {"installed": installed}
    )
