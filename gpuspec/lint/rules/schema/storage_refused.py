"""A StorageClass, a volume or a claim that its driver of storage does not accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of, listed
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.references import references_of
from gpuspec.products import driver_of_class, storage_driver
from gpuspec.validation.values import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object
    from gpuspec.products import StorageDriver

RULE = Rule(
    "GPU930",
    "storage-refused",
    "warning",
    "A storage driver does not accept a StorageClass, a volume or a claim",
    gives_way=("GPU824",),
)
_GROUP = "storage.k8s.io"
_CLASS = (_GROUP, "StorageClass")
# Kubernetes' own parameters, which drivers do not see.
_OWN = "csi.storage.k8s.io/"
_BLOCK = "Block"
_PENDING = "the claim stays Pending, and its pods with it"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield values that known drivers reject: parameters of classes, attributes and access modes of
    volumes, access modes of claims."""
    if obj.is_a(*_CLASS):
        if not _is_static(obj, context):
            yield from _of_class(obj)
    elif obj.is_a("", "PersistentVolume"):
        yield from _of_volume(obj)
    for ref in references_of(obj, {_CLASS}):
        if ref.kind == _CLASS[1] and ref.path[-1] == "storageClassName":
            yield from _of_claim(obj, ref.name, ref.path[:-1], context)


def _is_static(obj: Object, context: Context) -> bool:
    """Return whether a class without parameters only ties claims to volumes that the set has."""
    return not obj.value.get("parameters") and any(
        volume.spec.get("storageClassName") == obj.name
        for volume in context.collection.of("", "PersistentVolume")
    )


def _of_class(obj: Object) -> Iterator[RawFinding]:
    driver = storage_driver(text(obj.value.get("provisioner")))
    if driver is None:
        return
    if driver.static:
        yield RawFinding(
            obj.path("provisioner"),
            f"{driver.title} creates no volumes: a claim of this class stays Pending, and its "
            "pods with it",
            note="write a PersistentVolume, and a claim with its `volumeName` and "
            '`storageClassName: ""`',
        )
        return
    spelling = {name.lower(): name for name in mapping(obj.value.get("parameters"))}
    values = {low: text(obj.value["parameters"][name]) for low, name in spelling.items()}
    yield from _unknown(obj, driver, spelling)
    yield from _absent(obj, driver, spelling)
    for low, name in spelling.items():
        yield from _value(obj, driver, name, values[low])
        for partner, effective in driver.only.get(low, {}).items():
            value = values.get(partner, driver.assumed.get(partner, ""))
            if value.lower() not in effective and value and "$" not in value:
                yield RawFinding(
                    obj.path("parameters", name),
                    f"`{name}` has no effect with `{partner}: {value}`: {driver.title} applies it only "
                    f"to {_or(effective)}",
                    note=f"set `{partner}: {effective[0]}`, or remove `{name}`",
                )
    for first, second in driver.apart:
        if first in spelling and second in spelling:
            yield RawFinding(
                obj.path("parameters", spelling[second]),
                f"`{spelling[first]}` and `{spelling[second]}` exclude each other: {driver.title} "
                "creates no volume of this class, and claims stay Pending",
                note=f"remove `{spelling[first]}` or `{spelling[second]}`",
            )


def _unknown(obj: Object, driver: StorageDriver, spelling: dict[str, str]) -> Iterator[RawFinding]:
    parameters = driver.parameters.split()
    begins = tuple(name[:-1] for name in parameters if name.endswith("*"))
    for low, name in spelling.items():
        if not parameters or low in parameters or low.startswith((_OWN, *begins)) or "$" in low:
            continue
        near = closest(low, parameters)
        is_fstype = low == "fstype"
        hint = f"write `{_OWN}fstype`" if is_fstype else f"write `{near}`" if near else None
        yield RawFinding(
            obj.path("parameters", name),
            f"`{name}` is not a parameter of {driver.title}: the driver creates no volume of this "
            "class, and claims stay Pending",
            note=hint or f"remove `{name}`: the parameters are {', '.join(parameters)}",
            key=True,
            confidence="likely",
        )


