"""The TPU slice of a workload's pods: which slice it is, and that no other workload uses it.

A slice's chips are connected only to each other, so its pods are one program: one pod on each host,
with all of the host's chips. On GKE a slice is a node pool, whose name distinguishes two slices.
"""

from gpuspec import hardware
from gpuspec.enumeration import counted
from gpuspec.hardware import GpuModel, TpuSlice
from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_profile, from_spec
from gpuspec.plan.devices import maker
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec, Pool, WorkloadSpec, slice_of
from gpuspec.spec.pool_models import TPU, TPU_TOPOLOGY
from gpuspec.spec.rules.slices import NODE_POOL
from gpuspec.spec.together import pods_together

TOPOLOGY, ACCELERATOR = TPU_TOPOLOGY, "cloud.google.com/gke-tpu-accelerator"
_SPEC: Path = ("spec", "gpu", "topology")
# GKE's manual has containers raise their limit to so much before they open the chips.
_LOCKED = 68_719_476_736


def is_sliced(resolution: Resolution) -> bool:
    """Return whether the pods have TPU chips."""
    return maker(resolution) == TPU


def slice_(resolution: Resolution) -> TpuSlice | None:
    """Return the slice that the pods fill, or of which they use one host; None if it is unknown."""
    if not is_sliced(resolution):
        return None
    if resolution.pools and (tpu_slice := slice_of(resolution.pools[0].pool)) is not None:
        return tpu_slice
    topology = resolution.spec.gpu.topology
    if topology is not None:
        return TpuSlice(topology, resolution.workers, resolution.gpus)
    ways = () if resolution.pools else _ways(resolution)
    return TpuSlice(ways[0], resolution.workers, resolution.gpus) if len(ways) == 1 else None


def hosts(resolution: Resolution) -> int:
    """Return the number of the slice's hosts; 1 for pods on no slice."""
    tpu_slice = slice_(resolution)
    return tpu_slice.hosts if tpu_slice else 1


def selector(resolution: Resolution) -> Decision | None:
    """Return GKE's label of the topology. Its autoscaler reads the label only in nodeSelector.

    Source: GoogleCloudPlatform/cluster-autoscaler pkg/autoprovisioning/tpu_requests.go at
    7d2505073.
    """
    tpu_slice = slice_(resolution)
    if tpu_slice is None:
        return None
    words = f"all of a slice {tpu_slice.topology}: {_hosts(tpu_slice)}"
    if resolution.spec.gpu.topology is not None:
        return from_spec(_SPEC, tpu_slice.topology, words)
    if resolution.pools:
        return from_profile(resolution.pools[0].path("gpu"), tpu_slice.topology, words)
    return derived("tpu-slice", tpu_slice.topology, f"{words}, which has only this arrangement")


def misfit(spec: WorkloadSpec, pool: Pool, model: GpuModel) -> str | None:
    """Return why the pods of a workload do not fill a slice of the pool, or None if they do."""
    tpu_slice, topology = slice_of(pool), spec.gpu.topology
    if model.vendor != TPU or tpu_slice is None:
        return None if topology is None or model.vendor == TPU else "it has no TPU slices"
    if topology not in (None, tpu_slice.topology):
        return f"its slices are {tpu_slice.topology}, but the spec requests {topology}"
    pods = pods_together(spec)
    if tpu_slice.hosts > 1 and (pods, spec.gpu.count) != (tpu_slice.hosts, tpu_slice.chips):
        return (
            f"its slice {tpu_slice.topology} is {_hosts(tpu_slice)}, all or none, but the workload "
            f"has {counted(pods, 'pod')} with {counted(spec.gpu.count, 'chip')}"
        )
    if tpu_slice.hosts == 1 and pods > 1:
        return (
            f"its slices {tpu_slice.topology} have one host each, but {pods} pods that work "
            "together need one slice"
        )
    return None


