"""A mount below `/root`, in a container of another user."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import uid_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU623",
    "mount-behind-root",
    "warning",
    "A volume is mounted in root's home, which the container's user cannot enter",
)
_HOME = "/root"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers whose user is written, is not root, and has a mount below `/root`."""
    for container in pod.every:
        uid = uid_of(pod, container)
        if not uid or _HOME in container.mounts:
            continue
        for mount, (index, _) in container.mounts.items():
            if mount.startswith(f"{_HOME}/"):
                yield RawFinding(
                    container.path("volumeMounts", index, "mountPath"),
                    f"`{_HOME}` is accessible only to root in nearly all images: user {uid} "
                    f"cannot reach the volume at `{mount}`",
                    note="mount the volume outside `/root`, and set `HF_HOME` (for the cache of "
                    "Hugging Face) or `HOME` to the new path",
                    confidence="likely",
                )
