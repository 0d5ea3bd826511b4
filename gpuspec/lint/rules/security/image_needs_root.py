"""A user other than root, with an image that starts for root alone."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.security.users import demands_non_root, uid_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU620",
    "image-needs-root",
    "warning",
    "A container is not root, and its image starts for root alone",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Published images of known servers, of a version that their tag tells."""
    for one in pod.containers:
        name = runtimes.recognise(one.image)
        user = None if name is None else runtimes.get(name).user
        if name is None or user is None or user.root_since is None:
            continue
        if not runtimes.is_image_of(name, one.image):
            continue
        if not runtimes.at_least(one.image, user.root_since):
            continue
        uid = uid_of(pod, one)
        if uid == 0 or (uid is None and not demands_non_root(pod, one)):
            continue
        who = "a user other than root" if uid is None else f"user {uid}"
        yield Found(
            one.path("image"),
            f"runs as {who}, and the image of {runtimes.get(name).title} starts only as root since "
            f"{user.root_since}: the container ends at its start",
            note=user.why,
            confidence="likely",
        )
