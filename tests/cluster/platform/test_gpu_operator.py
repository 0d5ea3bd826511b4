"""What the GPU Operator is told: values of its chart, its ClusterPolicy, drivers of pools."""

import re
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.cluster.platform.gpu_operator import operator_objects, operator_values
from gpuspec.cluster.platform.platform import platform_objects
from gpuspec.manifests import InputError
from gpuspec.validation import validate
from tests.cluster.conftest import MakeProfile

INSTALLED = 'installed: {gpu-operator: "26.7"}\n'
BEFORE = 'installed: {gpu-operator: "26.3"}\n'
GENERAL = 'gpuOperator: {driver: {version: "580.105.08"}}\n'
POOLS = """
pools:
  - name: h100
    gpu: {model: H100-80GB, count: 8}
    labels: {example.com/pool: h100, nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
    taints: [{key: nvidia.com/gpu, value: present}]
  - name: t4
    gpu: {model: T4, count: 4}
    labels: {example.com/pool: t4}
    taints: [{key: accelerator, value: gpu}]
"""
CANARY = POOLS.replace("  - name: t4", '    driver: "595.91.07"\n  - name: t4')
NVIDIA = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
T4 = {"key": "accelerator", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}


def kinds(made: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["kind"], each["metadata"]["name"]) for each in made]


def test_a_profile_that_says_nothing_of_the_operator_has_no_object_of_it(
    profile: MakeProfile,
) -> None:
    """What was rendered before the field was there stays as it was."""
    assert operator_objects(profile(INSTALLED + POOLS)) == ([], ())


def test_values_of_the_chart_are_what_the_profile_decides_and_no_more(profile: MakeProfile) -> None:
    """Its daemons run where pods run; a node gives up pods with scratch volumes for a driver."""
    assert operator_values(profile(INSTALLED + GENERAL + POOLS)) == {
        "daemonsets": {"tolerations": [NVIDIA, T4]},
        "driver": {
            "version": "580.105.08",
            "upgradePolicy": {
                "autoUpgrade": True,
                "maxParallelUpgrades": 1,
                "maxUnavailable": 1,
                "gpuPodDeletion": {"deleteEmptyDir": True},
            },
        },
        "node-feature-discovery": {
            "worker": {
                "tolerations": [
                    {
                        "key": "node-role.kubernetes.io/control-plane",
                        "operator": "Equal",
                        "value": "",
                        "effect": "NoSchedule",
                    },
                    NVIDIA,
                    T4,
                ]
            }
        },
    }
    made, notes = operator_objects(profile(INSTALLED + GENERAL + POOLS))
    assert made == []
    assert notes == ("values of the GPU Operator's chart: gpuspec cluster render … --values",)


def test_without_the_field_values_are_those_of_shared_gpus(profile: MakeProfile) -> None:
    shared = POOLS.replace("taints: [{key: accelerator, value: gpu}]", "").rstrip()
    shared += "\n    sharing: {mode: time-slicing, replicas: 2}\n"
    assert operator_values(profile(INSTALLED + shared)) == {
        "devicePlugin": {"config": {"name": "gpuspec-device-plugin", "default": "whole-gpus"}}
    }


def test_nodes_that_come_with_a_driver_get_none(profile: MakeProfile) -> None:
    said = "gpuOperator: {driver: {preinstalled: true}}\n"
    assert operator_values(profile(INSTALLED + said + POOLS))["driver"] == {"enabled": False}
    assert operator_objects(profile(INSTALLED + said + CANARY))[0] == []


