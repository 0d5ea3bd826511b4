"""Check labels that contradict their pool. Labels of the GPU model are checked by rules of the
spec."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.numbers import read_whole
from gpuspec.plan.model_labels import guessed

ZONE = "topology.kubernetes.io/zone"
MIB = 1 << 20
# How far a label's memory may be from the model's, in percent: makers, drivers and clouds count
# differently, and the next size is a sixth larger.
NEAR = 12


def count_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a label with another number of GPUs."""
    count, sharing = at.pool.gpu.count, at.pool.sharing
    allowed = {count, count + at.beside()}
    if sharing is not None and sharing.mode == "mig" and sharing.strategy == "single":
        # GPU Feature Discovery counts slices then, a provider its GPUs.
        allowed.add(count * sum(sharing.profiles.values()))
    for key, value in _labelled(at, "count"):
        if value not in map(str, allowed):
            yield at.error(
                ("labels", key),
                f"label {key} counts {value} GPUs, gpu.count {count}",
                "slots, host shares and quotas are counted with gpu.count",
                f"write count: {value}, or correct the label",
            )


def memory_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a label with another GPU memory."""
    sizes = {
        at.model.memory,
        *(
            device_option.memory
            for device_option in at.device_options()
            if device_option.kind == "mig"
        ),
    }
    for key, value in _labelled(at, "memory"):
        stated = read_whole(value)
        if stated is None or key.startswith("gpu.nvidia.com/"):  # CoreWeave's is in GB
            continue
        if all(abs(size // MIB - stated) * 100 > NEAR * stated for size in sizes):
            yield at.error(
                ("labels", key),
                f"label {key} says {value}Mi, {at.model.name} has {at.model.memory // MIB}Mi",
                "a GPU that counts as a larger one gets weights that do not fit",
                f"name the model with {value}Mi in gpu.model, or correct the label",
            )


def generation_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a label with another generation or compute capability."""
    keys = hardware.labellers()["gfd"].keys
    capability = at.model.compute_capability or (None, None)
    expected = {
        keys["family"]: at.model.family,
        keys["compute-major"]: capability[0],
        keys["compute-minor"]: capability[1],
    }
    for key, expected_value in expected.items():
        value = at.pool.labels.get(key)
        if value is not None and expected_value is not None and value != str(expected_value):
            yield at.error(
                ("labels", key),
                f"label {key} says {value}, {at.model.name} is {expected_value}",
                "kernels that are built for another generation do not start",
                "correct gpu.model or the label",
            )


def model_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield model labels of which none has the pool's model: a pod for this model is bound to a
    label that the pool lacks."""
    labeller = guessed(at.spec, at.pool, at.model)
    if labeller is not None:
        yield at.note(
            ("labels",),
            f"none of its labels names the GPU: pods select {labeller.product}",
            f"{labeller.title} sets it; where nodes lack it, the pods stay Pending",
            f"add {labeller.product} if its nodes have it, else name the label that does as `modelLabel`",
        )


def zone_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield a label of one zone in a pool of another zone, or of several zones."""
    zones, value = at.pool.zones, at.pool.labels.get(ZONE)
    if value is None:
        return
    if not zones:
        yield at.note(
            ("labels", ZONE),
            f"its label says zone {value}, but `zones` is empty",
            "replicas are spread over the zones in `zones`",
            f"write zones: [{value}]",
        )
    elif zones != (value,):
        yield at.error(
            ("labels", ZONE),
            f"label {ZONE} says {value}, zones {', '.join(zones)}",
            "`labels` are those of every node of the pool",
            "delete the label, or make a pool for each zone",
        )


def capacity_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield an on-demand label on the nodes of a spot pool."""
    if at.pool.capacity != "spot":
        return
    for key, spot in hardware.SPOT_LABELS.items():
        value = at.pool.labels.get(key)
        if value is not None and value.lower() not in (spot.lower(), "preemptible"):
            yield at.error(
                ("labels", key),
                f"label {key} says {value}, the pool's capacity is spot",
                "this keeps workloads that must not be interrupted off spot pools",
                "write capacity: on-demand, or correct the label",
            )


def provider_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield labels of another provider than the profile's."""
    provider = at.spec.provider
    for key in at.pool.labels:
        domain = hardware.label_domain(key)
        if domain is None or not domain.providers or provider in domain.providers:
            continue
        whose = domain.providers[0]
        fix = f"write provider: {whose}"
        title = "another cloud" if whose == "none" else hardware.provider(whose).title
        message = f"label {key} belongs to {title}, but the provider is {provider}"
        why = "the provider decides the labels, taints and tolerations that a pool leaves out"
        if hardware.provider(provider).anywhere:
            yield at.note(("labels", key), message, why, fix)
        else:
            yield at.error(("labels", key), message, why, f"{fix}, or delete the label")
        return


def sharing_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield GPU Feature Discovery's labels of another sharing. The product label is checked by a
    rule of the spec."""
    keys, sharing = hardware.labellers()["gfd"].keys, at.pool.sharing
    mig = sharing is not None and sharing.mode == "mig"
    expected: dict[str, tuple[str, ...]] = {
        keys["replicas"]: ("0", "1") if mig else ("1",),
        keys["sharing"]: ("none",),
    }
    if sharing is not None and mig:
        expected[keys["mig-strategy"]] = (sharing.strategy,)
        expected[keys["mig-capable"]] = ("true",)
    elif sharing is not None:
        expected[keys["replicas"]] = (str(sharing.replicas),)
        expected[keys["sharing"]] = (sharing.mode,)
    for key, expected_values in expected.items():
        value = at.pool.labels.get(key)
        if value is not None and value not in expected_values:
            yield at.error(
                ("labels", key),
                f"label {key} says {value}, the pool's sharing means {' or '.join(expected_values)}",
                "a pod that needs a whole GPU gets a share that counts as a GPU",
                "correct `sharing` or the label",
            )


def layout_label(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield the name of a shipped MIG layout in a pool with another layout."""
    key = hardware.labellers()["gfd"].keys["mig-config"]
    value = at.pool.labels.get(key, "")
    sharing = at.pool.sharing
    profiles = sharing.profiles if sharing is not None and sharing.mode == "mig" else {}
    mig_profile = at.model.profile(hardware.mig_resource(value.removeprefix("all-")))
    wrong = (
        bool(profiles)
        if value == "all-disabled"
        else bool(mig_profile) and list(profiles) != [mig_profile.name if mig_profile else ""]
    )
    if wrong:
        cut = ", ".join(f"{count} × {name}" for name, count in profiles.items()) or "whole GPUs"
        yield at.error(
            ("labels", key),
            f"label {key} selects the layout {value}, but the pool says {cut}",
            "the MIG manager cuts the GPUs of a node as this label says",
            "correct `sharing`, or the name of the layout",
        )


def _labelled(at: PoolAt, fact: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values of the labels with a fact about the pool's GPUs, of every labeller."""
    keys = dict.fromkeys(
        labeller.keys[fact]
        for labeller in hardware.labellers().values()
        if fact in labeller.keys and labeller.vendor == at.model.vendor == "nvidia"
    )
    for key in keys:
        if key in at.pool.labels:
            yield key, at.pool.labels[key]
