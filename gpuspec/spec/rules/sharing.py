"""Rules for sharing of a pool's GPUs: settings that the device plugin rejects, and contradicting
labels."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.escaping.meant import did_you_mean
from gpuspec.hardware import DeviceResource, GpuModel, MigProfile, Placement
from gpuspec.manifests import Path
from gpuspec.spec.metadata import Labels
from gpuspec.spec.pools import Pool
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.sharing import Sharing

# NVIDIA's device plugin (v0.20.0, cmd/mps-control-daemon/mps/device.go) lets MPS serve 48 clients
# from this compute capability on, which every field allows, and so many below.
VOLTA = (7, 5)
MPS_CLIENTS = 16


def problems(pool: Pool, model: GpuModel | None, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a pool's sharing; `model` is None if the pool's model is
    invalid."""
    sharing, where = pool.sharing, (*path, "sharing")
    if sharing is None:
        if pool.gpu.partition is None:
            yield from _unsaid(pool, path)
    elif model is not None and sharing.mode not in _ways(model.vendor):
        able = [maker.title for maker in hardware.vendors() if sharing.mode in maker.sharing]
        yield SpecViolation(
            f"{sharing.mode} is for GPUs of {' and '.join(able)}, but the pool's is {model.name}",
            (*where, "mode"),
            "delete `sharing`",
            needs=((*path, "gpu"),),
        )
    elif sharing.mode == "mig":
        yield from _otherwise(pool, sharing, ("shared", "slice"), path)
        yield from _mig(pool, sharing, model, path)
        yield from _some(pool, sharing, where)
    else:
        yield from _otherwise(pool, sharing, ("slice",), path)
        yield from _replicated(sharing, model, where)
        yield from _nvidias(sharing, model, where)
    if model is not None and _is_clear(sharing, model):
        yield from _labels(pool, model, path)


def _ways(vendor: str) -> tuple[str, ...]:
    maker = hardware.vendor(vendor)
    return maker.sharing if maker else ()


def _is_clear(sharing: Sharing | None, model: GpuModel) -> bool:
    """Return whether the sharing determines the labels of nodes."""
    if sharing is None or sharing.mode != "mig":
        return True
    return bool(sharing.profiles) and all(model.profile(name) for name in sharing.profiles)


def _unsaid(pool: Pool, path: Path) -> Iterator[SpecViolation]:
    """Yield the resource of a part of a GPU in a pool with whole GPUs."""
    device = hardware.resource(pool.gpu.resource)
    if device is None or device.kind not in ("shared", "slice"):
        return
    slices = device.kind == "slice"
    yield SpecViolation(
        f"{pool.gpu.resource} is {'a slice' if slices else 'a share'} of a GPU, but the "
        "pool does not say how its GPUs are shared",
        (*path, "gpu", "resource"),
        _how_to_say(device, slices=slices),
        needs=((*path, "sharing"), (*path, "gpu", "partition")),
    )


def _how_to_say(device: DeviceResource, *, slices: bool) -> str:
    if not slices:
        return "set sharing: {mode: time-slicing, replicas: 4, rename: true}"
    if "mig" in _ways(device.vendor):
        return "set sharing: {mode: mig, strategy: mixed, profiles: {…}}, and leave `resource` out"
    return "set gpu.partition too, such as cpx_nps4"


def _otherwise(
    pool: Pool, sharing: Sharing, kinds: tuple[str, ...], path: Path
) -> Iterator[SpecViolation]:
    """Yield the resource of a part of a GPU that the sharing already determines."""
    device = hardware.resource(pool.gpu.resource)
    if device is not None and device.kind in kinds:
        how = f"mig of strategy {sharing.strategy}" if sharing.mode == "mig" else sharing.mode
        message = f"{pool.gpu.resource}: what {how} advertises follows from `sharing`"
        needs = ((*path, "sharing"),)
        yield SpecViolation(
            message, (*path, "gpu", "resource"), "leave `resource` out", needs=needs
        )


