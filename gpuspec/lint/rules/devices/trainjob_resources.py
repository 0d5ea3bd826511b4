"""Resources of a TrainJob that take the place of its runtime's, or are counted without them."""

import re
from collections.abc import Iterator
from typing import Any

from gpuspec import hardware
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.analysis.reading.releases import installed_version
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.runtimes import GROUP, NODE, STEP, runtime_of
from gpuspec.settings.versions import allows

RULE = Rule(
    "GPU738",
    "trainjob-resources",
    "warning",
    "A TrainJob's `resourcesPerNode` omits its runtime's devices, or no container requests any",
)
_NCCL = re.compile(r"(?:^|[^a-z0-9])nccl(?:$|[^a-z0-9_])")
"""A word of a command line that names the backend, not a variable such as NCCL_DEBUG."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield TrainJobs whose runtime in the set has resources that the job's own replace."""
    owner = pod.object
    if not owner.is_a(GROUP, "TrainJob") or pod.base[-1:] != ("trainer",):
        return
    container = pod.containers[0] if pod.containers else None
    if container is None:
        return
    runtime = runtime_of(owner, context.collection)
    node = None if runtime is None else _node(runtime)
    if runtime is None or node is None:
        return
    if not any(_is_device(container, name) for name in _amounts(container)):
        yield from _none(container, runtime, node)
    if not container.resources:
        return
    if claims := items(node.resources.get("claims")):
        yield _unused(container, runtime, node, claims)
    runtime_devices = {name for name in (*node.limits, *node.requests) if _is_device(node, name)}
    missing = sorted(runtime_devices - {*container.limits, *container.requests})
    if missing:
        yield from _missing(container, runtime, node, missing, context)


def _none(container: PodContainer, runtime: Object, node: PodContainer) -> Iterator[RawFinding]:
    """Yield a finding if neither side requests a device, although one is intended for GPUs."""
    policy = mapping(runtime.spec.get("mlPolicy"))
    torch = mapping(policy.get("torch"))
    processes = container.value.get("numProcPerNode") or torch.get("numProcPerNode")
    if "torch" not in policy or processes == "cpu":
        return
    if any(_is_device(side, name) for side in (container, node) for name in _amounts(side)):
        return
    if items(node.resources.get("claims")) or items(container.resources.get("claims")):
        return
    sign = _sign(container, node)
    if sign is not None:
        yield RawFinding(
            container.path("resourcesPerNode"),
            f"neither `resourcesPerNode` nor runtime `{runtime.name}` requests a GPU, {sign}: "
            "the processes run on CPUs, or fail",
            note="request the GPUs of one node in `resourcesPerNode`, as requests and limits",
            related=(
                RelatedPlace(runtime.number, node.path("resources"), "the runtime's resources"),
            ),
            confidence="likely",
        )


def _sign(container: PodContainer, node: PodContainer) -> str | None:
    """Return the sign that the job is intended for GPUs, as the end of a clause."""
    backends = {word.text.lower() for part in (container, node) for word in part.words.all}
    if any("gloo" in word for word in backends):
        return None
    if any(_NCCL.search(word) for word in backends):
        return "although the backend is NCCL"
    image = text(container.value.get("image")) or node.image
    if "cuda" in image.lower():
        return "although the image is built with CUDA"
    maker = hardware.vendor(hardware.built_for(image) or "")
    return None if maker is None else f"although the image is built for {maker.title}"


def _amounts(container: PodContainer) -> tuple[str, ...]:
    return (*container.limits, *container.requests)


def _unused(
    container: PodContainer, runtime: Object, node: PodContainer, claims: list[Any]
) -> RawFinding:
    """Return a finding for claims in a job, because Trainer copies only requests and limits into
    the container."""
    claim_names = [text(mapping(claim).get("name")) for claim in claims]
    which = "claims" if len(claim_names) > 1 else "claim"
    return RawFinding(
        container.path("resourcesPerNode"),
        f"`resourcesPerNode` replaces the resources of runtime `{runtime.name}` and "
        f"drops its {which} {names(claim_names)}: the pod holds the devices, but no container "
        "can use them",
        note="remove `resourcesPerNode`: the runtime sets the claims, the CPU and the memory",
        related=(
            RelatedPlace(
                runtime.number, node.path("resources", "claims"), "the runtime's resources"
            ),
        ),
    )


def _missing(
    container: PodContainer,
    runtime: Object,
    node: PodContainer,
    missing: list[str],
    context: Context,
) -> Iterator[RawFinding]:
    version = installed_version("kubeflow-trainer", context)
    merges = None if version is None else allows(">=2.3", version)
    gpus = [name for name in missing if hardware.is_gpu_resource(name)]
    path = container.path("resourcesPerNode")
    related = (RelatedPlace(runtime.number, node.path("resources"), "the runtime's resources"),)
    replaced = (
        f"`resourcesPerNode` replaces the resources of runtime `{runtime.name}` and omits its "
        f"{names(missing)}: the pods run without these devices"
    )
    if merges is True:
        is_numbered = container.value.get("numProcPerNode") is not None
        if gpus and node.gpus > 1 and not is_numbered:
            yield RawFinding(
                path,
                f"`resourcesPerNode` has no `{gpus[0]}`, from which Trainer takes the number of "
                f"processes: only one process starts for the {node.gpus} GPUs of runtime "
                f"`{runtime.name}`",
                note="write the GPUs in `resourcesPerNode` too, or set `numProcPerNode`",
                related=related,
            )
    elif merges is False:
        yield RawFinding(
            path,
            replaced,
            note="write every resource of the runtime in `resourcesPerNode`, or remove the field",
            related=related,
        )
    else:
        yield RawFinding(
            path,
            f"before Trainer 2.3, {replaced}",
            note="write every resource of the runtime in `resourcesPerNode`, or list Trainer's version as `kubeflow-trainer` under `installed` in the profile",
            related=related,
            confidence="possible",
            severity="warning" if gpus else "info",
        )


def _node(runtime: Object) -> PodContainer | None:
    """Return the container that a runtime trains in."""
    inside = ("spec", "template", "spec", "replicatedJobs")
    for index, job in enumerate(items(at(runtime.value, inside))):
        labels = mapping(at(job, ("template", "metadata", "labels")))
        if labels.get(STEP) != "trainer":
            continue
        containers_path = (*inside, index, "template", "spec", "template", "spec", "containers")
        for place, value in enumerate(items(at(runtime.value, containers_path))):
            if isinstance(value, dict) and value.get("name") == NODE:
                return PodContainer(value, runtime.path(*containers_path, place), "main")
    return None


def _is_device(node: PodContainer, name: Any) -> bool:
    """Return whether a resource is an extended resource with an amount."""
    if not isinstance(name, str) or "/" not in name:
        return False
    amount = quantity(node.limits.get(name, node.requests.get(name)))
    return amount is not None and amount.value > 0
