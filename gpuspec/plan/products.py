"""Node labels with a pool's properties: its GPU model, its sharing, whether it is spot."""

from functools import cache

from gpuspec import hardware
from gpuspec.hardware import GpuModel
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.devices import maker
from gpuspec.plan.fit import architecture, least_memory, model_misfit
from gpuspec.plan.model_labels import guessed, stated_label
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.spec import (
    Pool,
    WorkloadSpec,
    product_suffix,
    shared_node_labels,
    slice_of,
)


def product_key(resolution: Resolution, pool: Pool, model: GpuModel) -> tuple[str, tuple[str, ...]]:
    """Return the node label with the GPU model of a pool, and its possible values.

    One that the pool states, or else the one that its provider or the vendor's daemon sets.
    """
    best = stated_label(pool, model)
    if best is not None:
        return best, (pool.labels[best],)
    key, values = _labelled(resolution, model)
    suffix = product_suffix(pool.sharing, model) if key == _gfd_product() else ""
    return key, tuple(value + suffix for value in values)


def exact_names(
    spec: WorkloadSpec, labeller: hardware.Labeller, model: GpuModel
) -> tuple[str, ...]:
    """Return a labeller's values that a spec uses as model names; empty if the spec also uses other
    names.

    Such a value means one board: other boards of the model have the same memory, and may lack
    NVLink.
    """
    names = [name for name in spec.gpu.models if model in hardware.find(name)]
    values = labeller.values_of(model)
    return tuple(names) if all(name in values for name in names) else ()


def other_board(spec: WorkloadSpec, pool: Pool, model: GpuModel) -> str | None:
    """Return why a pool's GPUs are on another board than the spec names, by the label of its nodes;
    else None."""
    for labeller in hardware.labellers().values():
        stated = pool.labels.get(str(labeller.product))
        exact = exact_names(spec, labeller, model)
        if stated is None or not exact:
            continue
        board = hardware.split_product(stated).name
        if board in labeller.values_of(model) and board not in exact:
            return f"its GPUs are {board}, and the spec names {' and '.join(exact)}"
    return None


def products(resolution: Resolution, only: GpuModel | None = None) -> dict[str, list[str]]:
    """Return label key to values, over the chosen pools, or over the models without pools.

    Empty if one of them has no such label: pods that are bound to the others would never reach it.
    """
    pairs = (
        [_of(resolution, chosen) for chosen in resolution.pools if only in (None, chosen.model)]
        if resolution.pools
        else [_labelled(resolution, model) for model in resolution.models if only in (None, model)]
    )
    if not all(values for _, values in pairs):
        return {}
    values_by_label: dict[str, list[str]] = {}
    for key, values in pairs:
        label_values = values_by_label.setdefault(key, [])
        label_values += [value for value in values if value not in label_values]
    return values_by_label


def pool_labels(resolution: Resolution, pool: Pool, model: GpuModel) -> dict[str, str]:
    """Return the labels of a pool's nodes: the stated ones, and GKE's for slices and sharing."""
    if (known_slice := slice_of(pool)) is not None:
        labeller = hardware.labellers()["gke-tpu"]
        values = labeller.values_of(model)
        product_label = {str(labeller.product): values[0]} if len(values) == 1 else {}
        return {**product_label, labeller.keys["topology"]: known_slice.topology, **pool.labels}
    if resolution.profile.spec.provider != "gke":
        return pool.labels
    node_labels = shared_node_labels(pool.labels, pool.sharing, model)
    return {**{key: value for key, value in node_labels.items() if value}, **pool.labels}


def sharing_labels(resolution: Resolution) -> dict[str, list[str]]:
    """Return label key to values that identify the sharing on the nodes of every chosen pool."""
    values_by_label: dict[str, list[str]] = {}
    if not resolution.pools or resolution.pools[0].device_option.kind == "whole":
        return values_by_label
    labels_of_pools = [
        pool_labels(resolution, chosen.pool, chosen.model) for chosen in resolution.pools
    ]
    for key in sharing_keys():
        values = [labels[key] for labels in labels_of_pools if key in labels]
        if len(values) == len(labels_of_pools):
            values_by_label[key] = list(dict.fromkeys(values))
    return values_by_label


