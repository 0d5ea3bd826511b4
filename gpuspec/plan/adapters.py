"""LoRA adapters and the chat template: their places in the container."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan import sources
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.volumes import Volumes
from gpuspec.runtimes import Adapters
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import ADAPTERS, CHAT_TEMPLATE, adapter_folder

TEMPLATE_KEY = "chat_template.jinja"
_ADAPTERS = ("spec", "adapters")


def mount(spec: InferenceSpec, volumes: Volumes) -> None:
    """Mount adapters from claims, images and ConfigMaps."""
    for index, adapter in enumerate(spec.adapters):
        source = adapter.source
        if source.hub is not None:
            continue
        volume_source = (
            sources.claim(source.pvc) if source.pvc else sources.image(str(source.image))
        )
        volumes.add(
            f"adapter-{index}",
            volume_source,
            adapter_folder(adapter.name),
            (*_ADAPTERS, index, "source"),
            "an adapter, never written",
            read_only=True,
            sub_path=source.path,
        )
    template = spec.chat_template
    if template is not None and template.config_map is not None:
        path = ("spec", "chatTemplate", "configMap")
        why = "the template for chats"
        volume_source = {"configMap": {"name": template.config_map}}
        volumes.add("chat-template", volume_source, CHAT_TEMPLATE, path, why, read_only=True)


def claims(spec: InferenceSpec) -> Iterator[tuple[str, Path, str]]:
    """Yield the claims with adapters: the volume's name, its path in the spec, the claim."""
    for index, adapter in enumerate(spec.adapters):
        if adapter.source.pvc:
            yield f"adapter-{index}", (*_ADAPTERS, index, "source", "pvc"), adapter.source.pvc


def images(spec: InferenceSpec) -> Iterator[tuple[Path, str]]:
    """Yield the images with adapters, with their paths in the spec."""
    for index, adapter in enumerate(spec.adapters):
        if adapter.source.image:
            yield (*_ADAPTERS, index, "source", "image"), adapter.source.image


def told(spec: InferenceSpec, adapters: Adapters) -> tuple[list[str], dict[str, str]]:
    """Return the server's arguments and variables for all adapters."""
    name_and_folder = [
        f"{adapter.name}={adapter.source.hub or adapter_folder(adapter.name)}"
        for adapter in spec.adapters
    ]
    variables = {adapters.variable: ",".join(name_and_folder), adapters.folder: ADAPTERS}
    return (
        [adapters.option, *name_and_folder] if adapters.option is not None else [],
        {name: value for name, value in variables.items() if name is not None},
    )


def largest_rank(spec: InferenceSpec, adapters: Adapters) -> int | None:
    """Return the smallest rank that the server accepts and that fits all adapters; None if the
    server's default fits.

    An adapter without a stated rank may have the server's default rank.
    """
    ranks = [adapter.rank or adapters.default_rank for adapter in spec.adapters]
    highest_rank = max((rank for rank in ranks if rank is not None), default=None)
    if highest_rank is None or not any(adapter.rank for adapter in spec.adapters):
        return None
    return next((rank for rank in adapters.ranks if rank >= highest_rank), highest_rank)


def template_file(spec: InferenceSpec) -> str | None:
    """Return the file of the chat template; None if there is none."""
    template = spec.chat_template
    if template is None:
        return None
    return template.path or f"{CHAT_TEMPLATE}/{template.key or TEMPLATE_KEY}"


def notes(spec: InferenceSpec) -> list[Note]:
    """Return the assumption for an adapter without a stated rank, if the server reserves memory by
    rank."""
    adapters = runtimes.get(spec.runtime).adapters
    silent = [index for index, adapter in enumerate(spec.adapters) if adapter.rank is None]
    if not silent or adapters is None or adapters.default_rank is None:
        return []
    most = largest_rank(spec, adapters) or adapters.default_rank
    text = f"adapters are of rank {most} at most (adapters[].rank)"
    return [Note(text, Origin("spec", (*_ADAPTERS, silent[0])), loud=True, assumed=True)]