def _replicated(sharing: Sharing, model: GpuModel | None, where: Path) -> Iterator[SpecViolation]:
    mode = sharing.mode
    old = model is not None and (model.compute_capability or VOLTA) < VOLTA
    if mode == "mps" and model and old and (sharing.replicas or 0) > MPS_CLIENTS:
        yield SpecViolation(
            f"on a {model.name} MPS allows {MPS_CLIENTS} clients at most",
            (*where, "replicas"),
            f"set {MPS_CLIENTS} or less: the device plugin rejects more",
            needs=((*where, "mode"),),
        )
    if sharing.replicas is None:
        yield SpecViolation(
            f"{mode} needs the number of pods per GPU",
            where,
            "set replicas: 4, or the number in the device plugin's configuration",
            needs=((*where, "replicas"),),
        )
    for field, value in (
        ("profiles", sharing.profiles),
        ("strategy", sharing.strategy),
        ("gpus", sharing.gpus),
    ):
        if value and value != "single":
            message = f"`{field}` is for MIG, but the mode is {mode}"
            hint = "delete it: a GPU is partitioned by MIG or shared by the device plugin"
            yield SpecViolation(message, (*where, field), hint, key=True, needs=((*where, "mode"),))


def _nvidias(sharing: Sharing, model: GpuModel | None, where: Path) -> Iterator[SpecViolation]:
    """Yield settings of NVIDIA's device plugin in a pool of another vendor."""
    if model is None or "mps" in _ways(model.vendor):
        return
    for field, value in (
        ("rename", sharing.rename),
        ("failRequestsGreaterThanOne", sharing.fail_requests_greater_than_one is not None),
    ):
        if value:
            message = f"`{field}` is for NVIDIA's device plugin, but the pool's GPU is {model.name}"
            needs = ((*where[:-1], "gpu"),)
            yield SpecViolation(message, (*where, field), "delete it", key=True, needs=needs)


