"""What eksctl, EC2 or EKS reject of the node groups in a cluster's file, beyond the file's schema.

Sources: eksctl-io/eksctl v0.230.0 pkg/apis/eksctl.io/v1alpha5/validation.go (validateLabels, validateTaints); the
kubelet's own labels: k8s.io/kubelet pkg/apis/well_known_labels.go; the machines: gpuspec/hardware/data/instances.yaml;
aws/karpenter-provider-aws at 1d927085d, concepts/nodeclasses: no image of Amazon Linux 2 from Kubernetes 1.33 on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec import hardware
from gpuspec.enumeration import choice_of
from gpuspec.manifests.values import items, mapping, text
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path

_REJECTS = "eksctl rejects the file"
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_RESERVED = ("kubernetes.io", "k8s.io")
_OF_KUBELET = ("kubelet.kubernetes.io", "node.kubernetes.io")
_LABELS = frozenset(
    (
        *("kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os"),
        *("beta.kubernetes.io/instance-type", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"),
        *("topology.kubernetes.io/zone", "topology.kubernetes.io/region"),
        *("failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"),
        "failure-domain.kubernetes.io/zone",
        "failure-domain.kubernetes.io/region",
        "node.kubernetes.io/instance-type",
    )
)
_LAST_AL2 = (1, 32)


class GroupFault(NamedTuple):
    """A value of a node group that is rejected."""

    path: Path
    """Inside of the file."""
    says: str
    note: str
    is_certain: bool = True
    """Whether eksctl's own code says so, and not a table of machines or images."""


def faults(value: dict[str, Any]) -> Iterator[GroupFault]:
    """Yield the faults of every node group."""
    version = read_version(text(mapping(value.get("metadata")).get("version")))
    for kind in ("nodeGroups", "managedNodeGroups"):
        for index, group in enumerate(map(mapping, items(value.get(kind)))):
            yield from _metadata(group, (kind, index))
            yield from _machines(group, (kind, index))
            if group.get("amiFamily") == "AmazonLinux2" and version[:2] > _LAST_AL2:
                yield GroupFault(
                    (kind, index, "amiFamily"),
                    f"EKS has no image of Amazon Linux 2 for Kubernetes {version[0]}.{version[1]}: "
                    "eksctl creates no node",
                    "write `amiFamily: AmazonLinux2023`",
                    is_certain=False,
                )


def _metadata(group: dict[str, Any], path: Path) -> Iterator[GroupFault]:
    for label in mapping(group.get("labels")):
        domain, slash, _ = str(label).partition("/")
        is_free = not _is_in(domain, _RESERVED) or _is_in(domain, _OF_KUBELET)
        if slash and not is_free and label not in _LABELS:
            yield GroupFault(
                (*path, "labels", label),
                f"the label `{label}` has a reserved domain: {_REJECTS}",
                "use a domain of your own, since a node cannot set this label itself",
            )
    for index, taint in enumerate(map(mapping, items(group.get("taints")))):
        effect = taint.get("effect")
        if isinstance(effect, str) and effect not in _EFFECTS:
            yield GroupFault(
                (*path, "taints", index, "effect"),
                f"the taint's `effect` is not {choice_of(_EFFECTS)}: {_REJECTS}",
                f"write {choice_of(_EFFECTS)}",
            )


def _machines(group: dict[str, Any], path: Path) -> Iterator[GroupFault]:
    """Yield types of known families that EC2 does not have, or that have no EFA."""
    rows = [((*path, "instanceType"), group.get("instanceType"))]
    rows += (
        ((*path, "instanceTypes", index), name)
        for index, name in enumerate(items(group.get("instanceTypes")))
    )
    for place, name in rows:
        family, _, size = text(name).partition(".")
        sizes = hardware.instances().get(family)
        if sizes is None or not size:
            continue
        instance = next((row for row in sizes if row.name == name), None)
        if instance is None:
            type_names = [row.name for row in sizes]
            yield GroupFault(
                place,
                f"EC2 has no instance type `{name}`: eksctl creates no node",
                f"write {choice_of(type_names, 12)}",
                is_certain=False,
            )
        elif group.get("efaEnabled") is True and not instance.efa:
            yield GroupFault(
                (*path, "efaEnabled"),
                f"`{name}` has no Elastic Fabric Adapter: eksctl creates no node",
                "remove `efaEnabled`, or write a type with EFA",
                is_certain=False,
            )


def _is_in(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == suffix or domain.endswith(f".{suffix}") for suffix in domains)
