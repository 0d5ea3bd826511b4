"""Several GPUs, or data loaders, and 64 MiB of shared memory."""

from collections import Counter
from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library
from gpuspec.lint.analysis.reading.kustomizations import may_be_patched
from gpuspec.lint.analysis.serving.agents import only_waits
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.analysis.serving.shm import (
    SHM,
    enough,
    goes_around,
    is_given,
    is_sample,
    mpi_ranks,
    ranks,
    shm_of,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU901",
    "shm-absent",
    "warning",
    "Processes that communicate through `/dev/shm` have only 64 MiB of it",
    fix="unsafe",
)
_LOADERS = ("--num-workers", "--dataloader-num-workers", "--num-data-workers")
_DISABLED = "NCCL_SHM_DISABLE"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with GPUs and nothing mounted at `/dev/shm`."""
    volumes = pod.path("volumes")[len(pod.object.base) :]
    if is_given(pod) or may_be_patched(pod.object, volumes, context.collection):
        return
    for container in pod.containers:
        if not container.devices or shm_of(pod, container) is not None:
            continue
        if (
            goes_around(container)
            or only_waits(container)
            or (is_sample(container) and mpi_ranks(container) == 1)
        ):
            continue
        # Their collectives go through the devices' own links.
        if any(device.what.vendor in ("tpu", "neuron", "gaudi") for device in container.devices):
            continue
        yield from _found(pod, container)


def _found(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    at, fix = container.path("volumeMounts"), _fix(pod, container)
    meeting, gpus = ranks(container), _of_one_vendor(container)
    disabled = (container.env_value(_DISABLED) or "0") not in ("", "0")
    if meeting > 1 and not disabled:
        server = server_of(container)
        yield RawFinding(
            at,
            f"{meeting} processes of {server.title if server else 'this container'} communicate "
            f"through `{SHM}`, which has 64 MiB unless a volume is mounted there: they can fail "
            f"with a bus error, or {library(container)} with `no space left on device`",
            fix=fix,
            confidence="likely",
        )
    elif gpus > 1 and _may_meet(container):
        name = library(container)
        hidden = f"; `{_DISABLED}` only hides the fault, and slows down {name}" if disabled else ""
        yield RawFinding(
            at,
            f"`{SHM}` has only 64 MiB for {gpus} GPUs in one container: {name} and data loaders "
            f"can fail with `no space left on device` or a bus error{hidden}",
            fix=fix,
            confidence="likely" if disabled else "possible",
        )
    else:
        flag = container.words.flag(*_LOADERS)
        if flag is not None and flag.number:
            yield RawFinding(
                at,
                f"`{flag.name}` starts {flag.number} data loaders, which pass batches through `{SHM}`: "
                "it has 64 MiB unless a volume is mounted there, and training can fail with a bus "
                "error",
                fix=fix,
                confidence="likely",
            )


def _of_one_vendor(container: PodContainer) -> int:
    """Return the most GPUs that can talk to each other: one vendor's never do to another's."""
    counts: Counter[str] = Counter()
    for device in container.devices:
        counts[device.what.vendor] += device.count or 0
    return max(counts.values(), default=0)


def _may_meet(container: PodContainer) -> bool:
    """Return whether processes on its devices can work together. Slices and shares cannot; another
    rule reports several of them."""
    return any(device.what.kind == "device" for device in container.devices)


def _fix(pod: Pod, container: PodContainer) -> Fix:
    size = str(enough(container, max(container.gpus, 1))[0])
    name = next(name for name in ("dshm", "dev-shm", "gpu-shm", "shm-1") if name not in pod.volumes)
    volume = {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": size}}
    volumes, mounts = items(pod.spec.get("volumes")), items(container.value.get("volumeMounts"))
    return Fix(
        f"mount a memory-backed volume at {SHM} (part of the memory limit)",
        (
            Put(pod.path("volumes", len(volumes)), volume),
            Put(container.path("volumeMounts", len(mounts)), {"name": name, "mountPath": SHM}),
        ),
    )
