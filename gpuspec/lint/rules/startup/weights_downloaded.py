"""A server that downloads its weights at every start."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.security.users import keeps_data, lasting_mounts, mount_of
from gpuspec.lint.subjects.serving.hub import downloads, hub_folder
from gpuspec.lint.subjects.serving.servers import loads_on_request, server_of
from gpuspec.objects.containers import Container
from gpuspec.objects.objects import Pod
from gpuspec.objects.scale import scale_of
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU905",
    "weights-downloaded-each-start",
    "warning",
    "Each replica downloads the weights at each of its starts",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Servers with a model of a hub, and no volume that outlives the pod."""
    if pod.life == "finite" or not is_whole(pod):
        return
    for one in pod.gpu_containers:
        server = server_of(one) if one.stage == "main" else None
        if server is None or keeps_data(pod, one) or _is_filled(pod, one, server):
            continue
        if loads_on_request(server):
            folder = hub_folder(one, server)
            yield Found(
                one.path("image"),
                f"{server.title} keeps the models that clients have it download in the pod, since "
                "nothing that it can write to outlives it: a new pod has none of them",
                note=None if folder is None else f"mount a claim at `{folder}`",
                severity="info",
                confidence="likely",
            )
            continue
        model = downloads(one, server)
        if model is None:
            continue
        scale = scale_of(pod, context.collection)
        several = not isinstance(scale, str) and (scale.most is None or scale.most > 1)
        known = context.facts.models.get(model.name.strip("`"))
        size = f" ({known})" if known is not None else ""
        who = "every replica" if several else "the server"
        yield Found(
            model.path,
            f"{who} downloads {model.name}{size} at each start, since nothing that it can write to "
            "outlives the pod: GPUs wait for the hub, and none starts while it is away",
            note="keep the weights on a claim that all replicas mount, in an image volume, or on "
            "the node, and point the cache at it",
            severity=None if several else "info",
            confidence="certain" if several else "likely",
        )


def _is_filled(pod: Pod, container: Container, server: Runtime) -> bool:
    """Whether its cache may lie on a volume that others fill, and that it cannot write to."""
    lasting = lasting_mounts(pod, container)
    folder = hub_folder(container, server)
    return bool(lasting) if folder is None else mount_of(container, folder) in lasting
