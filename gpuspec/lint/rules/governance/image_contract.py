"""An image that the organisation's contracts do not allow."""

from collections.abc import Iterator

from gpuspec.lint.analysis.security.images import image_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU615",
    "image-against-contract",
    "error",
    "An image is from a registry that the profile does not allow, or has no digest",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield every container's image, against the profile's contracts."""
    if context.cluster is None:
        return
    contracts = context.cluster.contracts
    if not contracts.registries and not contracts.digests:
        return
    for container in pod.every:
        image = image_of(container.image)
        if image is None:
            continue
        wrong: list[str] = []
        if contracts.registries and not image.is_from(contracts.registries):
            allowed = " or ".join(f"`{registry}`" for registry in contracts.registries)
            wrong.append(f"is in `{image.repository.rpartition('/')[0]}`, not in {allowed}")
        if contracts.digests and not image.digest:
            wrong.append("has no digest")
        if wrong:
            yield RawFinding(
                container.path("image"),
                f"the image {', and '.join(wrong)}: the profile's `contracts` do not allow it",
                note=("use an image of an allowed registry, with a digest"),
            )
