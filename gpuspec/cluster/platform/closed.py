"""Network policies of namespaces whose pods may connect only to listed peers.

Policies add up: the first closes all pods except for DNS, the second opens what training and batch
workloads need, and each server adds its own.
"""

from typing import Any

from gpuspec.plan import policy
from gpuspec.plan.metadata import COMPONENT
from gpuspec.spec import Profile
from gpuspec.spec.namespaces import Namespace
from gpuspec.spec.workload import WORKLOAD_KINDS

Object = dict[str, Any]
DENY = "gpuspec-default-deny"
FINITE = "gpuspec-training-and-batch"
_FINITE = {
    "matchExpressions": [
        {
            "key": "app.kubernetes.io/component",
            "operator": "In",
            "values": sorted(COMPONENT[kind] for kind in WORKLOAD_KINDS if kind != "Inference"),
        }
    ]
}
_BOTH = ["Ingress", "Egress"]
# Its controller asks the head of a Ray cluster how a job is, wherever it runs itself.
_KUBERAY = {
    "from": [
        {
            "namespaceSelector": {},
            "podSelector": {"matchLabels": {"app.kubernetes.io/component": "kuberay-operator"}},
        }
    ],
    "ports": [{"port": 8265, "protocol": "TCP"}],
}


def closing_objects(profile: Profile, space: Namespace) -> list[Object]:
    """Return the policies of one namespace; none for an open namespace."""
    if not space.default_deny:
        return []
    network = profile.spec.network
    to = network.egress if network is not None else ()
    names = [egress for egress in to if egress.fqdn is not None]
    scraped = [{"from": policy.peers_of(network.metrics)}] if network and network.metrics else []
    # Cilium learns the addresses of names from answers of DNS that pass through it alone.
    dns = list(policy.dns_rules(profile, through_cilium=bool(names)))
    closed = {"podSelector": {}, "policyTypes": _BOTH, "ingress": scraped, "egress": dns}
    each_other = [{"podSelector": _FINITE}]
    opened = {
        "podSelector": _FINITE,
        "policyTypes": _BOTH,
        "ingress": [
            {"from": each_other},
            *([_KUBERAY] if "kuberay" in profile.spec.installed else []),
        ],
        "egress": [
            {"to": each_other},
            *(policy.destination(egress) for egress in to if egress.fqdn is None),
        ],
    }
    policies = [_policy(space, DENY, closed), _policy(space, FINITE, opened)]
    if names:
        for name, pods, egress in (
            (DENY, {}, [policy.dns_through_cilium(profile)]),
            (FINITE, _FINITE, list(map(policy.by_name, names))),
        ):
            spec = {"endpointSelector": pods, "egress": egress}
            policies.append(_object("cilium.io/v2", "CiliumNetworkPolicy", space, name, spec))
    return policies


def _policy(space: Namespace, name: str, spec: Object) -> Object:
    set_fields = {key: value for key, value in spec.items() if value != []}
    return _object("networking.k8s.io/v1", "NetworkPolicy", space, name, set_fields)


def _object(api_version: str, kind: str, space: Namespace, name: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": space.name}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
