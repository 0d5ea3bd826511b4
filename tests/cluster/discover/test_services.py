"""What stands beside the nodes in a dump: APIs of metrics, Knative's settings; what nodes say of their place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpuspec.cluster.discover import Discovery, discover
from gpuspec.manifests import read
from gpuspec.spec import ClusterProfileSpec, parse_profile

Json = dict[str, Any]
ADAPTER = {"name": "prometheus-adapter", "namespace": "monitoring"}
KEDA = {"name": "keda-operator-metrics-apiserver", "namespace": "keda"}


def node(name: str = "a", **labels: str) -> Json:
    labels = {"nvidia.com/gpu.product": "NVIDIA-L4"} | labels
    have = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "1"}
    info = {"kubeletVersion": "v1.36.1", "architecture": "amd64"}
    status = {"allocatable": have, "capacity": have, "nodeInfo": info}
    return {"kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def api(group: str, service: Json) -> Json:
    metadata = {"name": f"v1beta1.{group}"}
    return {
        "kind": "APIService",
        "metadata": metadata,
        "spec": {"group": group, "service": service},
    }


def config(name: str, **data: str) -> Json:
    metadata = {"name": name, "namespace": "knative-serving"}
    return {"kind": "ConfigMap", "metadata": metadata, "data": data}


def found(*objects: Json) -> tuple[Discovery, ClusterProfileSpec]:
    said = discover(json.dumps({"kind": "List", "apiVersion": "v1", "items": list(objects)}))
    (document,) = read(said.text, "discovered")
    return said, parse_profile(document).spec


@pytest.mark.parametrize(
    ("group", "source"),
    [
        ("custom.metrics.k8s.io", "custom-metrics"),
        ("external.metrics.k8s.io", "external-metrics"),
    ],
)
def test_an_adapter_is_the_source_of_metrics(group: str, source: str) -> None:
    said, spec = found(node(), api(group, ADAPTER), api("apps", {}))
    assert spec.metrics is not None
    assert spec.metrics.source == source
    assert f"monitoring/prometheus-adapter serves {group}" in said.text
    assert not any("skipped" in note for note in said.notes)


def test_keda_is_noted_since_its_prometheus_is_nowhere_to_be_seen() -> None:
    said, spec = found(node(), api("external.metrics.k8s.io", KEDA))
    assert spec.metrics is None
    assert any("KEDA serves external.metrics.k8s.io" in note for note in said.notes)


def test_without_such_an_api_no_source_is_said() -> None:
    said, spec = found(node(), api("metrics.k8s.io", {"name": "metrics-server"}))
    assert spec.metrics is None
    assert not said.notes


def test_what_knative_takes() -> None:
    _, spec = found(
        node(),
        config(
            "config-features",
            **{
                "kubernetes.podspec-tolerations": "Enabled",
                "kubernetes.podspec-affinity": "disabled",
                "kubernetes.podspec-nodeselector": "allowed",
                "multi-container": "enabled",
            },
        ),
        config("config-defaults", **{"max-revision-timeout-seconds": "3600"}),
    )
    assert spec.knative.features == ("kubernetes.podspec-tolerations",)
    assert spec.knative.longest_timeout is not None
    assert str(spec.knative.longest_timeout) == "1h"


def test_knative_as_it_comes_says_nothing() -> None:
    said, _ = found(node(), config("config-defaults", **{"max-revision-timeout-seconds": "600"}))
    assert "knative" not in said.text


def test_a_region_is_said_where_all_nodes_are_in_one() -> None:
    region = "topology.kubernetes.io/region"
    _, spec = found(node("a", **{region: "eu"}), node("b", **{region: "eu"}))
    assert [pool.region for pool in spec.pools] == ["eu"]
    said, spec = found(node("a", **{region: "eu"}), node("b", **{region: "us"}))
    assert [pool.region for pool in spec.pools] == [None]
    assert "in several regions: eu, us" in said.text


def test_nodes_that_gke_manages_alone() -> None:
    gke = {"cloud.google.com/gke-nodepool": "nap-1"}
    _, spec = found(node("gk3-eu-nap-1-abc", **gke), node("gk3-eu-nap-1-def", **gke))
    assert spec.autopilot
    _, spec = found(node("gk3-eu-nap-1-abc", **gke), node("gke-eu-l4-def", **gke))
    assert not spec.autopilot
