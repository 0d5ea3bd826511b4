"""An image is built with a CUDA that the nodes' driver is too old for."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.drivers import drivers_of
from gpuspec.lint.analysis.devices.makers import NVIDIA, maker
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.products import build_of, is_older

RULE = Rule(
    "GPU852",
    "driver-too-old",
    "warning",
    "An image's CUDA version needs a newer driver than the nodes have",
    gives_way=("GPU425", "GPU849"),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with NVIDIA's GPUs, where every driver that the pod may meet is too old."""
    for gpu_container in pod.gpu_containers:
        build = build_of(gpu_container.image)
        if build is None or maker(gpu_container) != NVIDIA:
            continue
        drivers = drivers_of(pod, context)
        if not drivers or not all(is_older(driver.version, build.driver) for driver in drivers):
            continue
        first = drivers[0]
        yield RawFinding(
            gpu_container.path("image"),
            f"the image is built with CUDA {build.cuda}, which needs driver {build.driver}, but "
            f"{first.who} {first.version}: the container does not start, or CUDA fails in it",
            note=(
                "use an image with an older CUDA, or install a newer driver: an image's "
                "forward-compatibility libraries help only on data center GPUs"
            ),
            confidence="likely",
            related=() if first.related is None else (first.related,),
        )
