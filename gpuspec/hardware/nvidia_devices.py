"""PCI ids of NVIDIA's GPUs, and the drivers that support them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from gpuspec.hardware.model import GpuModel


def pci_vendor() -> str:
    """Return NVIDIA's PCI vendor id."""
    vendor: str = table("pci")["vendor"]
    return vendor


def pci_devices(model: GpuModel, product: str | None = None) -> tuple[str, ...]:
    """Return the PCI device ids of a model, or of its board with a product name; empty if one is
    unknown."""
    products: dict[str, str] = table("pci")["products"]
    if product is not None:
        return (products[product],) if product in products else ()
    boards = [
        tuple(products[name] for name in form.products if name in products) for form in model.forms
    ]
    return tuple(sorted({name for ids in boards for name in ids})) if all(boards) else ()


def first_branch(model: GpuModel) -> int | None:
    """Return the first driver branch that supports a model; None if unknown."""
    branch: int | None = table("pci")["branches"].get(model.name)
    return branch
