"""The server's fields become paths of the object."""

from typing import Any

import pytest

from gpuspec.manifests import Path
from tests.refusals.fields import path_of

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
    ],
)
def test_a_field_becomes_a_path(field: str, path: Path) -> None:
    assert path_of(field, POD) == path
