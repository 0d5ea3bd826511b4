"""A network that a pod asks for and is not attached to."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU914",
    "network-not-attached",
    "warning",
    "A pod asks for a network's device and is not attached to the network",
)
_DEVICE = "networking.gke.io.networks/"
_INTERFACES = "networking.gke.io/interfaces"


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """GKE's further networks: the resource and the annotation say the same."""
    if not is_whole(pod) or pod.spec.get("hostNetwork") is True or pod.metadata_path is None:
        return
    attached = _attached(pod)
    if attached is None:
        return
    for one in pod.gpu_containers:
        missing = [
            name
            for name in one.limits
            if isinstance(name, str)
            and name.startswith(_DEVICE)
            and name.removeprefix(_DEVICE).removesuffix(".IP") not in attached
        ]
        if missing:
            named = ", ".join(f"`{name.removeprefix(_DEVICE)}`" for name in missing)
            yield Found(
                one.path(one.resources_at, "limits", missing[0]),
                f"the annotation `{_INTERFACES}` attaches the pod to none of {named}, which it asks "
                "for: it has no such interface, and NCCL goes over the pod network",
                note=f'write `{_INTERFACES}: \'[{{"interfaceName":"eth1","network":"…"}}]\'` with '
                "every network, and `networking.gke.io/default-interface: eth0`",
                key=True,
                confidence="likely",
            )


def _attached(pod: Pod) -> set[str] | None:
    """Networks of the annotation; None where it cannot be read."""
    written = pod.annotations.get(_INTERFACES)
    if written is None:
        return set()
    import json

    try:
        rows = json.loads(text(written))
    except ValueError:
        return None
    return {text(mapping(row).get("network")) for row in items(rows)}
