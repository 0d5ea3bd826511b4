"""GPU867 and GPU868: servers whose replicas can all go at once, or follow the number of nodes."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.model import Finding
from tests.lint.patched import cluster, of, said
from tests.lint.plain import an, text

Object = dict[str, Any]
SPOT = {"karpenter.sh/capacity-type": "spot"}


def server(name: str = "chat", kind: str = "Deployment", app: str = "chat", **spec: Any) -> Object:
    labels = {"app": app, "of": name}
    main: Object = {"name": "main", "image": "vllm/vllm-openai:v0.33.0", "args": ["--model=/m"]}
    main["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [main], **spec}}
    return an(
        "apps/v1", kind, name, spec={"selector": {"matchLabels": labels}, "template": template}
    )


def service(**more: Any) -> Object:
    spec = {"selector": {"app": "chat"}, "ports": [{"port": 8000}], **more}
    return an("v1", "Service", "chat", spec=spec)


def findings(code: str, *objects: Object) -> list[Finding]:
    return of(code, text(*objects))


def test_a_server_whose_replicas_are_all_on_spot_nodes() -> None:
    (found,) = findings("GPU867", server(nodeSelector=SPOT), service())
    assert found.severity == "info"
    assert "120 s" in found.message


def test_other_nodes_behind_the_same_service_go_on_answering() -> None:
    other = server("steady", nodeSelector={"karpenter.sh/capacity-type": "on-demand"})
    assert findings("GPU867", server(nodeSelector=SPOT), other, service()) == []
    alone = server("steady", app="other")
    assert len(findings("GPU867", server(nodeSelector=SPOT), alone, service())) == 1


def test_who_has_no_clients_or_no_model_is_not_told() -> None:
    assert findings("GPU867", server(nodeSelector=SPOT)) == []
    assert findings("GPU867", server(), service()) == []
    unknown = server(nodeSelector=SPOT)
    unknown["spec"]["template"]["spec"]["containers"][0]["image"] = "example.com/app:1"
    assert findings("GPU867", unknown, service()) == []


@pytest.mark.parametrize(("capacity", "told"), [("spot", 1), ("on-demand", 0)])
def test_a_profile_says_which_nodes_are_spot_nodes(capacity: str, told: int) -> None:
    pool: Object = {"name": "a100", "gpu": {"model": "A100-80GB", "count": 2}, "nodes": 2}
    profile = cluster(pools=[pool | {"capacity": capacity}])
    patch = yaml.safe_dump({"spec": {"template": {"spec": {"affinity": None}}}})
    assert len(said("GPU867", "deployment", patch, profile=profile)) == told


def test_a_daemonset_of_servers_is_told() -> None:
    (found,) = findings("GPU868", server(kind="DaemonSet"), service())
    assert found.severity == "info"
    assert found.path == "kind"
    assert findings("GPU868", server(), service()) == []


def test_what_clients_of_the_same_node_ask_is_not() -> None:
    local = service(internalTrafficPolicy="Local")
    assert findings("GPU868", server(kind="DaemonSet"), local) == []
    assert findings("GPU868", server(kind="DaemonSet", hostNetwork=True)) == []
    bound = server(kind="DaemonSet")
    main = bound["spec"]["template"]["spec"]["containers"][0]
    main["ports"] = [{"containerPort": 8000, "hostPort": 8000}]
    assert findings("GPU868", bound) == []
