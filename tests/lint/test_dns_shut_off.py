"""GPU897: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POLICY = """---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: ml}
spec:
  podSelector: SELECTOR
  policyTypes: [Egress]
  egress: EGRESS
"""
RAY = """apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: tune, namespace: ml}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: ray-head, image: rayproject/ray:2.46.0}]}}
  workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      template:
        spec:
          MORE
          containers:
            - name: ray-worker
              image: rayproject/ray:2.46.0-gpu
              resources: {limits: {nvidia.com/gpu: 1}}
"""
CLUSTER = "{matchLabels: {ray.io/cluster: tune}}"
OWN = f"{{to: [{{podSelector: {CLUSTER}}}]}}"


def said(
    selector: str = CLUSTER,
    egress: str = f"[{OWN}]",
    workload: str = RAY,
    more: str = "restartPolicy: Always",
    others: str = "",
) -> list[str]:
    policy = POLICY.replace("SELECTOR", selector).replace("EGRESS", egress)
    text = workload.replace("MORE", more) + policy + others
    return [one.found.message for one in raised(text) if one.rule.code == "GPU897"]


@pytest.mark.parametrize("selector", [CLUSTER, "{}"])
@pytest.mark.parametrize("egress", [f"[{OWN}]", "[]", "[{ports: [{port: 443}]}]"])
def test_workers_of_ray_look_for_the_head(selector: str, egress: str) -> None:
    (message,) = said(selector, egress)
    assert "blocks DNS (port 53) for RayCluster `tune`" in message
    assert "the head's name, which KubeRay sets" in message


@pytest.mark.parametrize(
    "egress",
    [
        f"[{OWN}, {{ports: [{{port: 53, protocol: UDP}}]}}]",
        "[{}]",
        "[{to: [{namespaceSelector: {}}]}]",
        "[{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]",
    ],
)
def test_what_reaches_dns(egress: str) -> None:
    assert said(egress=egress) == []


@pytest.mark.parametrize(
    "selector", ["{matchLabels: {ray.io/cluster: other}}", "{matchLabels: {ray.io/group: gpu}}"]
)
def test_policies_of_others_or_of_unknown_labels(selector: str) -> None:
    assert said(selector) == []


def test_pods_that_need_no_dns_of_the_cluster() -> None:
    assert said(more="hostNetwork: true") == []
    assert said(more="hostAliases: [{ip: 10.0.0.1, hostnames: [head]}]") == []


def test_policies_of_another_kind_may_let_it_in() -> None:
    cilium = "---\napiVersion: cilium.io/v2\nkind: CiliumNetworkPolicy\nmetadata: {name: dns}\n"
    assert said(others=cilium) == []


def test_a_server_without_a_name_of_the_cluster() -> None:
    server = """apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ml}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: main
          image: a/b:1
          args: [--url=URL]
          resources: {limits: {nvidia.com/gpu: 1}}
"""
    chat = "{matchLabels: {app: chat}}"
    assert said(chat, workload=server.replace("URL", "http://10.0.0.7:80")) == []
    (message,) = said(chat, workload=server.replace("URL", "redis://cache.ml.svc.cluster.local"))
    assert "cannot resolve `cache.ml.svc.cluster.local`" in message
