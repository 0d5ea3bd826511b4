"""GPU604: who reads `NVIDIA_VISIBLE_DEVICES`."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.cases import profile

NEW, OLD = {"installed": {"gpu-operator": "25.10"}}, {"installed": {"gpu-operator": "25.3"}}


def said(value: str, gpus: int, where: Any, *others: Any, **spec: Any) -> list[str]:
    container = {
        "name": "main",
        "image": "a/b:1",
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": value}],
        "resources": {"limits": {"nvidia.com/gpu": gpus} if gpus else {}},
    }
    one = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}}
    text = yaml.safe_dump_all([*others, {**one, "spec": {"containers": [container], **spec}}])
    engine = Engine(lambda code: code == "GPU604", profile(where) if where else None)
    found = [each.finding() for each in engine.run(TextLoader([SourceFile("one.yaml", text)]))]
    return [f"{each.severity} {each.message}" for each in found]


@pytest.mark.parametrize(
    ("value", "gpus", "old", "new"),
    [
        ("all", 0, "warning .* that it does not request", "warning .* gives this container no GPU"),
        ("0,1", 2, "warning .* overrides the device plugin", "info .* has no effect"),
        ("all", 2, "warning .* overrides the device plugin", None),
        ("void", 1, "warning .* hides the container's GPU:", None),
        ("void", 0, None, None),
    ],
)
def test_by_cdi_the_device_plugins_choice_counts(
    value: str, gpus: int, old: str | None, new: str | None
) -> None:
    for where, pattern in ((None, old), (OLD, old), (NEW, new)):
        found = said(value, gpus, where)
        assert len(found) == (pattern is not None)
        if pattern is not None:
            severity, _, words = pattern.partition(" .* ")
            assert found[0].startswith(severity)
            assert words in found[0]


def test_a_runtime_class_reads_it_all_the_same() -> None:
    (message,) = said("all", 0, NEW, runtimeClassName="nvidia")
    assert "that it does not request" in message


@pytest.mark.parametrize(
    ("spec", "read"),
    [
        ({"cdi": {"enabled": True}}, False),
        ({"cdi": {"enabled": False}}, True),
        ({}, True),
        (
            {
                "cdi": {"enabled": True},
                "toolkit": {"env": [{"name": "NVIDIA_RUNTIME_SET_AS_DEFAULT", "value": "true"}]},
            },
            True,
        ),
    ],
)
def test_a_cluster_policy_tells_more_than_a_version(spec: Any, read: bool) -> None:
    kind = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy"}
    policy = {**kind, "metadata": {"name": "cluster-policy"}, "spec": spec}
    (message,) = said("all", 0, NEW, policy)
    assert ("that it does not request" in message) is read
