"""A `/dev/shm` too small for the processes that meet in it."""

from collections.abc import Iterator

from gpuspec.lint.analysis.serving.shm import SHM, enough, is_sample, ranks, shm_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU902",
    "shm-too-small",
    "warning",
    "`/dev/shm` is too small for its processes",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield memory-backed volumes with a limit that several processes share."""
    for container in pod.containers:
        shm = shm_of(pod, container) if container.gpus > 1 else None
        if shm is None or shm.kind != "memory" or shm.size is None or is_sample(container):
            continue
        count = ranks(container)
        if count < 2:
            continue
        needed, is_known = enough(container, count)
        # What is assumed has room to spare.
        least = needed.int_value if is_known else needed.int_value // 2
        if shm.size.int_value >= least:
            continue
        path = (*shm.path, "emptyDir", "sizeLimit")
        yield RawFinding(
            path,
            f"`{SHM}` of {shm.size} is too small for {count} processes, which need about "
            f"{needed}: they fail with `no space left on device`, at the latest after a crash "
            "has left segments behind",
            fix=set_field(path, str(needed)),
            confidence="likely" if is_known else "possible",
        )
