"""A user other than root, and a claim whose folder belongs to root."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import is_non_root, is_writable, mounted, uid_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU621",
    "volume-of-root",
    "warning",
    "A non-root container writes to a volume owned by root, and `fsGroup` is not set",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield writable claims whose group nothing sets, and to which no container as root can give
    access."""
    if not is_whole(pod) or pod.security.get("fsGroup") is not None:
        return
    if context.assigns_user or any(_prepares(pod, container) for container in pod.every):
        return
    for container in pod.containers:
        mount = next(
            (
                mount_path
                for mount_path in container.mounts
                if _is_written(pod, container, mount_path)
            ),
            None,
        )
        # Without a number the user may be one that OpenShift picks, with a group that fits.
        if mount is None or not (uid := uid_of(pod, container)):
            continue
        at = pod.path("securityContext", "fsGroup")
        yield RawFinding(
            at,
            f"the container runs as user {uid}, but the claim at `{mount}` belongs to root with "
            "most storage drivers: writes fail unless `fsGroup` is set",
            note="set `fsGroup`, unless all users may write to the storage, as on some NFS servers",
            confidence="likely",
            fix=Fix(f"set `fsGroup` to {uid}", (Put(at, uid),)),
        )
        return


def _is_written(pod: Pod, container: PodContainer, mount: str) -> bool:
    volume = mounted(pod, container, mount)
    claimed = volume is not None and "persistentVolumeClaim" in volume
    return claimed and is_writable(pod, container, mount)


def _prepares(pod: Pod, container: PodContainer) -> bool:
    """Return whether an init container may change who owns a volume."""
    return container.stage == "init" and bool(container.mounts) and not is_non_root(pod, container)
