"""A pod without the RuntimeClass that the nodes' GPU pods need."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.placing import names, reached, wanted_devices
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU211",
    "no-runtime-class",
    "error",
    "A GPU pod lacks the RuntimeClass that its nodes require",
    fix="safe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield where every pool that the pod can go to names a class, and the pod has none."""
    if not wanted_devices(pod) or not is_whole(pod) or pod.spec.get("runtimeClassName"):
        return
    pools = reached(pod, context)
    needed = {pool.pool.runtime_class for pool in pools}
    if not pools or None in needed:
        return
    first = str(pools[0].pool.runtime_class)
    yield RawFinding(
        pod.path("runtimeClassName"),
        f"no `runtimeClassName`, but GPU pods on {names([pool.pool.name for pool in pools])} "
        f"need `{first}`: the container gets a device without the driver",
        fix=Fix(
            f"set it to `{first}`", (Put(pod.path("runtimeClassName"), first),), len(needed) == 1
        ),
    )
