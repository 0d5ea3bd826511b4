"""A server that downloads its weights at every start."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import lasting_mounts, mount_of, mounted
from gpuspec.lint.analysis.serving.hub import downloads, hub_folder
from gpuspec.lint.analysis.serving.servers import loads_on_request, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scale import scale_of
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU905",
    "weights-downloaded-each-start",
    "warning",
    "Each replica downloads the weights at every start",
)

_FROM_ELSEWHERE = ("dummy", "remote", "remote_instance", "tensorizer")
"""Formats whose weights are made up, or come from a place that another option names."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers with a model of a hub, and no volume that outlives the pod."""
    if pod.life == "finite" or not is_whole(pod):
        return
    for gpu_container in pod.gpu_containers:
        server = server_of(gpu_container) if gpu_container.stage == "main" else None
        # What is only read may hold the model, by whatever name the server is told of it.
        if server is None or lasting_mounts(pod, gpu_container):
            continue
        if loads_on_request(server):
            folder = hub_folder(gpu_container, server)
            yield RawFinding(
                gpu_container.path("image"),
                f"{server.title} stores models only inside the pod, because no "
                "persistent volume is mounted: a new pod has none of these models",
                note=None if folder is None else f"mount a claim at `{folder}`",
                severity="info",
                confidence="likely",
            )
            continue
        model = downloads(gpu_container, server)
        load_format = gpu_container.words.flag("--load-format")
        if model is None or (load_format is not None and load_format.value in _FROM_ELSEWHERE):
            continue
        scale = scale_of(pod, context.collection)
        several = not isinstance(scale, str) and (scale.most is None or scale.most > 1)
        quantity = context.facts.models.get(model.name.strip("`"))
        size = f" ({quantity})" if quantity is not None else ""
        who = "every replica" if several else "the server"
        # What an emptyDir holds is there after a restart of the container.
        when = "in each new pod" if _keeps_in_pod(pod, gpu_container, server) else "at each start"
        yield RawFinding(
            model.path,
            f"{who} downloads {model.name}{size} {when}, because no persistent volume is "
            "mounted: GPUs wait for the hub, and no replica starts while the hub is down",
            note="keep the weights on a claim that all replicas mount, in an image volume, or on the "
            "node, and point the cache folder at that path",
            severity=None if several else "info",
            confidence="certain" if several else "likely",
        )


def _keeps_in_pod(pod: Pod, container: PodContainer, server: Runtime) -> bool:
    """Return whether downloads land in an emptyDir."""
    folder = hub_folder(container, server)
    mount = mount_of(container, folder) if folder is not None else None
    volume = mounted(pod, container, mount) if mount is not None else None
    return volume is not None and "emptyDir" in volume
