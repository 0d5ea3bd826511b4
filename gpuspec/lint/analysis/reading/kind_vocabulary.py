"""Parts of an object that others refer to by name: keys of data, ports, listeners, requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.lint.analysis.reading.made_secrets import external_keys, mounted_keys, sealed_keys
from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.objects.objects import Object


class KindVocabulary(msgspec.Struct, frozen=True):
    """The named parts of a kind's objects."""

    word: str
    """The word for a part."""
    at: str
    """The field with the parts."""
    maps: tuple[str, ...] = ()
    """Fields that map names to parts."""
    fields: tuple[tuple[str, str], ...] = ()
    """Patterns of the mappings with a part, and the field with its name."""

    words: frozenset[str] = frozenset()
    """Names that have a meaning without being a part."""
    names_of: Callable[[Object], set[str]] | None = None
    """Function that returns the names of an object's parts, if fields alone do not tell."""
    capitals: bool = False
    """Whether a name in capitals is usual: `HF_TOKEN`. Otherwise it is a placeholder."""

    def is_blank(self, name: str) -> bool:
        """Return whether the name of a part is a placeholder."""
        return (placeholder(name) if self.capitals else blank_name(name)) is not None

    def of(self, obj: Object) -> set[str]:
        """Return the names of an object's parts."""
        if self.names_of is not None:
            return self.names_of(obj)
        names = {
            name
            for field in self.maps
            for name in mapping(obj.value.get(field))
            if isinstance(name, str)
        }
        for pattern, field in self.fields:
            names |= {
                str(name)
                for _, holder in mappings_at(obj.value, (pattern,))
                if isinstance(name := holder.get(field), str | int)
            }
        return names


PARTS = {
    "ConfigMap": KindVocabulary("key", "data", maps=("data", "binaryData"), capitals=True),
    "Secret": KindVocabulary("key", "data", maps=("data", "stringData"), capitals=True),
    "ExternalSecret": KindVocabulary("key", "spec", names_of=external_keys, capitals=True),
    "SealedSecret": KindVocabulary("key", "spec", names_of=sealed_keys, capitals=True),
    "SecretProviderClass": KindVocabulary("key", "spec", names_of=mounted_keys, capitals=True),
    "Service": KindVocabulary(
        "port",
        "spec",
        fields=(("spec.ports.*", "name"), ("spec.ports.*", "port")),
        # The AWS Load Balancer Controller reads an annotation instead (guide/ingress/annotations, actions).
        words=frozenset({"use-annotation"}),
    ),
    "ResourceClaim": KindVocabulary(
        "request", "spec", fields=(("spec.devices.requests.*", "name"),)
    ),
    "ResourceClaimTemplate": KindVocabulary(
        "request", "spec", fields=(("spec.spec.devices.requests.*", "name"),)
    ),
    "Gateway": KindVocabulary("listener", "spec", fields=(("spec.listeners.*", "name"),)),
}
"""The parts by kind. An object without any part gets them from elsewhere."""
