"""A server on a read-only root filesystem that has nowhere to write."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.security.users import is_writable
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes.recognise import is_image

RULE = Rule(
    "GPU610",
    "read-only-root-without-tmp",
    "warning",
    "A server with a read-only root filesystem has no temporary folder",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield model servers without a writable `/tmp`, and those that write elsewhere too."""
    if not is_whole(pod):
        return
    for container in pod.containers:
        yield from _supervised(pod, container)
        server = server_of(container)
        if server is None or container.security.get("readOnlyRootFilesystem") is not True:
            continue
        if not server.user.read_only_root:
            yield RawFinding(
                container.path("securityContext", "readOnlyRootFilesystem"),
                f"{server.title} is not known to work on a read-only root filesystem: "
                f"{server.user.why}",
                note="remove `readOnlyRootFilesystem`, or test the image with it",
                confidence="likely",
            )
        elif not any(
            is_writable(pod, container, folder)
            for folder in ("/tmp", container.env_value("TMPDIR") or "/tmp")
        ):
            yield RawFinding(
                container.path("securityContext", "readOnlyRootFilesystem"),
                "the root filesystem is read-only, and no writable volume is mounted at `/tmp`: "
                f"{server.title} fails when it creates a temporary file or a socket",
                note="mount an emptyDir at `/tmp`",
                confidence="likely",
            )


def _supervised(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield images whose supervisor writes before anything else does."""
    supervised = runtimes.common().supervised
    if container.security.get("readOnlyRootFilesystem") is not True or container.value.get(
        "command"
    ):
        return
    if is_image(container.image, supervised.images) and not is_writable(
        pod, container, supervised.writes
    ):
        yield RawFinding(
            container.path("securityContext", "readOnlyRootFilesystem"),
            "the root filesystem is read-only, and no writable volume is mounted at "
            f"`{supervised.writes}`: {supervised.title}, which starts the image's server, exits "
            "at startup",
            note=f"mount an emptyDir at `{supervised.writes}`",
            confidence="likely",
        )
