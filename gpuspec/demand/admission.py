"""Admission of a pod: the container that KServe adds, and the fields that a provider rejects."""

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
    """Yield a note on the container that KServe adds, if it adds one."""
    if added is None:
        return
    amounts = "; ".join(
        f"{field} {', '.join(f'{name} {amount}' for name, amount in mapping(amounts).items())}"
        for field, amounts in mapping(added.get("resources")).items()
    )
    name = added.get("name")
    yield f"KServe adds init container {name}, which downloads the model: {amounts or 'no resources'}"


def refused_by(profile: Profile, pod: Pod) -> tuple[list[str], list[str]]:
    """Return the fields of a pod that a provider rejects on its managed nodes: certainly, and
    likely."""
    spec = profile.spec
    provider = None if spec.provider == "none" else spec.provider
    fields = list(refused(pod, provider, whole=spec.autopilot))
    likely = [
        f"{field.said}, unless {field.unless}" for field in fields if field.unless is not None
    ]
    return [field.said for field in fields if field.unless is None], likely
