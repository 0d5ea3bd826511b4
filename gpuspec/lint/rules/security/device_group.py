"""A user other than root, and device files that belong to a group."""

from collections.abc import Iterator

from gpuspec.hardware import pod_needs, resource
from gpuspec.lint.analysis.security.users import is_non_root, mounted, uid_of
from gpuspec.lint.analysis.sharing.sharing import lands
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import asks_alone

RULE = Rule(
    "GPU622",
    "device-group",
    "warning",
    "A non-root container is not in the `render` group that may open its devices",
)
_FOLDER = "/dev/dri"
_COMPUTE = "/dev/kfd"
_WORDS = {"dri": _FOLDER, "kfd": _COMPUTE}
"""Words in the names of resources that generic device plugins are usually configured with."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield devices of a plugin, of which there is one for any file, and those of the node's own
    folder."""
    if not asks_alone(pod) or pod.security.get("supplementalGroups") or _are_open(pod, context):
        return
    for container in pod.containers:
        files = [
            device_file
            for device_file in (_COMPUTE, _FOLDER)
            if device_file in {*_files(pod, container)}
        ]
        run_as_group = container.security.get("runAsGroup", pod.security.get("runAsGroup"))
        uid = uid_of(pod, container)
        # A group other than the user's own may be the devices'.
        if (
            not files
            or not is_non_root(pod, container)
            or (run_as_group is not None and run_as_group not in (uid, 0))
        ):
            continue
        file_list = " and ".join(f"`{file}`" for file in files)
        finds = (
            "ROCm finds no GPU"
            if _COMPUTE in files
            else "the container finds no GPU, or runs on the CPU"
        )
        yield RawFinding(
            pod.path("securityContext", "supplementalGroups"),
            "the container runs as "
            f"{'a user other than root' if uid is None else f'user {uid}'}, but only the groups "
            f"`render` and `video` can open {file_list}: {finds}",
            note="set `supplementalGroups` to the groups' numbers on the nodes, often 44 for `video` "
            "and 109 or 992 for `render` (`getent group render video`)",
            confidence="likely",
        )
        return


def _are_open(pod: Pod, context: Context) -> bool:
    """Return whether the profile allows access to the device files in all pools for the pod."""
    groups_of_pools = [
        pool.pool.gpu.groups for pool in (lands(pod, context) if context.cluster else ())
    ]
    group = pod.security.get("fsGroup")
    return bool(groups_of_pools) and all(
        groups is not None and (not groups or group in groups) for groups in groups_of_pools
    )


def _files(pod: Pod, container: PodContainer) -> Iterator[str]:
    """Yield the device files, or their folder, that a container is given."""
    for name in dict.fromkeys((*container.limits, *container.requests)):
        if isinstance(name, str) and "/" in name:
            device_resource = resource(name)
            words = name.rpartition("/")[2].replace("_", "-").split("-")
            files = pod_needs(device_resource.vendor).files if device_resource else None
            if device_resource is None:
                yield from _named(words)
            elif files is not None:
                yield from files.names
    for mount in container.mounts:
        path = text(mapping(mapping(mounted(pod, container, mount)).get("hostPath")).get("path"))
        yield from (value for value in _WORDS.values() if f"{path}/".startswith(f"{value}/"))


def _named(words: list[str]) -> Iterator[str]:
    return (_WORDS[word] for word in words if word in _WORDS)
