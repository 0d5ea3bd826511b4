"""An image whose name means another one tomorrow."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.lint.analysis.reading.kustomized_images import built_images
from gpuspec.lint.analysis.security.images import ImageReference, image_of
from gpuspec.lint.analysis.serving.progress import on_knative
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.loading.placeholders import blank_image
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

_KFSERVING = "serving.kubeflow.org"
"""KServe's group before 0.7, whose services all ran on Knative."""
_REPLACED = ("replaced-by-", "placeholder")
"""Names that a kustomization replaces."""
RULE = Rule(
    "GPU906",
    "image-moves",
    "warning",
    "An image has a mutable tag",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers of pods with GPUs. If contracts require digests, another rule reports more."""
    if context.cluster is not None and context.cluster.contracts.digests:
        return
    for container in pod.every:
        names = built_images(container.image, pod.object, context.collection)
        moving = [
            (name, image, image.moves)
            for name in names
            if blank_image(name) is None
            and not name.startswith(_REPLACED)
            and (image := image_of(name)) is not None
            and image.moves is not None
        ]
        if not moving:
            continue
        name, image, why = moving[0]
        helper = image.waits or (
            not container.devices and any(sibling.devices for sibling in pod.every)
        )
        nvidia = (
            not helper
            and any(device.what.vendor == "nvidia" for device in container.devices)
            and hardware.built_for(name) in ("nvidia", None)
        )
        cuda = ", or a CUDA that is too new for the driver" if nvidia else ""
        yield RawFinding(
            container.path("image"),
            f"`{name}` {why}: {_effect(pod, container, image)}{cuda}",
            note="use a version tag or a digest",
            severity="info" if helper else None,
        )


def _effect(pod: Pod, container: PodContainer, image: ImageReference) -> str:
    """Return when another version runs: Knative resolves a tag to a digest once for each revision,
    and the kubelet pulls again at each start only if it is to."""
    if on_knative(pod) or pod.object.group == _KFSERVING:
        return (
            "Knative resolves the tag for each revision, and the next one can run another version"
        )
    policy = container.value.get("imagePullPolicy") or (
        "Always" if image.tag in ("", "latest") else "IfNotPresent"
    )
    if policy == "Never":
        return "the kubelet never pulls the image, so two nodes can hold different versions"
    if policy != "Always":
        return "each node keeps its pulled image, so two nodes can run different versions"
    return "two nodes can run different versions, and a restart can bring another version"
