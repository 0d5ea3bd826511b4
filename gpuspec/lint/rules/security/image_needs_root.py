"""A user other than root, with an image that starts for root alone."""

from collections.abc import Iterator
from typing import NamedTuple

from gpuspec import runtimes
from gpuspec.enumeration import because
from gpuspec.lint.analysis.security.users import is_non_root, uid_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.recognise import is_image

RULE = Rule(
    "GPU620",
    "image-needs-root",
    "warning",
    "An image starts only as root, but the container is not root",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield published images of known servers, in versions that their tag tells, and of known
    supervisors."""
    for container in pod.containers:
        needs = _of_server(container) or _of_supervisor(container)
        if needs is None or not is_non_root(pod, container):
            continue
        uid = uid_of(pod, container)
        who = "a non-root user" if uid is None else f"user {uid}"
        yield RawFinding(
            container.path("image"),
            f"the container runs as {who}, but {needs.words}: the container exits at startup",
            note="run the container as root, or use another image or release"
            + (because(needs.why) if needs.why else ""),
            confidence="likely",
        )


class _Needs(NamedTuple):
    words: str
    why: str | None


def _of_server(container: PodContainer) -> _Needs | None:
    name = runtimes.recognise(container.image)
    if name is None or not runtimes.is_image_of(name, container.image):
        return None
    server = runtimes.get(name)
    since = server.user.root_since if server.user is not None else None
    if since is None or not runtimes.at_least(container.image, since):
        return None
    return _Needs(f"the image of {server.title} starts only as root since {since}", server.user.why)


def _of_supervisor(container: PodContainer) -> _Needs | None:
    supervised = runtimes.common().supervised
    if container.value.get("command") or not is_image(container.image, supervised.images):
        return None
    return _Needs(f"the image starts {supervised.title}, which must be root", supervised.why)
