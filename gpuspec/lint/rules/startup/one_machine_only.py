"""Settings that only work on the author's machine: an image that is never pulled, a host name of
Docker Desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.model import RawFinding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU830",
    "one-machine-only",
    "info",
    "A pod uses an image or host name that exists only on a single-machine cluster",
)
_NAMES = {
    "host.docker.internal": "Docker Desktop",
    "host.minikube.internal": "minikube",
}
"""Names of the machine under a cluster, and whose they are."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container's pull policy, variables and command line."""
    for container in pod.every:
        if container.value.get("imagePullPolicy") == "Never":
            yield RawFinding(
                container.path("imagePullPolicy"),
                "`imagePullPolicy: Never` uses only an image that is already on the node: on "
                "any other node the pod fails with `ErrImageNeverPull`",
                note=(
                    "set `imagePullPolicy: IfNotPresent`, unless every node already has the "
                    "image, as with kind and minikube"
                ),
                confidence="possible",
            )
        yield from _names(container)


def _names(container: PodContainer) -> Iterator[RawFinding]:
    paths: set[Path] = set()
    for path, text in _texts(container):
        name = next((local_name for local_name in _NAMES if local_name in text), None)
        if name is not None and path not in paths:
            paths.add(path)
            yield RawFinding(
                path,
                f"only {_NAMES[name]} resolves `{name}`, as the name of its host machine: no "
                "other cluster does",
                note="use a Service of the cluster",
                confidence="likely",
            )


def _texts(container: PodContainer) -> Iterator[tuple[Path, str]]:
    for name in container.env:
        value = container.env_value(name)
        if value is not None:
            yield (*container.env_path(name), "value"), value
    for word in container.words:
        yield word.path, word.text
