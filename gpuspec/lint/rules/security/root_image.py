"""A container that may not be root, with an image that is."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.pod_security import context_of
from gpuspec.lint.analysis.security.openshift import is_for_openshift
from gpuspec.lint.analysis.security.users import demands_non_root, uid_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes.published import is_of_root

RULE = Rule(
    "GPU619",
    "root-image-without-user",
    "warning",
    "`runAsNonRoot` is set, but the image or `runAsUser` is root",
    fix="unsafe",
)
_OTHER = ("nonroot", "rootless", "non-root")
"""Words in a tag of images that were built for another user."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield images of known servers, and of known publishers, without a user in the pod."""
    if not is_whole(pod) or context.assigns_user or is_for_openshift(context.collection):
        return
    for container in pod.every:
        if not demands_non_root(pod, container):
            continue
        uid = uid_of(pod, container)
        if uid == 0:
            yield RawFinding(
                context_of(pod, container, "runAsUser"),
                "`runAsNonRoot` is true and `runAsUser` is 0: the kubelet does not start the container "
                "(CreateContainerConfigError)",
                note="set `runAsUser` to another number, or `runAsNonRoot` to false",
            )
        if uid is not None:
            continue
        if any(word in container.image for word in _OTHER):
            continue
        name = runtimes.recognise(container.image)
        user = None if name is None else runtimes.get(name).user
        if not (is_of_root(container.image) if user is None else user.root_image):
            continue
        at = context_of(pod, container, "runAsUser")
        is_known = user is not None and not user.root_since
        yield RawFinding(
            container.path("securityContext"),
            f"`runAsNonRoot` is true, but the user of `{container.image.partition('@')[0]}` is "
            "root and no `runAsUser` is set: the kubelet does not start the container "
            "(CreateContainerConfigError)",
            note="set `runAsUser`, except on OpenShift, which assigns a user itself",
            fix=set_field(at, user.uid) if user and is_known else None,
            confidence="likely",
        )
