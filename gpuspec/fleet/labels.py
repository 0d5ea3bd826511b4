"""The labels that nodes of a pool have, as far as the profile and the labellers' tables list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpuspec.hardware import GpuModel
    from gpuspec.spec import Pool

ARCH = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
OS = ("kubernetes.io/os", "beta.kubernetes.io/os")
ZONE = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")
REGION = ("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region")
ABSENT = (None,)
# What labels of spot nodes say on others, where these have them at all.
_LASTING = ("on-demand", "reserved", "ON_DEMAND", "CAPACITY_BLOCK", "standard", "regular", None)


class PossibleLabels(msgspec.Struct, frozen=True):
    """What the labels of a node, or of any node of a pool, can be.

    `values` by key: each value that there can be; None among them where the label can be missing. A
    key that is not listed: missing on a node whose labels are all listed (`exact`), for labels of
    another `provider`, and for labels that only people set; else anything.
    """

    values: Mapping[str, tuple[str | None, ...]]
    provider: str = "none"
    exact: bool = False

    def of(self, key: str) -> tuple[str | None, ...] | None:
        """Return the possible values of a label; None for any value."""
        if key in self.values:
            return self.values[key]
        if self.exact:
            return ABSENT
        domain = hardware.label_domain(key)
        if domain is None or (domain.providers and self.provider not in domain.providers):
            return ABSENT
        return None


def node_labels(labels: Mapping[str, str]) -> PossibleLabels:
    """Return the labels of one node, all of them."""
    return PossibleLabels({key: (value,) for key, value in labels.items()}, exact=True)


def pool_labels(pool: Pool, model: GpuModel, provider: str = "none") -> PossibleLabels:
    """Return the labels of a pool's nodes: those of the profile, and those known from labellers.

        CPU architecture and zones are the pool's; the model's names are those of every labeller that
    may run there, of which only the provider's own is sure to.
    """
    label_values: dict[str, tuple[str | None, ...]] = {}
    label_values |= _of_labellers(pool, model, provider)
    if pool.capacity == "on-demand":
        label_values |= dict.fromkeys(hardware.SPOT_LABELS, _LASTING)
    if provider == "gke":
        from gpuspec.spec import shared_node_labels

        sharing_labels = shared_node_labels(pool.labels, pool.sharing, model)
        label_values |= {key: (value,) for key, value in sharing_labels.items()}
    region = () if pool.region is None else (pool.region,)
    stated = ((ARCH, (pool.architecture,)), (OS, ("linux",)), (ZONE, pool.zones), (REGION, region))
    for keys, values in stated:
        if values:
            label_values |= dict.fromkeys(keys, values)
    label_values |= {key: (value,) for key, value in pool.labels.items()}
    return PossibleLabels(label_values, provider)


def _of_labellers(pool: Pool, model: GpuModel, provider: str) -> dict[str, tuple[str | None, ...]]:
    """Return the labels that the labellers of the model's vendor set, where they run."""
    from gpuspec.spec import product_suffix, slice_of

    label_values: dict[str, tuple[str | None, ...]] = {}
    labels = hardware.provider(provider).labels
    is_labelled = (
        labels.always and pool.labels.keys().isdisjoint(labels.without) and not labels.without
    )
    for labeller in hardware.labellers().values():
        if labeller.vendor != model.vendor:
            continue
        values: tuple[str | None, ...] = labeller.values_of(model)
        if labeller.name == "gfd":
            suffix = product_suffix(pool.sharing, model)
            plain = () if pool.sharing is None else values
            # Old versions append nothing to the name of a shared GPU.
            values = (*(f"{value}{suffix}" for value in values), *plain)
        if labeller.product and values:
            sure = is_labelled and labeller.name in (labels.labeller, *labels.also)
            label_values[labeller.product] = values if sure else (*values, None)
    if (known_slice := slice_of(pool)) is not None:
        label_values[hardware.labellers()["gke-tpu"].keys["topology"]] = (known_slice.topology,)
    keys = hardware.labellers()["gfd"].keys
    if model.vendor == "nvidia":
        label_values[keys["family"]] = (model.family, None)
        if model.compute_capability is not None:
            major, minor = model.compute_capability
            label_values |= {keys["compute-major"]: (str(major), None)}
            label_values |= {keys["compute-minor"]: (str(minor), None)}
    return label_values