@cache
def sharing_keys() -> tuple[str, ...]:
    """Return the labels of a sharing that every node with it has: GKE's, and AMD's of partitioned
    GPUs."""
    labellers = hardware.labellers()
    keys = [labellers["gke"].keys[name] for name in ("partition", "sharing", "replicas")]
    return (*keys, labellers["amd"].keys["partition"])


def spot_label(pool: Pool) -> tuple[str, str] | None:
    """Return the label that marks the pool's nodes as spot."""
    spot_labels = (
        item for item in hardware.SPOT_LABELS.items() if pool.labels.get(item[0]) == item[1]
    )
    return next(spot_labels, None)


def _of(resolution: Resolution, chosen: ChosenPool) -> tuple[str, tuple[str, ...]]:
    return product_key(resolution, chosen.pool, chosen.model)


def label_words(resolution: Resolution) -> str:
    """Return the labeller of the models, if the profile names no pools; empty if it does."""
    if resolution.pools:
        return ""
    titles = dict.fromkeys(
        hardware.naming_labeller(resolution.profile.spec.provider, model).title
        for model in resolution.models
    )
    return f", by the label of {' and '.join(titles)}"


def fitting(resolution: Resolution) -> tuple[str, list[str]] | None:
    """Return the provider's label, with its values for every model that meets the envelope.

    None if any model is acceptable, if GPU Feature Discovery's labels identify it, and if no model
    is left. A value that an unsuitable model also has is left out.
    """
    labeller, spec = (
        hardware.vendor_labeller(resolution.profile.spec.provider, maker(resolution)),
        resolution.spec,
    )
    if labeller.name == "gfd" or not (least_memory(spec) or spec.gpu.compute_capability):
        return None
    arch = architecture(spec, ())
    fit: dict[str, None] = {}
    unfit: set[str] = set()
    for model in hardware.models():
        values = labeller.values_of(model)
        if model.architecture in (None, arch) and model_misfit(spec, model) is None:
            fit |= dict.fromkeys(values)
        else:
            unfit |= set(values)
    sure = [value for value in fit if value not in unfit]
    return (str(labeller.product), sure) if sure else None


def ambiguous(resolution: Resolution) -> list[Note]:
    """Return a loud note if the label of an acceptable model also means others, and no pool narrows
    it."""
    if resolution.pools or not resolution.spec.gpu.models:
        return []
    notes: list[Note] = []
    for key, values in products(resolution).items():
        for value in values:
            others = [m.name for m in hardware.from_label(key, value) if m not in resolution.models]
            if others:
                text = (
                    f"label {key}={value} means {' and '.join(others)} too: pods may land there; "
                    "a profile with pools tells them apart"
                )
                notes.append(Note(text, Origin("spec", ("spec", "gpu", "models")), loud=True))
    return notes


def unstated(resolution: Resolution) -> list[Note]:
    """Return a loud note if pods are bound to a label that is missing in a pool's list of
    labels."""
    values_by_label: dict[str, list[str]] = {}
    for chosen in resolution.pools:
        labeller = guessed(resolution.profile.spec, chosen.pool, chosen.model)
        if labeller is not None:
            values_by_label.setdefault(labeller.name, []).append(chosen.pool.name)
    first = {chosen.pool.name: chosen for chosen in resolution.pools}
    notes: list[Note] = []
    for name, pools in values_by_label.items():
        labeller = hardware.labellers()[name]
        which = f"pool {pools[0]}" if len(pools) == 1 else f"pools {', '.join(pools)}"
        text = (
            f"{which}: no label in `labels` names the GPU, so pods are bound by "
            f"{labeller.product}, which {labeller.title} sets; without it they pend. Name the label "
            "that does as `modelLabel`"
        )
        origin = Origin("profile", first[pools[0]].path("labels"))
        notes.append(Note(text, origin, loud=True))
    return notes


@cache
def _gfd_product() -> str:
    return str(hardware.labellers()["gfd"].product)


def _labelled(resolution: Resolution, model: GpuModel) -> tuple[str, tuple[str, ...]]:
    labeller = hardware.naming_labeller(resolution.profile.spec.provider, model)
    exact = exact_names(resolution.spec, labeller, model)
    return str(labeller.product), exact or labeller.values_of(model)
