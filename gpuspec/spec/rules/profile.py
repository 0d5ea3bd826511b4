"""Rules of the cluster profile."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import Path
from gpuspec.spec.profile import ClusterProfile, ClusterProfileSpec, Egress, Namespace, Peer
from gpuspec.spec.rules import amounts, contracts, pools, priorities, quotas
from gpuspec.spec.rules.broken import Broken, exactly_one
from gpuspec.spec.rules.metadata import annotations, labels
from gpuspec.spec.words import did_you_mean, shown

# Components that decisions depend on; a name close to one of them is a slip of the pen.
COMPONENTS = (
    "appwrapper",
    "gpu-operator",
    "jobset",
    "keda",
    "kserve",
    "kubeflow-trainer",
    "kuberay",
    "kueue",
    "lws",
    "mpi-operator",
    "network-operator",
    "prometheus-adapter",
    "training-operator",
    "volcano",
)

# Namespaces whose own pods need to be privileged, where our objects or a cluster's life depend on it.
PRIVILEGED = ("gpu-operator", "kube-system", "nvidia-network-operator")


def profile_problems(profile: ClusterProfile) -> Iterator[Broken]:
    """All broken rules of a profile, in no particular order."""
    spec = profile.spec
    yield from labels(profile.metadata.labels, ("metadata", "labels"))
    yield from annotations(profile.metadata.annotations, ("metadata", "annotations"))
    if spec.kubernetes not in VERSIONS:
        yield Broken(
            f"Kubernetes {spec.kubernetes} is not one that objects are made for",
            ("spec", "kubernetes"),
            f"there are: {', '.join(VERSIONS)}",
        )
    for name in spec.installed:
        if name not in COMPONENTS and (hint := did_you_mean(name, COMPONENTS, 0.8)):
            path: Path = ("spec", "installed", name)
            yield Broken(f"{shown(name)} is nothing that is asked for", path, hint, key=True)
    yield from amounts.problems(spec, ("spec",))
    yield from pools.problems(spec.pools, spec.provider)
    yield from _namespaces(spec.namespaces)
    yield from _provider(spec)
    yield from _claims(spec)
    yield from quotas.problems(spec)
    yield from priorities.problems(spec.priorities)
    yield from contracts.problems(spec.contracts, ("spec", "contracts"))
    if spec.queues or spec.topology or spec.priorities.queued:
        from gpuspec.spec.rules import queues

        yield from queues.problems(spec)
    yield from _network(spec)


def _namespaces(namespaces: tuple[Namespace, ...]) -> Iterator[Broken]:
    seen: set[str] = set()
    for index, namespace in enumerate(namespaces):
        if namespace.name in seen:
            said = f"a second namespace {shown(namespace.name)}"
            yield Broken(said, ("spec", "namespaces", index, "name"), "delete one")
        seen.add(namespace.name)
        if namespace.name in PRIVILEGED and namespace.pod_security != "privileged":
            said = f"{namespace.name} at {namespace.pod_security}: its own pods are privileged"
            where: Path = ("spec", "namespaces", index)
            hint = "write podSecurity: privileged, or leave the namespace out"
            yield Broken(said, where, hint, needs=((*where, "podSecurity"),))


def _provider(spec: ClusterProfileSpec) -> Iterator[Broken]:
    if spec.autopilot and spec.provider != "gke":
        said, hint = "only GKE has Autopilot clusters", "write `provider: gke`, or leave it out"
        where: Path = ("spec", "autopilot")
        yield Broken(said, where, hint, needs=(("spec", "provider"), ("spec", "extends")))
    if spec.extends is None:
        return
    preset = hardware.presets()[spec.extends]
    # A preset of no provider may be of any: the GPU Operator runs everywhere.
    if preset.provider.name not in ("none", spec.provider):
        said = f"the profile extends {spec.extends}, and its provider is {spec.provider}"
        needs: tuple[Path, ...] = (("spec", "extends"),)
        yield Broken(said, ("spec", "provider"), "delete one of the two", needs=needs)


def _claims(spec: ClusterProfileSpec) -> Iterator[Broken]:
    known = spec.storage.classes
    for claim, name in spec.storage.claims.items():
        if name not in known:
            hint = f"classes of this profile: {', '.join(sorted(known)) or 'none'}"
            yield Broken(
                f"no storage class {shown(name)}",
                ("spec", "storage", "claims", claim),
                did_you_mean(name, known) or hint,
                needs=(("spec", "storage", "classes"), ("spec", "extends")),
            )


def _network(spec: ClusterProfileSpec) -> Iterator[Broken]:
    if spec.network is None:
        return
    path: Path = ("spec", "network")
    for field, peers in (("ingress", spec.network.ingress), ("metrics", spec.network.metrics)):
        for index, peer in enumerate(peers):
            yield from _peer(peer, (*path, field, index))
    for index, egress in enumerate(spec.network.egress):
        yield from _egress(egress, (*path, "egress", index))


def _peer(peer: Peer, path: Path) -> Iterator[Broken]:
    if peer.namespace is None and not peer.pods:
        yield Broken("the peer is nobody", path, "write `namespace`, `pods` or both")
    yield from labels(peer.pods, (*path, "pods"))


def _egress(egress: Egress, path: Path) -> Iterator[Broken]:
    yield from exactly_one(egress, ("namespace", "cidr"), path, "this entry")
    if egress.cidr is not None and not _is_network(egress.cidr):
        said = f"{shown(egress.cidr)} is not a network"
        yield Broken(said, (*path, "cidr"), "write its first address and the length: 10.0.0.0/8")


def _is_network(text: str) -> bool:
    from ipaddress import ip_network

    try:
        ip_network(text)
    except ValueError:
        return False
    return "/" in text
