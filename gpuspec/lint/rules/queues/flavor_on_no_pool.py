"""A flavor with GPUs whose node labels no pool of the profile has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.releases import is_there
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.containers import quantity
from gpuspec.objects.queues import KUEUE, groups

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU962",
    "flavor-on-no-pool",
    "warning",
    "A ResourceFlavor with GPUs selects nodes by a label that no pool of the profile has",
)
_DISCOVERY = ("gfd", "amd")
"""Labellers that are installed into a cluster, rather than a provider's."""
_BRINGS = (
    *("gpu-operator", "gpu-operator-charts", "nvidia-device-plugin", "gpu-feature-discovery"),
    *("nvidia.com/ClusterPolicy", "amd.com/DeviceConfig"),
)
"""Charts and kinds that bring such a labeller, by the names of a profile's `installed` too."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield labels of a flavor with quota of GPUs: Kueue copies them into the pods' node
    selectors."""
    from gpuspec.fleet.match import Requirement

    if not context.placed or not _has_gpus(obj.name, context.collection):
        return
    for key, label in mapping(obj.spec.get("nodeLabels")).items():
        requirement = Requirement(text(key), "In", (str(label),), ())
        having = [pool.labels.of(requirement.key) for pool in context.placed]
        if any(
            requirement.allows(pool.labels)
            and not (values is None and _is_unset(requirement.key, context))
            for pool, values in zip(context.placed, having, strict=True)
        ):
            continue
        pool_values = list(
            dict.fromkeys(value for values in having for value in values or () if value)
        )
        profile = context.profile.name if context.profile else ""
        yield RawFinding(
            obj.path("spec", "nodeLabels", key),
            f"no pool of profile `{profile}` has `{key}: {label}`: Kueue admits workloads to this "
            "flavor, and their pods stay Pending",
            note=f"write {choice_of(pool_values)}" if pool_values else _note(context),
            confidence="likely",
        )


def _has_gpus(flavor: str, collection: Collection) -> bool:
    """Return whether a ClusterQueue of the set has quota of accelerators in the flavor."""
    from gpuspec import hardware

    return any(
        text(entry.get("name")) == flavor
        and any(
            hardware.resource(text(row.get("name"))) is not None
            and (quota := quantity(row.get("nominalQuota"))) is not None
            and quota.value > 0
            for row in map(mapping, items(entry.get("resources")))
        )
        for queue in collection.of(KUEUE, "ClusterQueue")
        for _, _, flavors in groups(queue)
        for _, entry in flavors
    )


def _is_unset(key: str, context: Context) -> bool:
    """Return whether only a labeller sets the label that neither the provider nor the set
    brings."""
    from gpuspec import hardware

    if context.cluster is None or context.provider in (None, "none"):
        return False
    provider_labels = hardware.provider(context.cluster.provider).labels
    setting = [
        labeller.name for labeller in hardware.labellers().values() if key in labeller.keys.values()
    ]
    return (
        bool(setting)
        and all(name in _DISCOVERY for name in setting)
        and provider_labels.always
        and not {provider_labels.labeller, *provider_labels.also} & set(setting)
        and not any(
            product in context.cluster.installed or is_there(product, context.collection)
            for product in _BRINGS
        )
    )


def _note(context: Context) -> str:
    """Return a label that the pools have instead."""
    common: dict[str, str] = dict(context.placed[0].pool.labels)
    for pool in context.placed[1:]:
        common = {key: common[key] for key in common if pool.pool.labels.get(key) == common[key]}
    pairs = [f"`{key}: {value}`" for key, value in common.items()]
    if pairs:
        return f"select a label that the pools have: {' or '.join(pairs[:2])}"
    return "add the label to the pools' `labels` if their nodes have it"
