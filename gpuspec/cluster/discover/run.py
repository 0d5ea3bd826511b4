"""Derive a profile from live nodes: the output of `kubectl get nodes -o json`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import msgspec

from gpuspec.cluster.discover.claimed import read_claimed, slices_of
from gpuspec.cluster.discover.devices import read_devices
from gpuspec.cluster.discover.input import LiveNode, read_inventory
from gpuspec.cluster.discover.labels import provider
from gpuspec.cluster.discover.notes import (
    about_nodes,
    about_others,
    about_pods,
    found_nothing,
    named,
    node_count,
)
from gpuspec.cluster.discover.pools import GroupMember, group, member
from gpuspec.cluster.discover.profile import DiscoveredPool, make_pools
from gpuspec.cluster.discover.reserved import taken_by_node
from gpuspec.cluster.discover.services import is_autopilot, read_services
from gpuspec.cluster.discover.write import write_profile
from gpuspec.escaping.characters import visible
from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import InputError, Problem, dns_label
from gpuspec.numbers import read_version
from gpuspec.spec import ClusterProfile, ClusterProfileSpec, ProfileMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.cluster.discover.input import Inventory
    from gpuspec.spec import Provider

UNMEASURED = (
    "what DaemonSets take is not measured (default: 1 CPU, 4Gi and 10Gi); to measure it, "
    "give the output of kubectl get nodes,pods -A -o json",
)


class Discovery(msgspec.Struct, frozen=True):
    """A `ClusterProfile` as commented YAML, with notes for the user on what is missing in it."""

    text: str
    notes: tuple[str, ...]


class Survey(msgspec.Struct, frozen=True):
    """The content of the input, and the pools of its GPU nodes."""

    inventory: Inventory
    pools: tuple[DiscoveredPool, ...]
    text: str
    """The profile, as commented YAML."""
    notes: tuple[str, ...]
    """What is missing in the profile; objects other than nodes and pods are not mentioned."""


def discover(
    text: bytes | str, name: str = "<stdin>", *, profile_name: str = "cluster"
) -> Discovery:
    """Return the profile of a cluster from kubectl's output: nodes, or nodes and pods, as JSON or
    YAML.

    `name` is the input's name in errors. The order of the nodes does not matter. Raises
    `InputError` for unreadable input, an invalid profile name, and a cluster without a GPU that a
    profile can state.
    """
    if reason := dns_label(profile_name):
        raise InputError([Problem(f"the profile's name {profile_name!r}: {reason}")])
    inventory = read_inventory(text, name)
    surveyed = survey(inventory, name, profile_name=profile_name)
    return Discovery(surveyed.text, (*surveyed.notes, *about_others(inventory.others)))


def survey(inventory: Inventory, name: str, *, profile_name: str = "cluster") -> Survey:
    """Return the pools of a cluster's GPU nodes. Raises `InputError` if there are none."""
    members: list[GroupMember] = []
    reasons: dict[str, list[str]] = defaultdict(list)
    plain = 0
    slices = slices_of(inventory)
    for node in inventory.nodes:
        reading = read_devices(node, node.name in inventory.dra_nodes)
        if reading is None or not reading.parts:
            reading = read_claimed(node, slices.get(node.name, ())) or reading
        if reading is None:
            plain += 1
            continue
        members += [member(node, part) for part in reading.parts]
        for reason in reading.reasons:
            reasons[reason].append(node.name)
    if not members:
        raise InputError([found_nothing(name, reasons, plain)])
    groups = group(members)
    counted = {m.node.name: m.node for g in groups for m in g.members}
    version = _kubernetes(inventory.nodes)
    notes = [*about_nodes(reasons, counted, plain), *version.notes, *about_pods(inventory)]
    daemon_requests = None if inventory.pods is None else taken_by_node(inventory.pods)
    pools = make_pools(groups, daemon_requests)
    runs, also = _provider(tuple(counted.values()))
    services = read_services(inventory.services)
    autopilot = runs == "gke" and is_autopilot(tuple(counted.values()))
    profile = ClusterProfile(
        api_version="gpuspec.dev/v1alpha1",
        metadata=ProfileMetadata(name=profile_name),
        spec=ClusterProfileSpec(
            kubernetes=version.stated,
            provider=runs,
            autopilot=autopilot,
            pools=tuple(pool.pool for pool in pools),
            metrics=services.metrics,
            knative=services.knative,
        ),
    )
    comments = {"kubernetes": (version.comment,), "provider": also, **services.comments}
    if autopilot:
        comments["autopilot"] = ("GKE calls its nodes gk3-…",)
    notes += services.notes
    if daemon_requests is None:
        comments["pools"] = UNMEASURED
    head = (
        f"From {node_count(len(inventory.nodes))}, {len(counted)} of them counted below. "
        "Check what has a comment, and add "
        "what nodes do not show: what is installed, namespaces, bandwidths, metrics, peers."
    )
    profile_text = write_profile(profile, head, comments, [pool.comments for pool in pools])
    return Survey(inventory, tuple(pools), profile_text, tuple(map(visible, notes)))


class _Version(msgspec.Struct, frozen=True):
    """The Kubernetes version that the profile states, a comment on it, and notes."""

    stated: str
    comment: str
    notes: tuple[str, ...]


def _kubernetes(nodes: Iterable[LiveNode]) -> _Version:
    """Return the oldest kubelet's version, or the nearest version that a profile can state."""
    minors: dict[int, list[str]] = defaultdict(list)
    for node in nodes:
        if node.minor is not None:
            minors[node.minor].append(node.name)
    if not minors:
        raise InputError([Problem("no node shows its kubelet's version (status.nodeInfo)")])
    oldest, newest = min(minors), max(minors)
    notes = []
    if oldest != newest:
        of = f"of 1.{oldest}: {named(minors[oldest])}"
        notes.append(f"kubelets are of 1.{oldest} to 1.{newest}; {of}")
    minor_versions = [read_version(version)[1] for version in VERSIONS]
    stated = min(max(oldest, minor_versions[0]), minor_versions[-1])
    if stated == oldest:
        comment = "by the kubelets, the oldest one; the API server may be newer"
    else:
        comment = f"the oldest kubelet is of 1.{oldest}, for which gpuspec renders no objects"
        notes.append(f"{comment}: 1.{stated} is stated")
    return _Version(f"1.{stated}", comment, tuple(notes))


def _provider(nodes: Iterable[LiveNode]) -> tuple[Provider, tuple[str, ...]]:
    """Return the provider of most nodes, and a comment if other nodes have another."""
    counts = Counter(who for node in nodes if (who := provider(node)) != "none")
    if not counts:
        return "none", ()
    first, *rest = sorted(counts, key=lambda who: (-counts[who], who))
    others = ", ".join(f"{counts[who]} of {who}" for who in rest)
    return first, ((f"{node_count(counts[first])}; besides {others}",) if rest else ())
