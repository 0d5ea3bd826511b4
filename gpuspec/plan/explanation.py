"""A decision for readers: a field of an object, its value, reason and origin."""

from typing import Any

import msgspec


class Explanation(msgspec.Struct, frozen=True):
    """One line of `gpuspec explain`."""

    object: str
    """Kind and name of the object."""
    path: str
    """Path of the field in the object."""
    value: Any
    reason: str
    origin: str
    """`spec …`, `profile …`, `table …` or `derived …`."""
    place: str | None
    """`file:line:column` of the origin, if it is a text."""

    @property
    def is_provenance(self) -> bool:
        """Whether the field records the object's origin, which any change of the spec changes."""
        return self.path.startswith('metadata.annotations["gpuspec.dev/')
