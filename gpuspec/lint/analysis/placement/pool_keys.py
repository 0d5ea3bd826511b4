"""Labels in the requirements of a NodePool that the Karpenter of its nodes does not read.

Source: kubernetes-sigs/karpenter v1.14.1 pkg/apis/v1/labels.go (a label of a restricted domain must be
well known; any other is set on the nodes as it is written); the labels of each provider are in
`gpuspec/hardware/data/node-labels.yaml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.escaping.spellings import nearest
from gpuspec.lint.analysis.placement.node_pools import requirements_of, template
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.fleet.match import Requirement
    from gpuspec.objects.objects import Object

_PROVIDERS = {
    "karpenter.k8s.aws": "Karpenter on AWS",
    "eks.amazonaws.com": "EKS Auto Mode",
    "karpenter.azure.com": "Karpenter on Azure",
    "karpenter.k8s.gcp": "Karpenter on Google Cloud",
}
"""The group of the class of its nodes, which is also the domain of the labels that it reads."""
_KUBELET = "node.kubernetes.io"
_OF_MACHINES = ("instance-", "sku-")
_POSITIVE = ("In", "Exists", "Gt", "Lt", "Gte", "Lte")
_LIKENESS = 0.8


class UnreadLabel(msgspec.Struct, frozen=True):
    """A requirement whose label does not select machines."""

    requirement: Requirement
    provider: str
    """The Karpenter that creates the nodes, in words."""
    exists: bool
    """Whether it is a label of another domain, which the nodes get as a plain label."""
    replacement: str | None
    """The label to write instead."""


def unread_labels(obj: Object) -> Iterator[UnreadLabel]:
    """Yield the requirements of a NodePool whose label its provider does not read."""
    group = text(mapping(template(obj).get("nodeClassRef")).get("group"))
    if group not in _PROVIDERS:
        return
    label_keys = {*hardware.cloud_labels(), *hardware.label_keys()}
    read_keys = [key for key in label_keys if key.startswith(f"{group}/")]
    for requirement in requirements_of(obj):
        domain, _, name = requirement.key.rpartition("/")
        if not name.startswith(_OF_MACHINES):
            continue
        if domain != group:
            same = f"{group}/{name}"
            is_foreign = domain in _PROVIDERS or (domain == _KUBELET and same in read_keys)
            if is_foreign and requirement.operator in _POSITIVE:
                replacement = same if same in read_keys else None
                yield UnreadLabel(
                    requirement, _PROVIDERS[group], exists=True, replacement=replacement
                )
        elif requirement.key not in label_keys and _is_whole(group):
            replacement = nearest(requirement.key, read_keys, _LIKENESS)
            yield UnreadLabel(requirement, _PROVIDERS[group], exists=False, replacement=replacement)


def _is_whole(domain: str) -> bool:
    """Return whether every label of a domain is known."""
    labels = hardware.cloud_labels().values()
    return any(label.whole and label.key.startswith(f"{domain}/") for label in labels)