def _some(pool: Pool, sharing: Sharing, where: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for nodes with partitioned and whole GPUs."""
    if sharing.gpus is None:
        return
    at, have = (*where, "gpus"), pool.gpu.count
    if not pool.names_profiles:
        message = "with the strategy `single` slices are advertised like whole GPUs"
        hint = "set strategy: mixed, which gives them other names"
        yield SpecViolation(message, at, hint, key=True, needs=((*where, "strategy"),))
    elif sharing.gpus >= have:
        message = f"of {have} GPUs on a node {sharing.gpus} are partitioned, and none is left whole"
        hint = "delete it, or set fewer"
        yield SpecViolation(message, at, hint, needs=((*where[:-1], "gpu"),))


def _mig(
    pool: Pool, sharing: Sharing, model: GpuModel | None, path: Path
) -> Iterator[SpecViolation]:
    where, gpu = (*path, "sharing"), (*path, "gpu")
    for field, value in (
        ("replicas", sharing.replicas),
        ("rename", sharing.rename),
        ("failRequestsGreaterThanOne", sharing.fail_requests_greater_than_one is not None),
    ):
        if value:
            message = f"`{field}` is for mps and time-slicing, but the mode is mig"
            hint = "delete it: `profiles` says how a GPU is partitioned"
            yield SpecViolation(message, (*where, field), hint, key=True, needs=((*where, "mode"),))
    if model is None:
        return
    if not model.mig:
        message = f"{model.name} has no known MIG profiles"
        yield SpecViolation(message, (*where, "mode"), "use mps or time-slicing", needs=(gpu,))
        return
    names = [profile.name for profile in model.mig]
    if not sharing.profiles:
        first = model.mig[0]
        yield SpecViolation(
            "mig needs `profiles`",
            where,
            f"set profiles: {{{first.name}: {first.max_per_gpu}}}; {model.name} has: "
            f"{', '.join(names)}",
            needs=((*where, "profiles"), gpu),
        )
        return
    mig_profiles = {
        name: mig_profile for name in sharing.profiles if (mig_profile := model.profile(name))
    }
    for name in sharing.profiles:
        if name not in mig_profiles or mig_profiles[name].name != name:
            hint = did_you_mean(name, names, 0.8) or f"it has: {', '.join(names)}"
            message = f"{model.name} has no MIG profile {shown(name)}"
            yield SpecViolation(message, (*where, "profiles", name), hint, key=True, needs=(gpu,))
            return
    if not pool.names_profiles and len(sharing.profiles) > 1:
        yield SpecViolation(
            f"the strategy `single` allows one profile, but there are {len(sharing.profiles)}",
            (*where, "profiles"),
            "set strategy: mixed, which names each profile's slices",
            needs=((*where, "strategy"),),
        )
    elif not fits([(mig_profiles[name], count) for name, count in sharing.profiles.items()]):
        cut = " + ".join(f"{count} × {name}" for name, count in sharing.profiles.items())
        yield SpecViolation(
            f"{cut} do not fit on one {model.name}",
            (*where, "profiles"),
            f"the maximum of one kind: {_most(model.mig)}",
            needs=(gpu,),
        )


def _most(profiles: tuple[MigProfile, ...]) -> str:
    return ", ".join(f"{profile.max_per_gpu} × {profile.name}" for profile in profiles)


def fits(layout: list[tuple[MigProfile, int]]) -> bool:
    """Return whether a number of slices of each profile fits on one GPU."""
    if any(count > profile.max_per_gpu for profile, count in layout):
        return False
    mig_profiles = [profile for profile, count in layout for _ in range(count)]
    # Large ones first: they have the fewest places.
    mig_profiles.sort(key=lambda profile: (-profile.memory_slices, profile.name))
    return _placed(mig_profiles, ())


def _placed(mig_profiles: list[MigProfile], placements: tuple[Placement, ...]) -> bool:
    """Return whether free placements remain for all profiles."""
    if not mig_profiles:
        return True
    first, *rest = mig_profiles
    return any(
        _placed(rest, (*placements, place))
        for place in first.placements
        if not any(place.overlaps(placement) for placement in placements)
    )


def _labels(pool: Pool, model: GpuModel, path: Path) -> Iterator[SpecViolation]:
    """Yield labels that contradict the pool's sharing, because pods would match no node."""
    expected = shared_node_labels(pool.labels, pool.sharing, model)
    for key in disagreeing(pool.labels, pool.sharing, model):
        means = expected[key]
        contradiction = (
            f"the pool's sharing means {means}"
            if means
            else "the pool does not share GPUs like this"
        )
        yield SpecViolation(
            f"label `{key}` contradicts the pool: {contradiction}",
            (*path, "labels", key),
            "one of the two is wrong: pods would go to other nodes than counted",
            needs=((*path, "sharing"), (*path, "gpu")),
        )


def disagreeing(labels: Labels, sharing: Sharing | None, model: GpuModel) -> list[str]:
    """Return the keys of node labels that contradict this sharing."""
    expected = shared_node_labels(labels, sharing, model)
    return [key for key in expected if key in labels and labels[key] != expected[key]]


def shared_node_labels(
    labels: Labels, sharing: Sharing | None, model: GpuModel
) -> dict[str, str | None]:
    """Return the additional labels of nodes with this sharing:

    GKE's own, with None for one that is absent, and GPU Feature Discovery's product with its
    suffixes if `labels` contain it.
    """
    gke, gfd = hardware.labellers()["gke"].keys, hardware.labellers()["gfd"].keys
    expected: dict[str, str | None] = {
        gke["partition"]: _only_profile(sharing),
        gke["sharing"]: None,
        gke["replicas"]: None,
    }
    if sharing is not None and sharing.mode != "mig":
        expected[gke["sharing"]] = "mps" if sharing.mode == "mps" else "time-sharing"
        expected[gke["replicas"]] = str(sharing.replicas)
    label = labels.get(gfd["product"])
    if label is not None:
        product = hardware.split_product(label)
        cut = product_suffix(sharing, model)
        # Old versions append no -SHARED, and GKE's device plugin cuts without GFD's knowing.
        if cut == "-SHARED" and not product.shared:
            cut = ""
        if product.mig is None and gke["partition"] in labels:
            cut = ""
        expected[gfd["product"]] = product.name + cut
    return expected


def product_suffix(sharing: Sharing | None, model: GpuModel) -> str:
    """Return the suffix that GPU Feature Discovery appends to the product's name for this sharing."""
    if sharing is None:
        return ""
    if sharing.mode != "mig":
        return "" if sharing.rename else "-SHARED"
    profile = model.profile(_only_profile(sharing) or "")
    return "-MIG-" + profile.resource.removeprefix(hardware.mig_resource("")) if profile else ""


def _only_profile(sharing: Sharing | None) -> str | None:
    """Return the common profile of a pool's slices under the MIG strategy `single`."""
    if sharing is None or sharing.mode != "mig" or sharing.strategy == "mixed":
        return None
    return next(iter(sharing.profiles)) if len(sharing.profiles) == 1 else None
