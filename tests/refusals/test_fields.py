"""The server's fields become paths of the object."""

from typing import Any

import pytest

from gpuspec.manifests import Path
from tests.refusals.fields import ANY, path_of
from tests.refusals.misnamed import meant, rows

POD: dict[str, Any] = {
    "metadata": {"labels": {"app": "a", "app.kubernetes.io/name": "b"}},
    "spec": {
        "template": {"metadata": {"labels": {"a": "b"}}},
        "containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}],
        "nodeSelector": {"0": "a", "a[b].c": "d"},
    },
}


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ("", ()),
        ("metadata.name", ("metadata", "name")),
        ("metadata.labels", ("metadata", "labels")),
        ("metadata.labels.app", ("metadata", "labels", "app")),
        (
            "metadata.labels.app.kubernetes.io/name",
            ("metadata", "labels", "app.kubernetes.io/name"),
        ),
        ("spec.containers[0].image", ("spec", "containers", 0, "image")),
        ("spec.containers[7].ports[1]", ("spec", "containers", 7, "ports", 1)),
        (
            "spec.containers[0].resources.limits[nvidia.com/gpu]",
            ("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu"),
        ),
        ("spec.nodeSelector[0]", ("spec", "nodeSelector", "0")),
        ("spec.nodeSelector[a[b].c]", ("spec", "nodeSelector", "a[b].c")),
        ("spec.overhead[example.com/b]", ("spec", "overhead", "example.com/b")),
        ("spec.containers.image", ("spec", "containers")),
        ("spec.template.labels", ("spec", "template", "metadata", "labels")),
        ("spec.containers[*].image", ("spec", "containers", ANY, "image")),
    ],
)
def test_a_field_becomes_a_path(field: str, path: Path) -> None:
    assert path_of(field, POD) == path


SERVICE = {"kind": "Service", "spec": {"clusterIP": "None"}}
EVENT = {"apiVersion": "events.k8s.io/v1", "kind": "Event"}
NODE = {"kind": "Node", "spec": {"podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"]}}


@pytest.mark.parametrize(
    ("value", "says", "means"),
    [
        (NODE, "metadata.taints[1].key", "spec.taints[1].key"),
        (POD, "metadata.taints[1].key", "metadata.taints[1].key"),
        (POD, "spec.volumes[2].downwarAPI", "spec.volumes[2].downwardAPI"),
        (POD, "spec.volumes[2].downwardAPI.path", "spec.volumes[2].downwardAPI.items[*].path"),
        (SERVICE, "spec.clusterIPs[0]", "spec.clusterIP"),
        ({**SERVICE, "spec": {"clusterIPs": ["a"]}}, "spec.clusterIPs[0]", "spec.clusterIPs[0]"),
        (NODE, "spec.podCIDRs[0]", "spec.podCIDR"),
        (NODE, "spec.podCIDRs[1]", "spec.podCIDRs[1]"),
        (EVENT, "count", "deprecatedCount"),
        (EVENT, "series.count", "series.count"),
        ([], "metadata.name", "metadata.name"),
    ],
)
def test_a_misnamed_field_is_the_one_that_is_meant(value: object, says: str, means: str) -> None:
    assert meant(says, "", value) == means


def test_some_fields_are_misnamed_in_some_words_only() -> None:
    field, words = "spec.containers[0].resources.limits", "Limit must be set for non overcommitable"
    assert meant(field, "must be greater", POD) == field
    asked = "spec.containers[0].resources.requests[*]"
    assert meant(field, f"Required value: {words} resources", POD) == asked


def test_every_misnamed_field_has_its_source() -> None:
    assert all(row.source.partition(" ")[0].endswith(".go") for row in rows())
