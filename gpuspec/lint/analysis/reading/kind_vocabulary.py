"""Parts of an object that others refer to by name: keys of data, ports, listeners, requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
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
    capitals: bool = False
    """Whether a name in capitals is usual: `HF_TOKEN`. Otherwise it is a placeholder."""

    def is_blank(self, name: str) -> bool:
        """Return whether the name of a part is a placeholder."""
        return (placeholder(name) if self.capitals else blank_name(name)) is not None

    def of(self, obj: Object) -> set[str]:
        """Return the names of an object's parts."""
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
