"""What GPUs a node has by claims: as the slices of NVIDIA's DRA driver list them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gpuspec.cluster.discover.parts import Part, Reading
from gpuspec.fleet.claims.counting import NVIDIA
from gpuspec.fleet.claims.reading import slice_of
from gpuspec.fleet.claims.shown import model_of
from gpuspec.spec import Sharing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.cluster.discover.input import Inventory, Node
    from gpuspec.fleet.claims.model import Device, Slice
    from gpuspec.hardware import GpuModel

_SINCE = 34
_DIVIDED = (
    "its driver divides GPUs as claims ask for it (DynamicMIG): they are stated as whole ones"
)


def slices_of(inventory: Inventory) -> Mapping[str, Sequence[Slice]]:
    """The slices of the driver by the node that they are of, those of old generations left out."""
    found: dict[str, list[Slice]] = {}
    for one in inventory.beside:
        if one.get("kind") != "ResourceSlice":
            continue
        made = slice_of(one)
        if made.driver == NVIDIA and made.place.node:
            found.setdefault(made.place.node, []).append(made)
    return {
        node: [one for one in each if one.generation == max(other.generation for other in each)]
        for node, each in found.items()
    }


def read_claimed(node: Node, slices: Sequence[Slice]) -> Reading | None:
    """The GPUs of a node by its slices; None where these list none."""
    devices = [one for each in slices for one in each.devices]
    if not devices:
        return None
    if (node.minor or _SINCE) < _SINCE:
        said = (
            f"claims of a profile take Kubernetes 1.{_SINCE}, and its kubelet is of 1.{node.minor}"
        )
        return Reading(reasons=(f"its GPUs are handed out by DRA: {said}",))
    models = {found.name: found for one in devices if (found := model_of(one)) is not None}
    names = sorted({_product(one) for one in devices})
    if len(models) != 1 or len(names) > 1:
        return Reading(reasons=(f"its slices list {', '.join(names)}: no one GPU of a profile",))
    (model,) = models.values()
    whole = [one for one in devices if _type(one) == "gpu"]
    parts = [one for one in devices if _type(one) == "mig" and not one.consumes]
    remarks = (_DIVIDED,) if any(one.consumes for one in devices) else ()
    return _reading(model, len(whole), parts, remarks)


def _reading(
    model: GpuModel, whole: int, parts: Iterable[Device], remarks: tuple[str, ...]
) -> Reading | None:
    layouts: dict[str, Counter[str]] = {}
    for one in parts:
        parent, profile = _text(one, "parentUUID"), _text(one, "profile")
        if model.profile(profile) is None:
            return Reading(reasons=(f"{profile} is no MIG profile of {model.name} that we know",))
        layouts.setdefault(parent, Counter())[profile] += 1
    total = whole + len(layouts)
    if not total:
        return None
    if not layouts:
        return Reading((Part(model, total, total, claimed=True, remarks=remarks),))
    first, *rest = layouts.values()
    if any(each != first for each in rest):
        seen = sum(layouts.values(), Counter[str]())
        told = ", ".join(f"{many} of {name}" for name, many in sorted(seen.items()))
        why = f"its GPUs are cut in different ways ({told}), which a profile cannot state"
        return Reading(reasons=(why,))
    order = sorted(first, key=lambda name: _size(model, name))
    profiles = {name: first[name] for name in order}
    some = len(layouts) if whole else None
    sharing = Sharing(mode="mig", profiles=profiles, gpus=some)
    return Reading((Part(model, total, total, sharing=sharing, claimed=True, remarks=remarks),))


def _size(model: GpuModel, name: str) -> tuple[int, int, str]:
    profile = model.profile(name)
    assert profile is not None
    return profile.compute_slices, profile.memory_slices, name


def _type(device: Device) -> str:
    return _text(device, "type")


def _product(device: Device) -> str:
    return _text(device, "productName") or "GPUs without a name"


def _text(device: Device, name: str) -> str:
    kind, value = device.attributes.get(name, ("string", ""))
    return str(value) if kind == "string" else ""
