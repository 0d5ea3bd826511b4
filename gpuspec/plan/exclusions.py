"""Node affinity that excludes pods from pools which were not chosen and would accept them."""

from typing import Any

from gpuspec.plan import flavors
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.device_claims import is_claimed
from gpuspec.plan.device_options import device_options
from gpuspec.plan.devices import device
from gpuspec.plan.fabric import fabric_pool
from gpuspec.plan.products import pool_labels, product_key, sharing_keys, spot_label
from gpuspec.plan.resolution import ExcludedPool, Resolution
from gpuspec.plan.tolerations import lets_in, tolerated
from gpuspec.spec.pools import REGION_LABEL, ZONE_LABEL

ARCH = "kubernetes.io/arch"
Expression = dict[str, Any]


def exclusions(
    resolution: Resolution,
    arch: str,
    products_by_label: dict[str, list[str]],
    required: list[Expression],
) -> tuple[list[Expression], list[Note]]:
    """Return `NotIn` expressions for the excluded pools whose nodes no other term excludes.

    `NotIn` also matches nodes without the label, so the label must be one that the pool has. If no
    label distinguishes it from the chosen pools, a loud note says so. A queue knows less about
    nodes than the scheduler, so more pools may need an expression.
    """
    exclusions_by_label: dict[str, list[str]] = {}
    notes: list[Note] = []
    for out in resolution.excluded_pools:
        lands = reachable(resolution, out, arch, required) and _named(
            resolution, out, products_by_label
        )
        flavor = None if lands else _flavor(resolution, out, arch, products_by_label, required)
        if not lands and flavor is None:
            continue
        label = telling_label(resolution, out, flavor)
        if label is None:
            pods = (
                "pods may be scheduled on it"
                if lands
                else "the queue may admit the workload to it, and the pods stay Pending there"
            )
            text = (
                f"no label distinguishes pool {out.pool.name} from the chosen pools: {pods} "
                f"although {out.reason}"
            )
            notes.append(Note(text, Origin("profile", ("spec", "pools", out.index)), loud=True))
        elif label[1] not in exclusions_by_label.setdefault(label[0], []):
            exclusions_by_label[label[0]].append(label[1])
    return [
        {"key": k, "operator": "NotIn", "values": v} for k, v in exclusions_by_label.items()
    ], notes


def reachable(
    resolution: Resolution, out: ExcludedPool, arch: str, required: list[Expression]
) -> bool:
    """Return whether the scheduler would place a pod in the pool, without regard to GPU models.

    Devices, fabric, taints, CPU architecture and required labels must allow it.
    """
    pool = out.pool
    units = [
        device_option.on_node
        for device_option in device_options(pool, out.model)
        if device_option.resource == device(resolution)
    ]
    if pool.architecture != arch or max(units, default=0) < resolution.gpus:
        return False
    if is_claimed(resolution) and pool.gpu.dra is None:
        return False
    if not lets_in(tolerated(resolution), pool):
        return False
    fabric = fabric_pool(resolution)
    if fabric and fabric.pool.rdma:
        needed = fabric.pool.rdma.devices.keys()
        if pool.rdma is None or not needed <= pool.rdma.devices.keys():
            return False
    have: dict[str, tuple[str | None, ...]] = {
        **{key: (value,) for key, value in pool_labels(resolution, pool, out.model).items()},
        **{ZONE_LABEL: pool.all_zones, REGION_LABEL: (pool.its_region,)},
    }
    return all(
        any(value in label["values"] for value in have.get(label["key"], ())) for label in required
    )


def _named(
    resolution: Resolution, out: ExcludedPool, products_by_label: dict[str, list[str]]
) -> bool:
    """Return whether the pool's nodes have a model that the affinity names; the affinity may name
    none."""
    key, values = product_key(resolution, out.pool, out.model)
    return not products_by_label or any(value in products_by_label.get(key, ()) for value in values)


def _flavor(
    resolution: Resolution,
    out: ExcludedPool,
    arch: str,
    products_by_label: dict[str, list[str]],
    required: list[Expression],
) -> dict[str, str] | None:
    """Return the labels of the pool's flavor, if the workload's queue could assign it."""
    if getattr(resolution.spec, "queue", None) is None or not resolution.profile.spec.queues:
        return None
    common = {ARCH: [arch], **{label["key"]: label["values"] for label in required}}
    label_terms = [{key: values, **common} for key, values in products_by_label.items()] or [common]
    flavors_used = flavors.handed_out(resolution, out, label_terms)
    return flavors.flavor_labels(resolution.profile, out.pool) if flavors_used else None


def telling_label(
    resolution: Resolution, out: ExcludedPool, label_values: dict[str, str] | None = None
) -> tuple[str, str] | None:
    """Return a label of the pool that no chosen pool has with the same value; one of
    `label_values`, if given.

    The label behind the exclusion comes first: a new spot pool has it too.
    """
    known_labels = (
        pool_labels(resolution, out.pool, out.model) if label_values is None else label_values
    )
    labels = sorted(known_labels.items(), key=lambda item: (item[0] not in sharing_keys(), item))
    spot = spot_label(out.pool) if out.pool.capacity == "spot" else None
    if spot is not None and spot in labels:
        labels.insert(0, spot)
    for key, value in labels:
        if all(
            pool_labels(resolution, chosen.pool, chosen.model).get(key) != value
            for chosen in resolution.pools
        ):
            return key, value
    return None