def disagreement(first: Pool, pool: Pool) -> str | None:
    """Return why one pod cannot be for both pools: one label has the topology."""
    tpu_slice, two = slice_of(first), slice_of(pool)
    if tpu_slice == two or two is None:
        return None
    return f"its slices are {two.topology}, the first choice's {tpu_slice.topology if tpu_slice else 'not told'}"


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for an unknown slice, and for a server on several hosts of one."""
    place = resolution.workload.place(("spec", "gpu"))
    has_choice = bool(resolution.pools or resolution.models)
    if not has_choice and (is_sliced(resolution) or resolution.spec.gpu.topology is not None):
        text = "neither the spec nor the profile says which TPU it runs on"
        return [RefusalReason(text, place, "name the model in gpu.models, such as TPU-v6e")]
    if not is_sliced(resolution):
        return []
    if isinstance(resolution.spec, InferenceSpec) and resolution.workers > 1:
        nodes = resolution.workload.place(("spec", "nodes"))
        text = "a server on several hosts of a TPU slice is not supported"
        return [RefusalReason(text, nodes, "serve on the chips of one host: delete `nodes`")]
    if resolution.pools or resolution.spec.gpu.topology is not None:
        return []
    ways = _ways(resolution)
    requested = f"{counted(resolution.workers, 'host')} with {counted(resolution.gpus, 'chip')}"
    if len(ways) > 1:
        choices = " or ".join(ways)
        return [
            RefusalReason(f"{requested} can be a slice {choices}", place, "say which: gpu.topology")
        ]
    if not ways:
        table = hardware.slices_of(resolution.models[0])
        known_topologies = (
            ", ".join(dict.fromkeys(tpu_slice.topology for tpu_slice in table.named))
            if table
            else ""
        )
        text = f"there is no slice of {resolution.models[0].name} of {requested}"
        hint = f"there are {known_topologies}{' and larger ones' if table and table.cubes else ''}"
        return [RefusalReason(text, place, hint if known_topologies else "say which: gpu.topology")]
    return []


def unnumbered(resolution: Resolution, target: Target) -> list[RefusalReason]:
    """Return a refusal for a target whose pods do not learn their host's number in the slice from
    GKE."""
    if hosts(resolution) == 1 or target.numbered:
        return []
    text = (
        f"the pods of target {target.name} do not learn which host of their TPU slice they are: "
        "GKE numbers those of Jobs and JobSets"
    )
    return [RefusalReason(text)]


def together(resolution: Resolution, which: dict[str, str]) -> Decision | None:
    """Return pod affinity that keeps the pods on one slice; None if they are on one anyway.

    `which` are labels of the run's pods. Required, unlike that of workers on a fabric: chips of two
    slices are not connected.
    """
    if hosts(resolution) == 1:
        return None
    term = {"labelSelector": {"matchLabels": which}, "topologyKey": NODE_POOL}
    reason = f"the chips of one slice are connected: all {resolution.together} on one node pool"
    return derived("tpu-slice", [term], reason)


def apart(resolution: Resolution, key: str, name: str) -> Decision | None:
    """Return pod anti-affinity that excludes another run's pods from the slice; None for a slice of
    one host."""
    if hosts(resolution) == 1:
        return None
    others = [
        {"key": key, "operator": "Exists"},
        {"key": key, "operator": "NotIn", "values": [name]},
    ]
    term = {
        "labelSelector": {"matchExpressions": others},
        "namespaceSelector": {},
        "topologyKey": NODE_POOL,
    }
    reason = "two runs with part of a slice each would wait for the rest forever"
    return derived("tpu-slice", [term], reason)


def notes(resolution: Resolution) -> list[Note]:
    """Return notes on a slice: who numbers its pods, and the driver's needs on the node."""
    if not is_sliced(resolution):
        return []
    slice_notes: list[Note] = []
    topology = resolution.spec.gpu.topology
    unknown = topology is not None and not any(
        table.on(topology) for model in resolution.models if (table := hardware.slices_of(model))
    )
    if (
        unknown
        and not resolution.pools
        and any(hardware.slices_of(model) for model in resolution.models)
    ):
        names = " or ".join(model.name for model in resolution.models)
        text = (
            f"gpuspec knows no slice {topology} of {names}: if GKE has none, the pods stay Pending"
        )
        slice_notes.append(Note(text, Origin("spec", _SPEC), loud=True))
    if hosts(resolution) > 1:
        text = (
            "GKE tells each pod which host of the slice it is (TPU_WORKER_ID, TPU_WORKER_HOSTNAMES)"
        )
        slice_notes.append(Note(text, Origin("table", row="hardware/slices")))
    waivers = resolution.spec.waivers
    if waivers.privileged is None and waivers.capabilities is None:
        text = (
            "the TPU driver locks memory. By GKE's manual, unprivileged containers raise "
            f"their limit (ulimit -l {_LOCKED}), which needs root and SYS_RESOURCE: these "
            "pods depend on the node's limit"
        )
        slice_notes.append(Note(text, Origin("table", row="hardware/vendors tpu"), loud=True))
    return slice_notes


def _ways(resolution: Resolution) -> tuple[str, ...]:
    table = hardware.slices_of(resolution.models[0]) if resolution.models else None
    return () if table is None else table.of(resolution.workers, resolution.gpus)


def _hosts(of: TpuSlice) -> str:
    return f"{counted(of.hosts, 'host')} with {counted(of.chips, 'chip')} each"
