"""A server under a user that its image does not know, without a home that it can write."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.security.users import is_non_root, is_writable, mount_of, uid_of
from gpuspec.lint.analysis.serving.hub import hub_folder, hub_model
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU609",
    "no-writable-home",
    "warning",
    "A server's user cannot write to any folder for its caches",
)
_CACHE = "/.cache"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield model servers that are not root and whose caches were not moved."""
    if not is_whole(pod):
        return
    for container in pod.containers:
        server = server_of(container)
        if server is None or not is_non_root(pod, container):
            continue
        uid = uid_of(pod, container)
        who = "a user that may not be in the image" if uid is None else f"user {uid}"
        downloads = _roots_folder(container, server)
        if downloads is not None:
            yield _denied(container, server, who, downloads)
            continue
        writes = _writes(container, server)
        if writes is None or _has_home(pod, container, server, writes):
            continue
        if writes == _CACHE and _CACHE in container.mounts:
            yield RawFinding(
                container.path("env"),
                f"{server.title} runs as {who}, whose home is `/` unless the image defines "
                f"another: `{_CACHE}` is mounted there, but `/.config`, `/.triton` and `/.local` "
                "are not writable",
                note=("mount an emptyDir or a claim, and set `HOME` to its path"),
                severity="info",
                confidence="possible",
            )
            continue
        yield RawFinding(
            container.path("env"),
            f"{server.title} runs as {who}, without a writable home: `HOME` is `/` for users that "
            f"the image does not define, and {server.title} gets permission denied on `{writes}`",
            note="mount an emptyDir or a claim, and set `HOME` to its path"
            + (", and `USER`, which PyTorch needs for its cache" if server.python else ""),
            confidence="likely",
        )


def _roots_folder(container: PodContainer, server: Runtime) -> str | None:
    """Return the folder of its image that a model is downloaded to, though only root can make
    it."""
    weights = server.weights
    folder = None if weights is None or weights.of_image else weights.folder
    if server.user.home is not None or folder is None or hub_model(container, server) is None:
        return None
    moved = hub_folder(container, server) != folder or mount_of(container, folder) is not None
    return None if moved else folder


def _denied(container: PodContainer, server: Runtime, who: str, folder: str) -> RawFinding:
    return RawFinding(
        container.path("env"),
        f"{server.title} runs as {who} but downloads its model to `{folder}`, which only root "
        "can create: the download fails with permission denied",
        note=f"mount an emptyDir or a claim at `{folder}`",
        confidence="likely",
    )


def _writes(container: PodContainer, server: Runtime) -> str | None:
    """Return what it writes at startup below the home of a user who is not in the image."""
    if server.user.home is not None:
        return f"/{server.user.home}"
    has_folder = server.weights is not None and server.weights.folder is not None
    return None if has_folder or hub_model(container, server) is None else _CACHE


def _has_home(pod: Pod, container: PodContainer, server: Runtime, writes: str) -> bool:
    """Return whether the folder that it writes at startup may be writable."""
    if container.value.get("envFrom"):
        return True
    for name in _homes(server):
        if name in container.env:
            value = container.env_value(name)
            if value is None or "$" in value or is_writable(pod, container, value):
                return True
    if any(_may_be_home(mount, writes) for mount in container.mounts):
        return True
    is_image_user = server.user.in_image and uid_of(pod, container) == server.user.uid
    return is_image_user and container.security.get("readOnlyRootFilesystem") is not True


def _may_be_home(mount: str, writes: str) -> bool:
    """Return a mount that is probably intended as home or cache, although no variable names it;
    never root's home."""
    if mount.startswith("/home/"):
        return True
    return writes in mount and mount != _CACHE and not mount.startswith("/root/")


def _homes(server: Runtime) -> list[str]:
    """Return the variables that move a home, or the cache of weights."""
    weights = [
        cache.variable for cache in (*runtimes.common().caches, *server.caches) if cache.weights
    ]
    return ["HOME", "XDG_CACHE_HOME", *weights]