def _absent(obj: Object, driver: StorageDriver, spelling: dict[str, str]) -> Iterator[RawFinding]:
    absent = [name for name in driver.needed if name.lower() not in spelling]
    if absent:
        yield RawFinding(
            obj.path("parameters"),
            f"{driver.title} needs {_and(absent)}: it creates no volume of this class, and claims "
            "stay Pending",
            note=f"add {_and(absent)} to `parameters`",
            confidence="likely",
        )
    for pair in driver.together:
        present = [name for name in pair if name.lower() in spelling]
        if len(present) == 1:
            partner = next(name for name in pair if name not in present)
            yield RawFinding(
                obj.path("parameters", spelling[present[0].lower()]),
                f"`{present[0]}` needs `{partner}`: the driver creates no volume of this class, "
                "and claims stay Pending",
                note=f"add `{partner}`, or remove `{present[0]}`",
            )


def _value(obj: Object, driver: StorageDriver, name: str, value: str) -> Iterator[RawFinding]:
    accepted = driver.values.get(name.lower(), ())
    if accepted and value and value.lower() not in accepted and "$" not in value:
        yield RawFinding(
            obj.path("parameters", name),
            f"{driver.title} does not accept `{name}: {value}`: it creates no volume of this "
            "class, and claims stay Pending",
            note=f"write {_or(accepted)}",
        )


def _of_volume(obj: Object) -> Iterator[RawFinding]:
    csi = mapping(obj.spec.get("csi"))
    driver = storage_driver(text(csi.get("driver")))
    if driver is None:
        return
    attributes = mapping(csi.get("volumeAttributes"))
    absent = [name for name in driver.attributes if not attributes.get(name)]
    if absent:
        yield RawFinding(
            obj.path("spec", "csi"),
            f"a volume of {driver.title} needs {_and(absent)} in its `volumeAttributes`: the "
            "volume is not mounted, and pods stay in ContainerCreating",
            note=f"add {_and(absent)}",
        )
    modes = items(obj.spec.get("accessModes"))
    refused = [mode for mode in modes if mode in driver.refused]
    # Of a volume with several modes, the claim's counts.
    is_block = obj.spec.get("volumeMode") == _BLOCK
    if refused == modes == ["ReadWriteMany"] and not is_block:
        yield RawFinding(
            obj.path("spec", "accessModes", 0),
            f"{driver.title} cannot attach a volume with a file system as `ReadWriteMany`: pods "
            "stay in ContainerCreating",
            note=f"write `ReadWriteOnce`, or {driver.instead}",
            confidence="likely",
        )


def _of_claim(obj: Object, name: str, path: Path, context: Context) -> Iterator[RawFinding]:
    spec = mapping(at(obj.value, path[len(obj.base) :]))
    if not name or spec.get("volumeName") or spec.get("selector"):
        return
    if spec.get("volumeMode") == _BLOCK:
        return
    cls = context.collection.named(*_CLASS, name)
    if cls is None:
        driver = driver_of_class(name)
    else:
        driver = storage_driver(text(cls.value.get("provisioner")))
    if driver is None:
        return
    modes = items(spec.get("accessModes"))
    refused = next((mode for mode in modes if mode in driver.refused), None)
    if refused is None:
        return
    whose = driver.title if cls is not None else f"class `{name}` ({driver.title})"
    provisioner = (
        () if cls is None else (RelatedPlace(cls.number, cls.path("provisioner"), "its class"),)
    )
    yield RawFinding(
        (*path, "accessModes", modes.index(refused)),
        f"{whose} has no `{refused}` volumes with a file system: {_PENDING}",
        note=f"write `ReadWriteOnce`, or {driver.instead}",
        confidence="certain" if cls is not None else "likely",
        related=provisioner,
    )


def _and(names: list[str]) -> str:
    return listed(f"`{name}`" for name in names)


def _or(names: tuple[str, ...]) -> str:
    return choice_of(names, len(names))
