"""Which extended resources are accelerators."""

from __future__ import annotations

from functools import cache
from typing import Any

from gpuspec.hardware.model import DeviceResource, DeviceScheduler, GpuModel, Vendor
from gpuspec.hardware.tables import table


@cache
def vendors() -> tuple[Vendor, ...]:
    """Return the accelerator vendors with their resources."""
    whole = table("vendors")
    return tuple(
        Vendor(
            name=entry["name"],
            title=entry["title"],
            resources=tuple(
                DeviceResource(
                    item["name"],
                    entry["name"],
                    item["kind"],
                    whole["sources"][item["source"]],
                    item.get("of"),
                )
                for item in entry["resources"]
            ),
            others=tuple(entry.get("others", ())),
            labeller=entry.get("labeller"),
            words=tuple(entry.get("words", ())),
            named=entry.get("named", False),
            sharing=tuple(entry.get("sharing", ())),
            scheduler=_scheduler(entry.get("scheduler")),
        )
        for entry in whole["vendors"]
    )


def _scheduler(row: dict[str, Any] | None) -> DeviceScheduler | None:
    return None if row is None else DeviceScheduler(tuple(row["names"]), tuple(row["whole"]))


def vendor(name: str) -> Vendor | None:
    """Return the vendor with a name; None if unknown."""
    return next((known_vendor for known_vendor in vendors() if known_vendor.name == name), None)


def whole_resource(maker: str) -> str | None:
    """Return the resource of a vendor's whole devices; None if it has none."""
    known_vendor = vendor(maker)
    rows = known_vendor.resources if known_vendor else ()
    return next((row.name for row in rows if row.kind == "device"), None)


@cache
def _lookup() -> tuple[dict[str, DeviceResource], tuple[tuple[str, DeviceResource], ...]]:
    rows = [row for vendor in vendors() for row in vendor.resources]
    exact = {row.name: row for row in rows if not row.name.endswith("*")}
    prefixes = tuple((row.name[:-1], row) for row in rows if row.name.endswith("*"))
    return exact, prefixes


def resource(name: str) -> DeviceResource | None:
    """Return the accelerator behind a resource name, if any: `nvidia.com/mig-1g.10gb` is a slice."""
    exact, prefixes = _lookup()
    exact_resource = exact.get(name)
    if exact_resource is not None:
        return exact_resource
    return next(
        (row for prefix, row in prefixes if name.startswith(prefix) and name != prefix), None
    )


def is_gpu_resource(name: str) -> bool:
    """Return whether a resource is an accelerator of any vendor; a vendor's prefix alone does not
    suffice."""
    return resource(name) is not None


def per_device(name: str, model: GpuModel) -> int:
    """Return how many units of a resource one device of the model has: its cores, if cores are
    counted."""
    device_resource = resource(name)
    return model.cores if device_resource is not None and device_resource.kind == "core" else 1
