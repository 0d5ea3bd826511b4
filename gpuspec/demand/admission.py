"""What becomes of a pod on its way into a cluster: what is added to it, and what is refused of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping
from gpuspec.objects.downloading import downloader, downloads
from gpuspec.objects.managed import refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Profile


def added_to(pod: Pod, collection: Collection) -> dict[str, object] | None:
    """Return the init container that KServe adds to a pod whose model it downloads."""
    uri = next((uri for _, uri in downloads(pod)), None)
    init_downloader = None if uri is None else downloader(uri, collection)
    return None if init_downloader is None else init_downloader.container


def told_of(added: dict[str, object] | None) -> Iterator[str]:
    """Yield what KServe adds to a pod, if it does."""
    if added is None:
        return
    amounts = "; ".join(
        f"{field} {', '.join(f'{name} {amount}' for name, amount in mapping(amounts).items())}"
        for field, amounts in mapping(added.get("resources")).items()
    )
    name = added.get("name")
    yield f"KServe adds init container {name}, which downloads the model: {amounts or 'no resources'}"


def refused_by(profile: Profile, pod: Pod) -> tuple[list[str], list[str]]:
    """Return what the provider refuses of a pod on nodes of its own: for certain, and likely."""
    spec = profile.spec
    provider = None if spec.provider == "none" else spec.provider
    fields = list(refused(pod, provider, whole=spec.autopilot))
    likely = [
        f"{field.said}, unless {field.unless}" for field in fields if field.unless is not None
    ]
    return [field.said for field in fields if field.unless is None], likely
