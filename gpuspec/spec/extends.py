"""`extends`: a profile that is based on a built-in one; and recipes of fabrics.

Presets and recipes are built from the hardware tables alone and extend nothing, so there are no
cycles. Fields of the profile win. Missing fields are filled in before the profile is parsed, so
that the rules check all of it, and have a place of their own.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from gpuspec import hardware
from gpuspec.hardware import GpuModel, Preset, Provider
from gpuspec.manifests import Path, Place
from gpuspec.spec.filled import ProfileFact, machine_of, pools_of, recipe_facts
from gpuspec.spec.text import SpecText

_NVIDIA = "nvidia"


class PresetPlace(Place, frozen=True):
    """A place in a preset or recipe, without lines: its name and its source."""

    def __str__(self) -> str:
        return self.file


class ExtendedDocument:
    """A profile's document with the fields from its recipes and its preset."""

    __slots__ = ("_added", "_document", "value")

    def __init__(self, document: SpecText, preset: Preset | None) -> None:
        self._document = document
        self._added: dict[Path, str] = {}
        self.value = _copied(document.value)
        # One after the other, since what a preset adds depends on what is there already.
        ours = () if preset is None else chain(_facts(preset), _pool_facts(preset, self.value))
        for fact in chain(recipe_facts(self.value), ours):
            if _fill(self.value, fact.path, fact.value):
                self._added[fact.path] = fact.source

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the place of a path, or the preset or recipe from which it comes."""
        for length in range(len(path), 0, -1):
            if source := self._added.get(path[:length]):
                return PresetPlace(source, 1, 1)
        return self._document.place(path, key=key)


def extended(document: SpecText) -> SpecText:
    """Return the document with the fields from its recipes and its preset.

    It is unchanged if it names none of them, or an unknown one, which the schema check reports.
    """
    value = document.value
    spec = value.get("spec") if isinstance(value, dict) else None
    name = spec.get("extends") if isinstance(spec, dict) else None
    preset = hardware.presets().get(name) if isinstance(name, str) else None
    if preset is None and next(recipe_facts(value), None) is None:
        return document
    return ExtendedDocument(document, preset)


def preset_spec(name: str) -> dict[str, Any]:
    """Return a preset as the `spec` of a profile. Raises KeyError."""
    profile: dict[str, Any] = {"spec": {}}
    for fact in _facts(hardware.presets()[name]):
        _fill(profile, fact.path, fact.value)
    spec: dict[str, Any] = profile["spec"]
    return spec


def _facts(preset: Preset) -> Iterator[ProfileFact]:
    provider = preset.provider
    profile_facts: list[ProfileFact] = []
    if provider.name != "none":
        profile_facts.append(
            ProfileFact(("spec", "provider"), provider.name, provider.labels.source)
        )
    for component, version in preset.installed.items():
        profile_facts.append(
            ProfileFact(("spec", "installed", component), version, str(preset.source))
        )
    for kind in provider.storage:
        path: Path = ("spec", "storage", "classes", kind.name, "accessModes")
        profile_facts.append(ProfileFact(path, list(kind.access_modes), kind.source))
    return map(_by(preset), profile_facts)


def _pool_facts(preset: Preset, value: object) -> Iterator[ProfileFact]:
    """Yield the provider's facts about the nodes of each pool in the profile."""
    provider = preset.provider
    for path, pool in pools_of(value):
        for facts in (
            _labels(provider, pool, (*path, "labels")),
            _taints(provider, pool, path),
            _fabric(provider, pool, (*path, "rdma")),
        ):
            yield from map(_by(preset), facts)


def _by(preset: Preset) -> Callable[[ProfileFact], ProfileFact]:
    """Put the preset's name before the source of its facts."""
    return lambda fact: fact._replace(source=f"preset {preset.name}: {fact.source}")


