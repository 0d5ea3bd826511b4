"""GPU765: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {{labels: {{run: train}}}}
    spec:
      {network}
      containers:
        - name: main
          image: a/b:1
          command: [torchrun, --nnodes=2, --rdzv-backend=c10d, "--rdzv-endpoint=train-0.t:1", t.py]
          resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{name: closed, namespace: {namespace}}}
spec:
{policy}
"""
OWN = "{podSelector: {matchLabels: {run: train}}}"


def said(
    policy: str,
    namespace: str = "ml",
    network: str = "hostNetwork: false",
    profile: str | None = None,
) -> list[str]:
    policy = "\n".join(f"  {line}" for line in policy.splitlines())
    text = JOB.format(policy=policy, namespace=namespace, network=network)
    return [one.found.message for one in raised(text, profile) if one.rule.code == "GPU765"]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("podSelector: {}", "blocks all incoming traffic between the ranks"),
        ("podSelector: {}\npolicyTypes: [Egress]", "blocks all outgoing traffic between the ranks"),
        (
            "podSelector: {}\ningress: [{from: [{podSelector: {matchLabels: {run: a}}}]}]",
            "blocks all incoming traffic between the ranks",
        ),
        (
            "podSelector: {}\ningress: [{from: [{namespaceSelector: "
            "{matchLabels: {kubernetes.io/metadata.name: other}}}]}]",
            "blocks all incoming traffic between the ranks",
        ),
        (
            f"podSelector: {{}}\ningress: [{{from: [{OWN}], ports: [{{port: 29500}}]}}]",
            "incoming traffic between the ranks only on some ports",
        ),
        (f"podSelector: {{}}\npolicyTypes: [Egress]\negress: [{{to: [{OWN}]}}]", "DNS"),
        (
            "podSelector: {}\npolicyTypes: [Egress]\negress: "
            "[{to: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 443}]}]",
            "outgoing traffic between the ranks only on some ports",
        ),
    ],
)
def test_what_keeps_ranks_apart(policy: str, words: str) -> None:
    (message,) = said(policy)
    assert words in message


@pytest.mark.parametrize(
    "policy",
    [
        "podSelector: {matchLabels: {app: other}}",
        "podSelector: {matchLabels: {job-name: train}}",
        "podSelector: {}\ningress: [{}]",
        f"podSelector: {{}}\npolicyTypes: [Egress]\negress: [{{to: [{OWN}]}}, "
        "{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}]}]",
        "podSelector: {}\ningress: [{from: [{podSelector: {}}]}]",
        "podSelector: {}\ningress: [{from: [{podSelector: {matchLabels: {job-name: train}}}]}]",
        "podSelector: {}\ningress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]",
        f"podSelector: {{}}\ningress: [{{from: [{OWN}], ports: [{{port: 1024, endPort: 65535}}]}}]",
    ],
)
def test_what_lets_them_meet_or_may(policy: str) -> None:
    assert not said(policy)


def test_another_namespace_and_the_nodes_network_are_no_business_of_it() -> None:
    assert not said("podSelector: {}", namespace="other")
    assert not said("podSelector: {}", network="hostNetwork: true")


@pytest.mark.parametrize(
    ("port", "profile", "asks"),
    [(53, "openshift", "5353"), (5353, "h100", "53"), (5353, "openshift", ""), (5353, None, "")],
)
def test_dns_listens_where_the_platform_has_it(port: int, profile: str | None, asks: str) -> None:
    """A policy sees the port of the pods, not of the Service before them."""
    policy = (
        f"podSelector: {{}}\npolicyTypes: [Egress]\negress: [{{to: [{OWN}]}}, "
        f"{{to: [{{namespaceSelector: {{}}}}], ports: [{{port: {port}, protocol: UDP}}]}}]"
    )
    found = said(policy, profile=profile)
    assert [f"DNS (port {asks})" in message for message in found] == ([True] if asks else [])
