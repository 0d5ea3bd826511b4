"""The labeller that names GPU models on a provider's nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.hardware.names import labellers
from gpuspec.hardware.providers import provider
from gpuspec.hardware.resources import vendor

if TYPE_CHECKING:
    from gpuspec.hardware.model import GpuModel, Labeller


def naming_labeller(of: str, model: GpuModel) -> Labeller:
    """Return the labeller that names a model: the provider's, or else the vendor's."""
    labeller = vendor_labeller(of, model.vendor)
    return labeller if labeller.values_of(model) else _own(model.vendor)


def vendor_labeller(of: str, maker: str) -> Labeller:
    """Return the labeller that names a vendor's models: the provider's, or else the vendor's."""
    labeller = labellers()[provider(of).labels.labeller]
    return labeller if labeller.vendor == maker else _own(maker)


def is_provider_labeller(of: str, labeller: Labeller) -> bool:
    """Return whether the provider itself sets this label on every GPU node that it creates."""
    labels = provider(of).labels
    return labels.always and labeller.name in (labels.labeller, *labels.also)


def _own(maker: str) -> Labeller:
    gpu_vendor = vendor(maker)
    return labellers()[(gpu_vendor and gpu_vendor.labeller) or "gfd"]
