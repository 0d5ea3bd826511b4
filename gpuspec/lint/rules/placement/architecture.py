"""An image for one CPU architecture, and nodes of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.placing import in_all, reached, requirement_path, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.published import build_of

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement

RULE = Rule(
    "GPU209",
    "wrong-architecture",
    "error",
    "The image or node selector is for a CPU architecture other than that of the GPU nodes",
)

ARCH = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
_TAGS = {"amd64": ("amd64", "x86_64", "x86-64"), "arm64": ("arm64", "aarch64", "grace")}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the selector against the models that it names; image tags against the nodes reached. Of
    a pod without accelerators, such as a device plugin's, only its selector is known."""
    arch_requirements = [
        requirement
        for requirement in in_all(pod)
        if requirement.key in ARCH and requirement.operator == "In"
    ]
    if not (pod.has_gpu or pod.claims):
        yield from _one_build(pod, _asked(arch_requirements))
        return
    image_architectures = [
        (container, arch) for container in pod.containers if (arch := _built_for(container.image))
    ]
    bound = _of_models(pod)
    if not (arch_requirements or image_architectures or bound or context.cluster):
        return
    for requirement in arch_requirements:
        if bound and not bound & set(requirement.values):
            yield RawFinding(
                requirement_path(pod, requirement),
                f"the pod stays Pending: the hosts of its GPUs are {_words(bound)}, but "
                f"`{requirement.key}` requires {' or '.join(requirement.values)}",
                note=f"require {_words(bound)}, or remove the requirement",
            )
            return
    host_architectures = (
        {str(advertising_pool.pool.architecture) for advertising_pool in reached(pod, context)}
        or bound
        or _asked(arch_requirements)
    )
    for container, arch in image_architectures:
        if host_architectures and arch not in host_architectures:
            yield RawFinding(
                container.path("image"),
                f"the image's name says {arch}, but the pod runs on {_words(host_architectures)} hosts: it "
                "fails with `exec format error` unless the image is built for both",
                note=f"use the image for {_words(host_architectures)}",
                confidence="likely",
            )
            return
    yield from _one_build(pod, host_architectures)
    if len(host_architectures) < 2 or _says(pod):
        return
    if image_architectures:
        yield _mixed(
            image_architectures[0][0].path("image"),
            f"the image's name says {image_architectures[0][1]}",
            host_architectures,
        )
    elif pod.gpu_containers:
        path = pod.gpu_containers[0].path("image")
        why = "the CPU architecture of the image is unknown"
        yield _mixed(path, why, host_architectures)


def _one_build(pod: Pod, host_architectures: set[str]) -> Iterator[RawFinding]:
    """Yield images that are published for one architecture alone, though their tags name none."""
    for container in pod.every:
        build = (
            build_of(container.image)
            if host_architectures and _built_for(container.image) is None
            else None
        )
        if build is not None and build.arch not in host_architectures:
            yield RawFinding(
                container.path("image"),
                f"`{container.image.partition('@')[0]}` is published only for {build.arch}, but "
                f"the pod runs on {_words(host_architectures)} nodes: it fails with `exec format error`",
                note=f"use {build.other}",
                confidence="likely",
            )
            return


def _asked(arch_requirements: Sequence[Requirement]) -> set[str]:
    """Return the architectures that the pod's own selector leaves."""
    if not arch_requirements:
        return set()
    values = set(arch_requirements[0].values)
    for requirement in arch_requirements[1:]:
        values &= set(requirement.values)
    return values


def _built_for(image: str) -> str | None:
    """Return the architecture that an image's tag names."""
    tag = image.rpartition("/")[2].partition(":")[2].partition("@")[0].lower()
    for arch, words in _TAGS.items():
        for word in words:
            if word in tag:
                return arch
    return None


def _mixed(path: tuple[str | int, ...], why: str, host_architectures: set[str]) -> RawFinding:
    sure = why.startswith("the image")
    return RawFinding(
        path,
        f"{why}, and the pod may run on {_words(host_architectures)} hosts: on the wrong hosts the container "
        "fails with `exec format error`",
        note="require `kubernetes.io/arch` in the node affinity, unless the image is built for both",
        severity="warning" if sure else "info",
        confidence="likely" if sure else "possible",
    )


def _of_models(pod: Pod) -> set[str]:
    """Return the architectures of the hosts of every model that the pod is bound to; empty: any."""
    from gpuspec import hardware

    for requirement in in_all(pod):
        if requirement.operator != "In":
            continue
        models_by_value = [
            hardware.from_label(requirement.key, value) for value in requirement.values
        ]
        models = [model for gpu_models in models_by_value for model in gpu_models]
        if models and all(models_by_value) and all(model.architecture for model in models):
            return {str(model.architecture) for model in models}
    return set()


def _says(pod: Pod) -> bool:
    """Return whether the pod chooses an architecture in each of its alternatives."""
    ways = requirements(pod)
    return bool(ways) and all(any(requirement.key in ARCH for requirement in way) for way in ways)


def _words(host_architectures: set[str]) -> str:
    return " and ".join(sorted(host_architectures))
