"""GPU414: whom an anti-affinity means beside its own pods, beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from gpuspec.spec import Profile
from tests.lint.patched import cluster
from tests.lint.sets import base

LABELS = {"app": "chat", "part-of": "suite"}


def server(selector: Any, key: str = "kubernetes.io/hostname", **further: Any) -> Any:
    found = base("deployment")
    template = found["spec"]["template"]
    template["metadata"]["labels"] = LABELS
    term = {"topologyKey": key, "labelSelector": selector, **further}
    template["spec"]["affinity"] = {
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    }
    return found


def router(namespace: str = "serving", **labels: str) -> dict[str, Any]:
    labels = {"app": "router", "part-of": "suite", **labels}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "router", "namespace": namespace},
        "spec": {
            "selector": {"matchLabels": {"app": "router"}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "router", "image": "router:1"}]},
            },
        },
    }


def said(*documents: Any, profile: Profile | None = None) -> list[Finding]:
    text = yaml.safe_dump_all(documents)
    engine = Engine(lambda code: code == "GPU414", profile)
    return [one.finding() for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]


SUITE = {"matchLabels": {"part-of": "suite"}}
IN_SUITE = {"matchExpressions": [{"key": "part-of", "operator": "In", "values": ["suite", "x"]}]}


@pytest.mark.parametrize("selector", [SUITE, IN_SUITE, {}])
def test_a_router_is_kept_off(selector: Any) -> None:
    (one,) = said(server(selector), router())
    assert one.severity == "info"
    assert "`Deployment router`" in one.message


def test_it_is_louder_where_the_servers_take_all_nodes() -> None:
    """The base has two replicas."""
    (one,) = said(server(SUITE), router(), profile=cluster(nodes=2))
    assert one.severity == "warning"
    assert "2 pods occupy all 2 GPU nodes" in one.message
    (one,) = said(server(SUITE), router(), profile=cluster(nodes=3))
    assert one.severity == "info"


@pytest.mark.parametrize(
    "documents",
    [
        [server({"matchLabels": {"app": "chat"}}), router()],
        [server(SUITE), router(namespace="other")],
        [server(SUITE), router(**{"part-of": "none"})],
        [server(SUITE, "topology.kubernetes.io/zone"), router()],
        [server(SUITE, matchLabelKeys=["pod-template-hash"]), router()],
        [server({"matchLabels": {"app": "router"}}), router()],
        [server(SUITE)],
    ],
    ids=["own", "namespace", "labels", "zone", "narrowed", "only others", "alone"],
)
def test_where_it_is_silent(documents: list[Any]) -> None:
    assert said(*documents) == []
