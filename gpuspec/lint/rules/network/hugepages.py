"""Huge pages that a container cannot have, or that its fabric wants."""

from collections.abc import Iterator

from gpuspec.hardware import pod_needs
from gpuspec.lint.analysis.devices.makers import maker
from gpuspec.lint.analysis.placement.fabrics import fabric_devices, fabric_pools
from gpuspec.lint.analysis.sharing.sharing import lands
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU913",
    "hugepages",
    "error",
    "Huge pages are missing, or requested in a way that is rejected",
    fix="both",
)
_PREFIX = "hugepages-"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield amounts that the API server rejects, and volumes that the kubelet cannot mount; with a
    profile, also missing pages that its fabric needs."""
    yield from _volumes(pod)
    for gpu_container in pod.gpu_containers:
        names = [
            name
            for name in (*gpu_container.limits, *gpu_container.requests)
            if str(name).startswith(_PREFIX)
        ]
        if names:
            yield from _refused(gpu_container, names[0])
            continue
        yield from _of_driver(pod, gpu_container, context)
        pools = fabric_pools(pod, context)
        pages = pools[0].pool.rdma.hugepages if pools and pools[0].pool.rdma else None
        devices = {} if pages is None else fabric_devices(gpu_container, context)
        if devices:
            yield RawFinding(
                gpu_container.path(gpu_container.resources_at, "limits", "hugepages-2Mi"),
                f"the fabric of pool `{pools[0].pool.name}` needs {pages} of `hugepages-2Mi` for "
                f"a node's GPUs, but the container requests none next to `{next(iter(devices))}`: "
                "the fabric's library falls back to small pages",
                note=f"set `hugepages-2Mi: {pages}` in `requests` and `limits`, for a container with all GPUs of a node",
                severity="info",
            )


def _volumes(pod: Pod) -> Iterator[RawFinding]:
    """Yield volumes of huge pages against the pages that the pod's containers request."""
    names = {
        str(name)
        for container in pod.every
        for name in (*container.limits, *container.requests)
        if str(name).startswith(_PREFIX)
    }
    for index, volume in pod.volumes.values():
        medium = text(mapping(volume.get("emptyDir")).get("medium"))
        resource = medium.replace("HugePages", "hugepages") if medium != "HugePages" else None
        if not medium.startswith("HugePages") or not is_whole(pod):
            continue
        if not names or (resource is not None and resource not in names):
            fault = f"no container requests {f'`{resource}`' if resource else 'huge pages'}"
            note = f"set `{resource or 'hugepages-2Mi'}` in `limits` of a container"
        elif resource is None and len(names) > 1:
            fault = "the pod requests pages of several sizes, and `medium` names none"
            note = f"write the size: `HugePages-{min(names).removeprefix(_PREFIX)}`"
        else:
            continue
        yield RawFinding(
            pod.path("volumes", index, "emptyDir", "medium"),
            f"{fault}: the kubelet does not mount volume `{volume.get('name')}`, and the pod stays in "
            "`ContainerCreating`",
            note=note,
            severity="warning",
        )


def _of_driver(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    """Yield accelerators whose driver needs huge pages, which the profile's nodes have."""
    needed = pod_needs(maker(container)).hugepages
    pools = [land.pool for land in lands(pod, context)] if needed and context.cluster else []
    if not pools or any(pool.gpu.hugepages is None for pool in pools):
        return
    yield RawFinding(
        container.path(container.resources_at, "limits", "hugepages-2Mi"),
        f"nodes of pool `{pools[0].name}` have {pools[0].gpu.hugepages} of `hugepages-2Mi` for "
        "their accelerators' driver, but the container requests none next to "
        f"`{container.devices[0].name}`: the driver falls back to small pages",
        note="set `hugepages-2Mi` in `requests` and `limits` of the container",
        severity="info",
    )


def _refused(container: PodContainer, name: str) -> Iterator[RawFinding]:
    limit, request = container.limits.get(name), container.requests.get(name)
    at = container.path(container.resources_at, "limits", name)
    if limit is None:
        yield RawFinding(
            container.path(container.resources_at, "requests", name),
            f"`{name}` has a request but no limit: the API server rejects the pod, since "
            "huge pages cannot be overcommitted",
            fix=set_field(at, request, safe=True),
            key=True,
        )
    elif request is not None and quantity(request) != quantity(limit):
        if quantity(request) is not None and quantity(limit) is not None:
            yield RawFinding(
                container.path(container.resources_at, "requests", name),
                f"`{name}` has a request of {request} and a limit of {limit}: the API server "
                "rejects the pod, since huge pages cannot be overcommitted",
                fix=set_field(container.path(container.resources_at, "requests", name), limit),
            )
    elif not {"cpu", "memory"} & {*container.limits, *container.requests}:
        yield RawFinding(
            at,
            f"`{name}` is requested without CPU or memory: the API server rejects the pod "
            "(HugePages require cpu or memory)",
            note="request both, such as the share of the node that belongs to the GPU",
            key=True,
        )
