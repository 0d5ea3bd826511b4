"""A user other than root, with an image that starts for root alone."""

from collections.abc import Iterator
from typing import NamedTuple

from gpuspec import runtimes
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
    for one in pod.containers:
        needs = _of_server(one) or _of_supervisor(one)
        if needs is None or not is_non_root(pod, one):
            continue
        uid = uid_of(pod, one)
        who = "a non-root user" if uid is None else f"user {uid}"
        yield RawFinding(
            one.path("image"),
            f"runs as {who}, but {needs.words}: the container exits at startup",
            note=needs.why,
            confidence="likely",
        )


class _Needs(NamedTuple):
    words: str
    why: str | None


def _of_server(one: PodContainer) -> _Needs | None:
    name = runtimes.recognise(one.image)
    if name is None or not runtimes.is_image_of(name, one.image):
        return None
    server = runtimes.get(name)
    since = server.user.root_since if server.user is not None else None
    if since is None or not runtimes.at_least(one.image, since):
        return None
    return _Needs(f"the image of {server.title} starts only as root since {since}", server.user.why)


def _of_supervisor(one: PodContainer) -> _Needs | None:
    known = runtimes.common().supervised
    if one.value.get("command") or not is_image(one.image, known.images):
        return None
    return _Needs(f"the image starts by {known.title}, which must be root", known.why)
