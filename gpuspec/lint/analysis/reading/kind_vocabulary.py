"""Parts of an object that others ask for by their name: keys of data, ports, listeners, requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import mappings_at
from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object


class KindVocabulary(msgspec.Struct, frozen=True):
    """What the objects of a kind can be asked for."""

    word: str
    """What one is called."""
    at: str
    """The field that holds them."""
    maps: tuple[str, ...] = ()
    """Fields that hold each under its name."""
    fields: tuple[tuple[str, str], ...] = ()
    """Patterns of what holds a part, and the field that names it."""

    words: frozenset[str] = frozenset()
    """What may be asked for though it is no part: words that somebody gives a meaning."""
    capitals: bool = False
    """A name in capitals is a usual one: `HF_TOKEN`. Elsewhere it waits to be filled in."""

    def is_blank(self, name: str) -> bool:
        """Return whether a placeholder stands where the name of a part belongs."""
        return (placeholder(name) if self.capitals else blank_name(name)) is not None

    def of(self, obj: Object) -> set[str]:
        """Return the names of an object's parts."""
        found = {
            name
            for field in self.maps
            for name in mapping(obj.value.get(field))
            if isinstance(name, str)
        }
        for pattern, field in self.fields:
            found |= {
                str(name)
                for _, holder in mappings_at(obj.value, (pattern,))
                if isinstance(name := holder.get(field), str | int)
            }
        return found


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
"""By kind. Whoever has none at all gets them from somebody else."""
