"""The typed form of the table of endpoint pickers."""

from collections.abc import Mapping

from msgspec import Struct

from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.recognise import version_of


class PickerProgram(Fact, frozen=True, kw_only=True):
    """A picker."""

    title: str
    images: tuple[str, ...]
    """Repositories, the last parts of their paths."""
    since: str
    """The first release whose configuration says whose metrics it reads."""
    configurations: Mapping[str, str]
    """The apiVersion of its configuration, by the first release that has it."""
    groups: tuple[str, ...]
    """API groups of objectives and rewrites, which it watches where they are served."""

    @property
    def oldest(self) -> tuple[int, int, int]:
        """The first release that is known, as numbers."""
        return version_of(self.since) or (0, 0, 0)

    def configuration(self, release: tuple[int, int, int]) -> str:
        """Return the apiVersion of its configuration in a release."""
        found = [
            api
            for since, api in self.configurations.items()
            if (version_of(since) or (0, 0, 0)) <= release
        ]
        return found[-1]


class PickedEngine(Fact, frozen=True, kw_only=True):
    """A model server whose metrics pickers know."""

    name: str
    """What they call it."""


class Pickers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table."""

    programs: tuple[PickerProgram, ...]
    engines: Mapping[str, PickedEngine]
    """By runtime."""