def _labels(provider: Provider, pool: dict[str, Any], path: Path) -> Iterator[ProfileFact]:
    """Yield the label of the model and that of spot nodes, unless other labels exist for them."""
    labels = pool.get("labels", {})
    if not isinstance(labels, dict) or not labels.keys().isdisjoint(provider.labels.without):
        return
    model, products = _model(pool), {labeller.product for labeller in hardware.labellers().values()}
    if provider.labels.always and model is not None and labels.keys().isdisjoint(products):
        for name in (provider.labels.labeller, *provider.labels.also):
            labeller = hardware.labellers()[name]
            values = labeller.values_of(model)
            if len(values) == 1 and labeller.product:
                yield ProfileFact((*path, labeller.product), values[0], provider.labels.source)
    spot = provider.spot
    if _is_spot(pool) and spot and spot.label and labels.keys().isdisjoint(hardware.SPOT_LABELS):
        yield ProfileFact((*path, spot.label[0]), spot.label[1], spot.source)


def _taints(provider: Provider, pool: dict[str, Any], path: Path) -> Iterator[ProfileFact]:
    """Yield the taints that the provider adds by itself, and the notice period of spot nodes."""
    taints = [
        taint
        for taint in provider.taints
        if taint.automatic and (_is_spot(pool) or not taint.spot_only) and taint.is_of(_maker(pool))
    ]
    if taints:
        taint_values = [{"key": t.key, "value": t.value, "effect": t.effect} for t in taints]
        sources = dict.fromkeys(taint.source for taint in taints)
        yield ProfileFact((*path, "taints"), taint_values, "; ".join(sources))
    if _is_spot(pool) and provider.spot:
        notice = f"{provider.spot.notice}s"
        yield ProfileFact((*path, "notice"), notice, provider.spot.notice_source)


def _fabric(provider: Provider, pool: dict[str, Any], path: Path) -> Iterator[ProfileFact]:
    """Yield the device count and huge pages of a pool's fabric, by its instance type."""
    rdma = pool.get("rdma")
    name = rdma.get("resource") if isinstance(rdma, dict) else None
    rdma_resource = provider.rdma_resource(name) if isinstance(name, str) else None
    if rdma_resource is None or not isinstance(rdma, dict):
        return
    count = rdma_resource.machines.get(machine_of(pool))
    if count is not None and rdma.keys().isdisjoint(("count", "perGpu")):
        source = str(rdma_resource.machines_source)
        yield ProfileFact((*path, "count"), count, source)
        yield ProfileFact((*path, "perGpu"), True, source)
    if rdma_resource.hugepages is not None and rdma_resource.of == _maker(pool):
        yield ProfileFact(
            (*path, "hugepages"), f"{rdma_resource.hugepages >> 20}Mi", rdma_resource.source
        )


def _is_spot(pool: dict[str, Any]) -> bool:
    return bool(pool.get("capacity") == "spot")


def _model(pool: dict[str, Any]) -> GpuModel | None:
    gpu = pool.get("gpu")
    name = gpu.get("model") if isinstance(gpu, dict) else None
    gpu_models = hardware.find(name) if isinstance(name, str) else ()
    return gpu_models[0] if len(gpu_models) == 1 else None


def _maker(pool: dict[str, Any]) -> str:
    """Return the vendor of a pool's devices, from its resource or else its model."""
    gpu, model = pool.get("gpu"), _model(pool)
    name = gpu.get("resource") if isinstance(gpu, dict) else None
    device = hardware.resource(name) if isinstance(name, str) else None
    if device is not None:
        return device.vendor
    return model.vendor if model is not None and name is None else _NVIDIA


def _copied(value: object) -> Any:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _fill(root: Any, path: Path, value: object) -> bool:
    """Set a value at a path unless one exists; missing parents are added."""
    at = root
    *above, last = path
    for step in above:
        if isinstance(step, str):
            if not isinstance(at, dict):
                return False
            at = at.setdefault(step, {})
        else:
            at = at[step]
    if not isinstance(at, dict) or last in at:
        return False
    at[last] = value
    return True
