"""GPU840: what providers refuse on nodes that they manage alone, beyond what its page shows."""

import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.cluster.presets import preset
from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

GPU = {"limits": {"nvidia.com/gpu": 1}}
L4 = {"cloud.google.com/gke-accelerator": "nvidia-l4"}


def pod(container: dict[str, Any], **spec: Any) -> str:
    kind = spec.pop("kind", "Pod")
    metadata = {"name": "one", "namespace": spec.pop("namespace", "ml")}
    if labels := spec.pop("labels", None):
        metadata["labels"] = labels
    inside = {"containers": [{"name": "main", "image": "a:1", **container}], **spec}
    value: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": inside}
    if kind != "Pod":
        told = {"labels": {"app": "one"}}
        template = {"metadata": told, "spec": inside}
        value |= {"apiVersion": "apps/v1"}
        value["spec"] = {"selector": {"matchLabels": told["labels"]}, "template": template}
    return json.dumps(value)


def said(text: str, profile: str | None = "autopilot") -> list[RaisedFinding]:
    return [one for one in raised(text, profile) if one.rule.code == "GPU840"]


class TestAutopilot:
    @pytest.mark.parametrize(
        ("container", "spec", "level"),
        [
            ({"resources": GPU}, {}, "error"),
            ({"resources": GPU}, {"nodeSelector": L4}, None),
            ({"resources": GPU}, {"nodeSelector": {"cloud.google.com/compute-class": "l4"}}, None),
            ({}, {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}, "error"),
            ({}, {"tolerations": [{"key": "nvidia.com/gpu", "value": "present"}]}, None),
            ({}, {"nodeSelector": {"cloud.google.com/gke-nodepool": "a"}}, "error"),
            ({}, {"namespace": "kube-system"}, "error"),
            ({"securityContext": {"privileged": True}}, {}, "warning"),
            ({"securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}}, {}, "warning"),
            ({"securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}}}, {}, None),
            ({"ports": [{"containerPort": 80, "hostPort": 80}]}, {}, "warning"),
            ({}, {"hostNetwork": True}, "warning"),
            ({}, {"hostPID": True}, "warning"),
            ({}, {"volumes": [{"name": "a", "hostPath": {"path": "/dev"}}]}, "warning"),
            ({}, {"volumes": [{"name": "a", "hostPath": {"path": "/var/log"}}]}, None),
            (
                {"securityContext": {"privileged": True}},
                {"labels": {"cloud.google.com/matching-allowlist": "agent"}},
                None,
            ),
        ],
    )
    def test_what_its_admission_refuses(
        self, container: dict[str, Any], spec: dict[str, Any], level: str | None
    ) -> None:
        found = said(pod(container, **spec))
        assert [one.severity for one in found] == ([] if level is None else [level])

    def test_a_pod_of_its_class_in_any_cluster_of_gke(self) -> None:
        text = pod(
            {"securityContext": {"privileged": True}},
            nodeSelector={"cloud.google.com/compute-class": "autopilot"},
        )
        assert said(text, None)
        assert not said(pod({"securityContext": {"privileged": True}}), None)


class TestFargate:
    @pytest.mark.parametrize(
        ("container", "spec"),
        [
            ({"resources": GPU}, {}),
            ({"resources": {"limits": {"aws.amazon.com/neuron": 1}}}, {}),
            ({"securityContext": {"privileged": True}}, {}),
            ({"ports": [{"containerPort": 80, "hostPort": 80}]}, {}),
            ({}, {"hostNetwork": True}),
            ({}, {"volumes": [{"name": "a", "hostPath": {"path": "/var/log"}}]}),
            ({}, {"kind": "DaemonSet"}),
        ],
    )
    @pytest.mark.parametrize(
        "goes",
        [
            {"nodeSelector": {"eks.amazonaws.com/compute-type": "fargate"}},
            {"schedulerName": "fargate-scheduler"},
        ],
    )
    def test_what_it_does_not_take(
        self, container: dict[str, Any], spec: dict[str, Any], goes: dict[str, Any]
    ) -> None:
        (found,) = said(pod(container, **spec, **goes), None)
        assert found.severity == "error"
        assert "stays Pending" in found.found.message
        assert not said(pod(container, **spec), None)


def test_virtual_nodes_are_told_by_the_provider(tmp_path: Path) -> None:
    goes = {"nodeSelector": {"type": "virtual-kubelet"}}
    text = pod({}, initContainers=[{"name": "a", "image": "a:1"}], **goes)
    aks = preset("aks")
    (found,) = [
        one
        for one in gpuspec.lint_text(text, "pod.json", profile=aks).findings
        if one.rule == "GPU840"
    ]
    assert (found.severity, found.path) == ("warning", "spec.initContainers")
    assert found.note == (
        "change the pod, or run it on other nodes, unless the cluster's virtual nodes are of version 2"
    )
    assert not said(text)
    assert not said(text, None)


def test_fit_places_nothing_that_is_refused(tmp_path: Path) -> None:
    profile = tmp_path / "profile.yaml"
    profile.write_text(
        "{apiVersion: gpuspec.dev/v1alpha1, kind: ClusterProfile, metadata: {name: a}, spec: "
        '{kubernetes: "1.37", extends: gke, autopilot: true, pools: [{name: l4, gpu: {model: L4, count: 1}, '
        "nodes: 1, allocatable: {cpu: 8, memory: 32Gi}}]}}"
    )
    verdicts = {}
    for name, selector in (("any", {}), ("l4", L4)):
        file = tmp_path / f"{name}.json"
        file.write_text(pod({"resources": GPU}, nodeSelector=selector))
        found = gpuspec.fit(str(file), profile=gpuspec.load_profiles(str(profile))[0])
        (verdicts[name],) = [one.verdict for one in found.workloads]
    assert verdicts == {"any": "refused", "l4": "placed"}
