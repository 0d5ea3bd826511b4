"""Servers that KServe's controller makes of an InferenceService: the pod stays, the rest is its own."""

import pytest

from tests.targets.conftest import SERVING, Run, Values

HERE: Values = {
    "installed": {"kserve": "0.20"},
    "targets": {"service": "kserve"},
    "metrics": {"source": "custom-metrics"},
}
KSERVE = "serving.kserve.io/"


def made(run: Run, spec: Values, **more: object) -> dict[str, Values]:
    return {one["kind"]: one for one in run.objects("Inference", SERVING | spec, **HERE | more)}


def test_a_fixed_number_has_no_autoscaler_by_cpu(run: Run) -> None:
    found = made(run, {"replicas": 3})
    own = found["InferenceService"]
    assert own["metadata"]["annotations"] == {
        f"{KSERVE}autoscalerClass": "none",
        f"{KSERVE}deploymentMode": "Standard",
    }
    predictor = own["spec"]["predictor"]
    assert (predictor["minReplicas"], predictor["maxReplicas"]) == (3, 3)
    assert "HorizontalPodAutoscaler" not in found


def test_an_autoscaler_beside_it_changes_what_kserve_makes(run: Run) -> None:
    found = made(run, {"replicas": {"min": 1, "max": 4}})
    own, scaler = found["InferenceService"], found["HorizontalPodAutoscaler"]["spec"]
    assert own["metadata"]["annotations"][f"{KSERVE}autoscalerClass"] == "external"
    predictor = own["spec"]["predictor"]
    assert (predictor["minReplicas"], predictor["maxReplicas"]) == (1, 4)
    name = f"{own['metadata']['name']}-predictor"
    assert scaler["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}


def test_keda_changes_it_too_and_kserve_makes_no_second_one(run: Run) -> None:
    """Down to none as well: KServe sets no number under an autoscaler that is not its own."""
    keda = {"source": "keda", "prometheus": {"address": "http://prometheus:9090"}}
    queued = {"metric": "queued", "target": 5, "metricFrom": {"external": {}}}
    found = made(
        run,
        {"replicas": {"min": 0, "max": 4, **queued}},
        metrics=keda,
        installed={"kserve": "0.20", "keda": "2.21"},
    )
    own, scaled = found["InferenceService"], found["ScaledObject"]["spec"]
    assert own["metadata"]["annotations"][f"{KSERVE}autoscalerClass"] == "external"
    predictor = own["spec"]["predictor"]
    assert (predictor["minReplicas"], predictor["maxReplicas"]) == (0, 4)
    name = f"{own['metadata']['name']}-predictor"
    assert scaled["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    assert "HorizontalPodAutoscaler" not in found


def test_without_a_metric_the_fewest_stay(run: Run) -> None:
    """What it asks for of the fleet is what there is."""
    profile = {key: value for key, value in HERE.items() if key != "metrics"}
    spec = SERVING | {"replicas": {"min": 2, "max": 4}}
    found = {one["kind"]: one for one in run.objects("Inference", spec, **profile)}
    predictor = found["InferenceService"]["spec"]["predictor"]
    assert (predictor["minReplicas"], predictor["maxReplicas"]) == (2, 2)


def test_the_server_is_found_and_has_a_limit_of_its_own(run: Run) -> None:
    (main,) = made(run, {})["InferenceService"]["spec"]["predictor"]["containers"]
    assert main["name"] == "kserve-container"
    assert main["resources"]["limits"]["cpu"] == main["resources"]["requests"]["cpu"]
    (main,) = made(run, {"resources": {"cpu": 4, "cpuLimit": 8}})["InferenceService"]["spec"][
        "predictor"
    ]["containers"]
    assert main["resources"]["limits"]["cpu"] == "8"


def test_what_is_copied_into_pods_tells_nothing_that_changes(run: Run) -> None:
    """KServe copies annotations into the pods: a digest of the profile would restart all servers."""
    own = made(run, {}, provenance="full")["InferenceService"]
    assert set(own["metadata"]["annotations"]) == {
        f"{KSERVE}autoscalerClass",
        f"{KSERVE}deploymentMode",
    }


def test_a_reason_stays_where_people_look_for_it(run: Run) -> None:
    """Sharing a GPU without walls between has to be asked for in words, whoever carries the pods."""
    sharing = {"mode": "time-slicing", "replicas": 4}
    pool = {"name": "l4", "gpu": {"model": "L4", "count": 4}, "sharing": sharing}
    spec: Values = {"gpu": {"memory": "5Gi"}, "waivers": {"timeSlicing": "one team"}}
    spec["model"] = {"id": "org/model", "size": "2Gi", "source": {"pvc": "weights"}}
    own = made(run, spec, pools=[pool])["InferenceService"]
    assert own["metadata"]["annotations"]["gpuspec.dev/waiver-time-slicing"] == "one team"


@pytest.mark.parametrize(
    ("name", "spec", "said"),
    [
        ("x" * 49, {}, "a label of its pods has 64 characters, 1 too many"),
        (
            "chat",
            {"rollout": {"deadline": "30m"}},
            "KServe does not pass `rollout.deadline` on to its Deployment",
        ),
        ("chat", {"nodes": 2}, "`nodes: 2` makes one replica of 2 pods"),
        ("chat", {"queue": "big"}, "pods of target kserve are not queued"),
    ],
)
def test_what_it_cannot_carry_is_refused(run: Run, name: str, spec: Values, said: str) -> None:
    code, _, err = run("render", "Inference", SERVING | spec, profile=HERE, name=name)
    assert code == 1
    assert said in " ".join(err.split())
