"""GPU423: beyond what its page shows."""

import pytest
import yaml

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

POLICY = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: NAME}
spec: SPEC
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: job}
spec:
  runtimeClassName: CLASS
  containers: [{name: main, image: example.com/job:1}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec: {devices: {requests: [REQUEST]}}
"""
KUBEVIRT = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {developerConfiguration: GATES}}
"""
INSTANCE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: bench}
spec: {domain: {devices: DEVICES}}
"""
HOST = "{hostDevices: [{name: gpu, deviceName: nvidia.com/GH100}]}"
OFF = "{cdi: {enabled: false}}"
EXACT = "{name: gpu, exactly: {deviceClassName: CLASS}}"


def policy(spec: str, name: str = "cluster-policy") -> str:
    return POLICY.replace("SPEC", spec).replace("NAME", name)


def said(*documents: str) -> list[Finding]:
    text = "---\n".join(documents)
    assert list(yaml.safe_load_all(text))
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU423"]


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        (EXACT.replace("CLASS", "gpu.nvidia.com"), 1),
        (EXACT.replace("CLASS", "mig.nvidia.com"), 1),
        (EXACT.replace("CLASS", "gpu.example.com"), 0),
        ("{name: gpu, deviceClassName: gpu.nvidia.com}", 1),
        ("{name: gpu, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com}]}", 1),
    ],
)
def test_claims_need_cdi(request_: str, found: int) -> None:
    claim = CLAIM.replace("REQUEST", request_)
    assert len(said(policy(OFF), claim)) == found
    assert said(policy("{cdi: {enabled: true}}"), claim) == []
    assert said(policy("{}"), claim) == said(claim) == []


@pytest.mark.parametrize(
    ("spec", "name", "level"),
    [
        (OFF, "nvidia-cdi", "warning"),
        (OFF, "nvidia-legacy", "warning"),
        (OFF, "nvidia", None),
        ("{operator: {defaultRuntime: crio}, cdi: {enabled: false}}", "nvidia", "warning"),
        ("{operator: {defaultRuntime: crio}}", "nvidia", "info"),
        ("{operator: {defaultRuntime: crio}}", "kata", None),
        ("{operator: {defaultRuntime: crio}, cdi: {enabled: true}}", "nvidia", None),
        ("{operator: {defaultRuntime: containerd}}", "nvidia", None),
        ("{operator: {defaultRuntime: crio}, toolkit: {enabled: false}}", "nvidia", None),
        (
            "{operator: {defaultRuntime: crio}, toolkit: {env: [{name: CRIO_CONFIG_MODE, value: config}]}}",
            "nvidia",
            None,
        ),
    ],
)
def test_runtime_classes_that_the_operator_makes(spec: str, name: str, level: str | None) -> None:
    found = said(policy(spec), POD.replace("CLASS", name))
    assert [one.severity for one in found] == ([level] if level else [])


def test_a_runtime_class_that_the_operator_names_otherwise() -> None:
    renamed, pod = policy("{operator: {runtimeClass: gpu}}"), POD.replace("CLASS", "nvidia")
    assert "gives its runtime class and handler another name" in said(renamed, pod)[0].message
    own = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "nvidia"}
    assert said(renamed, pod, yaml.safe_dump(own | {"metadata": {"name": "nvidia"}})) == []
    assert said(policy("{operator: {runtimeClass: nvidia}}"), pod) == []
    assert said(renamed, POD.replace("CLASS", "gpu")) == []


def test_of_two_clusters_one_may_have_it_on() -> None:
    claim = CLAIM.replace("REQUEST", EXACT.replace("CLASS", "gpu.nvidia.com"))
    assert said(policy(OFF), policy("{}", "other"), claim) == []


@pytest.mark.parametrize(
    ("gates", "devices", "gate"),
    [
        ("{featureGates: [GPU]}", HOST, "HostDevices"),
        ("{}", HOST, "HostDevices"),
        ("{featureGates: [GPU, HostDevices]}", HOST, None),
        ("{featureGates: [GPU]}", "{gpus: [{name: gpu, deviceName: nvidia.com/L4}]}", None),
        ("{featureGates: [GPU]}", "{hostDevices: []}", None),
        ("{}", "{gpus: [{name: gpu, claimName: gpu}]}", None),
        (
            "{disabledFeatureGates: [GPUsWithDRA]}",
            "{gpus: [{name: gpu, claimName: gpu}]}",
            "GPUsWithDRA",
        ),
    ],
)
def test_devices_of_virtual_machines_need_gates(gates: str, devices: str, gate: str | None) -> None:
    found = said(KUBEVIRT.replace("GATES", gates), INSTANCE.replace("DEVICES", devices))
    assert len(found) == (gate is not None)
    assert gate is None or f"`{gate}`" in found[0].message
