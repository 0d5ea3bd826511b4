"""What Knative Serving's webhook says of the Services that we render: its own code, without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.spec.knative import FEATURES
from tests.control_plane import binaries, specs
from tests.control_plane.client import Object
from tests.control_plane.knative import answer

pytestmark = pytest.mark.control_plane
SINCE_1_24 = "kubernetes.podspec-volumes-ephemeral"
"""The one feature that the judge does not know yet."""
WHOLE: Object = {
    "runtime": "vllm",
    "image": "vllm/vllm-openai:v0.33.0",
    "gpu": {"models": [specs.L4]},
    "replicas": {"min": 2, "max": 4, "signal": "running"},
    "model": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}},
    "env": {"NODE": {"field": "spec.nodeName"}},
    "priority": "serving",
    "initContainers": [{"name": "fetch", "image": "registry.example.com/fetch:1"}],
    "sidecars": [{"name": "proxy", "image": "registry.example.com/proxy:1"}],
    "waivers": {"hostPath": "the driver's folder"},
    "volumes": [
        {"pvc": "own", "mount": "/own"},
        {"configMap": "settings", "mount": "/etc/settings"},
        {"hostPath": "/opt/models", "mount": "/opt/models", "readOnly": True},
        {"image": "registry.example.com/data:1", "mount": "/data", "readOnly": True},
        {"csi": {"driver": "secrets.example.com"}, "mount": "/keys", "readOnly": True},
    ],
}
"""What takes all features but a few that need other nodes."""
TAKEN = {
    f"kubernetes.podspec-{each}"
    for each in (
        *("affinity", "fieldref", "init-containers", "persistent-volume-claim"),
        *("persistent-volume-write", "priorityclassname", "schedulername", "securitycontext"),
        *("tolerations", "topologyspreadconstraints"),
        *("volumes-csi", "volumes-hostpath", "volumes-image"),
    )
}


class Cluster:
    """A profile whose Knative has some features, and a folder for what is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, features: Any, spec: Object) -> Object:
        """The Service that is rendered of a spec."""
        said = {
            "kubernetes": "1.36",
            "targets": {"service": "knative"},
            "installed": {"knative": "1.23"},
            "knative": {"features": sorted(features)},
            "namespaces": [{"name": "serving", "podSecurity": "privileged"}],
            "priorities": {"names": {"serving": "gpu-serving"}},
            "scheduler": "packing",
        }
        pools = (specs.pool("l4", specs.L4, nodes=3, gpus=1),)
        documents = {
            "profile": specs.profile("serving", pools, [], said),
            "spec": {
                "apiVersion": "gpuspec.dev/v1alpha1",
                "kind": "Inference",
                "metadata": {"name": "chat", "namespace": "serving"},
                "spec": spec,
            },
        }
        paths = {}
        for name, document in documents.items():
            path = self._folder / f"{name}.json"
            path.write_text(json.dumps(document), encoding="utf-8")
            paths[name] = str(path)
        (profile,) = gpuspec.load_profiles(paths["profile"])
        (workload,) = gpuspec.load(paths["spec"])
        objects = gpuspec.render(workload, profile).objects
        (found,) = (one for one in objects if one["apiVersion"] == "serving.knative.dev/v1")
        return found


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    if how := binaries.unbuilt("knative"):
        pytest.skip(how)
    return Cluster(tmp_path)


def test_a_service_is_stored_as_it_is_rendered(cluster: Cluster) -> None:
    """It refuses nothing, warns of nothing, and has nothing to fill in."""
    sent = cluster.render(TAKEN, WHOLE)
    said = answer(sent, TAKEN)
    assert (said.errors, said.warnings) == ([], [])
    assert said.stored.pop("status") == {}
    assert said.stored == sent


@pytest.mark.parametrize("feature", sorted(TAKEN))
def test_what_takes_a_feature_is_refused_without_it(cluster: Cluster, feature: str) -> None:
    """By its webhook, and by us, who name it."""
    others = TAKEN - {feature}
    assert answer(cluster.render(TAKEN, WHOLE), others).errors
    with pytest.raises(gpuspec.Refusal, match=feature) as refused:
        cluster.render(others, WHOLE)
    (reason,) = refused.value.reasons
    assert reason.hint is not None
    assert f"features: [{', '.join(sorted(TAKEN))}]" in reason.hint


def test_nothing_takes_a_feature_that_is_not_named(cluster: Cluster) -> None:
    """Where we name none, none is needed."""
    plain = WHOLE | {"initContainers": [], "volumes": [], "env": {}, "waivers": {}, "replicas": 1}
    with pytest.raises(gpuspec.Refusal) as refused:
        cluster.render((), plain)
    (reason,) = refused.value.reasons
    named = {feature for feature in FEATURES if feature in reason.text}
    assert named < TAKEN
    assert answer(cluster.render(named, plain), named).errors == []


def test_a_request_of_an_hour_is_refused_by_both_unless_the_profile_says_so(
    cluster: Cluster,
) -> None:
    longer = WHOLE | {"longestRequest": "1h"}
    with pytest.raises(gpuspec.Refusal, match="ends a request after 10m"):
        cluster.render(TAKEN, longer)
    sent = cluster.render(TAKEN, WHOLE)
    sent["spec"]["template"]["spec"]["timeoutSeconds"] = 3630
    assert answer(sent, TAKEN).errors
    assert not answer(sent, TAKEN, max_revision_timeout_seconds="3630").errors
