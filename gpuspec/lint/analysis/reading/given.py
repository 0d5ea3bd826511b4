"""Variables of containers from ConfigMaps of the set, all of whose entries they get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.keys.tables import families, family
from gpuspec.lint.analysis.reading.keys import WrittenKey, written_keys, written_text
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object


def all_keys(obj: Object, collection: Collection) -> Iterator[WrittenKey]:
    """Yield the keys of an object with known families, and the variables from ConfigMaps."""
    yield from written_keys(obj)
    for pod in obj.pods:
        for container in pod.every:
            if container.value.get("envFrom"):
                yield from _given(container, obj.namespace, collection)


def _given(container: PodContainer, namespace: str, collection: Collection) -> Iterator[WrittenKey]:
    """Yield the effective keys: the last of several sources counts, and the container's own
    variables override all."""
    set_names = set(container.env)
    for source in reversed(items(container.value.get("envFrom"))):
        name = text(mapping(mapping(source).get("configMapRef")).get("name"))
        config = collection.named("", "ConfigMap", name, namespace) if name else None
        if config is None or mapping(source).get("prefix"):
            continue
        data = mapping(config.value.get("data"))
        beside = frozenset((*set_names, *data))
        for key, value in data.items():
            if key not in set_names and family(key) in families():
                path = config.path("data", key)
                yield WrittenKey(
                    name=key,
                    field="env",
                    path=path,
                    value=written_text(value),
                    value_path=path,
                    place=None,
                    container=container,
                    object=config.number,
                    beside=beside,
                )
        set_names |= set(data)
