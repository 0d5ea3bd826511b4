"""GPU018: documents, maps and arguments of plugins that programs read as their configuration."""

from typing import Any

import pytest
import yaml

from gpuspec.validation.configurations import told_by, violations
from tests.lint.pages import raised


def said(text: str) -> list[tuple[str, str, str]]:
    found = [one.finding() for one in raised(text)]
    return [(one.path, one.message, one.severity) for one in found if one.rule == "GPU018"]


CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: c, region: us-east-1, version: "1.34"}}
managedNodeGroups:
- {{name: gpu, {group}}}
"""


@pytest.mark.parametrize(
    ("group", "field", "severity"),
    [
        ("instanceTyp: g5.xlarge", "instanceTyp", "error"),
        ("instanceType: g5.3xlarge", "instanceType", "warning"),
        ("instanceTypes: [g5.xlarge, g5.xxlarge]", "instanceTypes[1]", "warning"),
        ("instanceType: g5.xlarge, instanceTypes: [g5.2xlarge]", "", "error"),
        ("instanceType: g5.xlarge, efaEnabled: true", "efaEnabled", "warning"),
        ("amiFamily: AL2023", "amiFamily", "error"),
        ("amiFamily: AmazonLinux2", "amiFamily", "warning"),
        ("minSize: 4, maxSize: 2", "minSize", "error"),
        ("ami: ami-1", "ami", "error"),
        ("instanceMarketOptions: {marketType: capacity-block}", "instanceMarketOptions", "error"),
        (
            'labels: {node-role.kubernetes.io/gpu: ""}',
            'labels["node-role.kubernetes.io/gpu"]',
            "error",
        ),
        ("taints: [{key: nvidia.com/gpu, effect: NoRun}]", "taints[0].effect", "error"),
        ("launchTemplate: {id: lt-1}, volumeSize: 100", "", "error"),
        (
            "updateConfig: {maxUnavailable: 1, maxUnavailablePercentage: 10}",
            "updateConfig",
            "error",
        ),
    ],
)
def test_node_groups_that_eksctl_rejects(group: str, field: str, severity: str) -> None:
    ((path, _, level),) = said(CLUSTER.format(group=group))
    assert path == f"managedNodeGroups[0]{'.' * bool(field)}{field}"
    assert level == severity


@pytest.mark.parametrize(
    "group",
    [
        "instanceType: p5.48xlarge, efaEnabled: true, availabilityZones: [us-east-1a]",
        "instanceType: g99.xlarge, efaEnabled: true",
        "labels: {node.kubernetes.io/pool: gpu, team: a, kubernetes.io/arch: amd64}",
        "capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-1}},"
        " instanceMarketOptions: {marketType: capacity-block}",
        "ami: ami-1, amiFamily: AmazonLinux2023",
        "minSize: 0, desiredCapacity: 0, maxSize: 8, volumeType: gp3, volumeThroughput: 500",
    ],
)
def test_node_groups_that_it_accepts(group: str) -> None:
    assert said(CLUSTER.format(group=group)) == []


POLICY: dict[str, Any] = {
    "profiles": [
        {
            "name": "a",
            "pluginConfig": [
                {
                    "name": "LowNodeUtilization",
                    "args": {"thresholds": {"cpu": 20}, "targetThresholds": {"cpu": 50}},
                },
                {"name": "RemoveFailedPods", "args": {"minPodLifetimeSeconds": 60}},
            ],
            "plugins": {
                "balance": {"enabled": ["LowNodeUtilization"]},
                "deschedule": {"enabled": ["RemoveFailedPods"]},
            },
        }
    ]
}
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: descheduler, namespace: kube-system}
spec:
  interval: 10m
  chart: {spec: {chart: descheduler, version: 0.33.0, sourceRef: {kind: HelmRepository, name: d}}}
  values:
"""


def test_a_policy_is_read_in_values_and_as_a_document() -> None:
    values = yaml.safe_dump({"deschedulerPolicy": POLICY})
    release = RELEASE + "".join(f"    {line}\n" for line in values.splitlines())
    document = yaml.safe_dump(
        {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", **POLICY}
    )
    assert said(release) == said(document) == []
    wrong = "targetThresholds", "targetThreshold"
    ((path, *_),) = said(document.replace(*wrong))[:1]
    assert path == "profiles[0].pluginConfig[0].args.targetThreshold"
    ((path, *_),) = said(release.replace(*wrong))[:1]
    assert path == (
        "spec.values.deschedulerPolicy.profiles[0].pluginConfig[0].args.targetThreshold"
    )


FIT = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packing
  pluginConfig:
  - name: NodeResourcesFit
    args: {{scoringStrategy: {{{strategy}}}}}
  - name: NodeResourcesOfATeam
    args: {{anything: 1}}
"""


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        ("type: MostAllocate", "`type` must be"),
        ("type: RequestedToCapacityRatio", "needs `requestedToCapacityRatio.shape`"),
        ("type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 101}]", "at most 100"),
        ("type: MostAllocated, resource: []", "unknown field `resource`"),
    ],
)
def test_arguments_of_plugins(strategy: str, words: str) -> None:
    ((_, message, _),) = said(FIT.format(strategy=strategy))
    assert words in message
    assert said(FIT.format(strategy="type: MostAllocated")) == []


def test_gates_of_another_release_are_no_slips() -> None:
    text = (
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
        "integrations: {frameworks: [batch/job]}\nfeatureGates: {GATE: true}\n"
    )
    assert said(text.replace("GATE", "PlacementByMoonPhase")) == []
    ((_, message, _),) = said(text.replace("GATE", "TopologyAwareSheduling"))
    assert "unknown field `TopologyAwareSheduling`" in message


@pytest.mark.parametrize("odd", [None, 1, "x", [None], {"a": None}, [[1]], {"enabled": [1]}])
def test_odd_values_are_no_surprise(odd: object) -> None:
    for api, field in (
        ("descheduler/v1alpha2", "profiles"),
        ("kubescheduler.config.k8s.io/v1", "profiles"),
        ("eksctl.io/v1alpha5", "managedNodeGroups"),
        ("config.kueue.x-k8s.io/v1beta2", "resources"),
    ):
        program = told_by("file", {"apiVersion": api})
        assert program is not None
        for value in (odd, [odd], [{"pluginConfig": odd, "plugins": odd, "taints": odd}]):
            violations(program, {"apiVersion": api, field: value})