def test_a_pool_that_is_ahead_has_a_driver_of_its_own(profile: MakeProfile) -> None:
    """A canary: the others, and nodes of no pool, have the one for all."""
    found = profile(INSTALLED + GENERAL + CANARY)
    made, _ = operator_objects(found)
    assert kinds(made) == [("NVIDIADriver", "gpuspec-h100"), ("NVIDIADriver", "gpuspec-default")]
    own, rest = (each["spec"] for each in made)
    assert (own["version"], own["nodeSelector"]) == ("595.91.07", {"example.com/pool": "h100"})
    assert own["tolerations"] == [NVIDIA]
    assert (rest["version"], rest["default"]) == ("580.105.08", True)
    assert "nodeSelector" not in rest
    assert rest["tolerations"] == [NVIDIA, T4]
    for spec in (own, rest):
        assert spec["upgradePolicy"]["podDeletion"] == {"deleteEmptyDir": True}
        assert (spec["repository"], spec["image"]) == ("nvcr.io/nvidia", "driver")
    driver = operator_values(found)["driver"]
    assert driver == {"nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False}}
    for each in made:
        assert validate(each, "1.36") == ()


def test_before_26_7_each_pool_has_one_and_the_policy_is_for_all(profile: MakeProfile) -> None:
    found = profile(BEFORE + GENERAL + CANARY)
    made, _ = operator_objects(found)
    assert kinds(made) == [("NVIDIADriver", "gpuspec-h100"), ("NVIDIADriver", "gpuspec-t4")]
    versions = [each["spec"]["version"] for each in made]
    assert versions == ["595.91.07", "580.105.08"]
    assert all("upgradePolicy" not in each["spec"] for each in made)
    assert "upgradePolicy" in operator_values(found)["driver"]


def test_a_node_waits_for_training_and_batch_work(profile: MakeProfile) -> None:
    said = GENERAL.replace('"580.105.08"', '"580.105.08", upgrade: {unavailable: 3, wait: 4h}')
    policy = operator_values(profile(INSTALLED + said + POOLS))["driver"]["upgradePolicy"]
    assert (policy["maxParallelUpgrades"], policy["maxUnavailable"]) == (3, 3)
    assert policy["waitForCompletion"] == {
        "podSelector": "app.kubernetes.io/component in (batch-inference, fine-tune, training)",
        "timeoutSeconds": 14400,
    }


def test_on_openshift_the_cluster_policy_is_ours(profile: MakeProfile) -> None:
    """OLM hands the images to the operator; of one that is named all parts have to be."""
    cut = POOLS + "    sharing: {mode: time-slicing, replicas: 2}\n"
    made, notes = operator_objects(profile("extends: openshift\n" + INSTALLED + GENERAL + cut))
    assert (kinds(made), notes) == ([("ClusterPolicy", "gpu-cluster-policy")], ())
    spec = made[0]["spec"]
    assert spec["driver"] == {
        "version": "580.105.08",
        "repository": "nvcr.io/nvidia",
        "image": "driver",
        "upgradePolicy": {
            "autoUpgrade": True,
            "maxParallelUpgrades": 1,
            "maxUnavailable": 1,
            "podDeletion": {"deleteEmptyDir": True},
        },
    }
    assert spec["devicePlugin"]["config"]["name"] == "gpuspec-device-plugin"
    assert spec["operator"] == {"use_ocp_driver_toolkit": True}
    assert validate(made[0], "1.33") == ()


def test_metrics_beside_the_exporter_s_own(profile: MakeProfile) -> None:
    """A list of one's own takes the place of its list, which is therefore repeated."""
    said = "gpuOperator: {dcgmExporter: {metrics: {DCGM_FI_PROF_SM_ACTIVE: gauge}}}\n"
    found = profile(INSTALLED + said + POOLS)
    made, _ = platform_objects(found)
    (config,) = [each for each in made if each["kind"] == "ConfigMap"]
    lines = config["data"]["dcgm-metrics.csv"].splitlines()
    assert all(re.fullmatch(r"DCGM_FI_\w+, (gauge|counter|label), [^,]+", line) for line in lines)
    names = [line.partition(",")[0] for line in lines]
    assert {"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_XID_ERRORS"} <= set(names)
    assert len(names) == len(set(names))
    values = operator_values(found)
    assert values["dcgmExporter"] == {"config": {"name": config["metadata"]["name"]}}


WATCHED = """
installed: {gpu-operator: "26.7", prometheus-operator: "0.93", kube-state-metrics: "2.20"}
monitoring:
  scrape: pod-monitor
  namespace: monitoring
"""
DASHBOARDS = '  dashboards: {grafana_dashboard: "1"}\n'
SLOWED = {"DCGM_FI_DEV_THERMAL_VIOLATION", "DCGM_FI_DEV_POWER_VIOLATION"}


def exported(made: list[dict[str, Any]]) -> set[str]:
    """The fields that the exporter is told of."""
    lines = [
        line
        for each in made
        if each["kind"] == "ConfigMap"
        for line in each["data"].get("dcgm-metrics.csv", "").splitlines()
    ]
    return {line.partition(",")[0] for line in lines}


def test_the_exporter_has_what_alerts_ask_for(profile: MakeProfile) -> None:
    """C-50: Its own list lacks the two counters of lower clocks: nobody has to ask for them."""
    found = profile(WATCHED + "gpuOperator: {}\n" + POOLS)
    made, notes = platform_objects(found)
    assert exported(made) > SLOWED | {"DCGM_FI_DEV_FB_USED", "DCGM_FI_DRIVER_VERSION"}
    assert operator_values(found)["dcgmExporter"] == {"config": {"name": "gpuspec-dcgm-metrics"}}
    assert not any("comments in" in note for note in notes)


def test_fields_of_the_profile_beside_those_of_alerts(profile: MakeProfile) -> None:
    more = "gpuOperator: {dcgmExporter: {metrics: {DCGM_FI_PROF_SM_ACTIVE: gauge}}}\n"
    made, _ = platform_objects(profile(WATCHED + more + POOLS))
    assert exported(made) > {*SLOWED, "DCGM_FI_PROF_SM_ACTIVE"}


@pytest.mark.parametrize(
    ("told", "says_so"),
    [
        (WATCHED, True),  # nobody tells the operator
        (WATCHED.replace("prometheus-operator", "opentelemetry-operator") + DASHBOARDS, False),
        (WATCHED.replace("  namespace: monitoring\n", ""), False),
        (INSTALLED, False),
    ],
)
def test_without_alerts_or_without_the_operator_the_exporter_is_as_it_comes(
    profile: MakeProfile, told: str, says_so: bool
) -> None:
    operator = "" if says_so else "gpuOperator: {}\n"
    found = profile(told + operator + POOLS)
    made, notes = platform_objects(found)
    assert not exported(made)
    assert "dcgmExporter" not in operator_values(found)
    assert any("comments in" in note for note in notes) is says_so


def test_beside_a_driver_of_claims_the_plugin_is_off(profile: MakeProfile) -> None:
    """Where it has none of the pools; layouts are still the MIG manager's."""
    pool = """
pools:
  - name: half
    gpu: {model: A100-80GB, count: 8, dra: {by: claim}}
    sharing: {mode: mig, strategy: mixed, profiles: {1g.10gb: 7}}
"""
    values = operator_values(profile(INSTALLED + GENERAL + pool))
    assert values["devicePlugin"] == {"enabled": False}
    assert values["migManager"] == {"config": {"name": "gpuspec-mig-layouts"}}
    more = pool + "  - {name: t4, gpu: {model: T4, count: 4}}\n"
    assert "devicePlugin" not in operator_values(profile(INSTALLED + GENERAL + more))


def test_values_are_one_document(profile: MakeProfile) -> None:
    """As `helm -f` reads it."""
    found = profile(INSTALLED + GENERAL + POOLS)
    assert yaml.safe_load(gpuspec.operator_values(found)) == operator_values(found)
    with pytest.raises(InputError, match="OLM installs gpu-operator"):
        gpuspec.operator_values(profile("extends: openshift\n" + INSTALLED + POOLS))
    with pytest.raises(InputError, match="does not say that gpu-operator is installed"):
        gpuspec.operator_values(profile(POOLS))
