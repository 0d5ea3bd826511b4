"""The parameters of an object with other objects inside, which take their values from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.kinds import mappings_at
from gpuspec.manifests.values import text

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object


class Parameters:
    """The parameters of a template of OpenShift, or of an experiment's trials."""

    def __init__(self, obj: Object) -> None:
        """Take the object with the parameters."""
        parameters = mappings_at(obj.value, (obj.traits.parameters,))
        self._names = {text(parameter.get("name")) for _, parameter in parameters}

    def fills(self, sign: str) -> bool:
        """Return whether a sign names one of the parameters: `${NAME}`, `${prefix.NAME}`."""
        return sign.startswith("${") and sign.strip("${}").rpartition(".")[2] in self._names
