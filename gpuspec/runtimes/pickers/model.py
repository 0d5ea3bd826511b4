"""The types of the table of endpoint pickers."""

from collections.abc import Mapping

from msgspec import Struct

from gpuspec.runtimes.fact import Fact
from gpuspec.runtimes.recognise import version_of


class PickerProgram(Fact, frozen=True, kw_only=True):
    """An endpoint picker."""

    title: str
    images: tuple[str, ...]
    """Repositories: the last parts of their paths."""
    since: str
    """The first release whose configuration names the model server."""
    configurations: Mapping[str, str]
    """The apiVersion of the picker's configuration, by its first release."""
    groups: tuple[str, ...]
    """API groups of the objectives and rewrites that the picker watches, if the cluster serves
    them."""

    @property
    def oldest(self) -> tuple[int, int, int]:
        """The first known release, as numbers."""
        return version_of(self.since) or (0, 0, 0)

    def configuration(self, release: tuple[int, int, int]) -> str:
        """Return the apiVersion of the picker's configuration in a release."""
        apis = [
            api
            for since, api in self.configurations.items()
            if (version_of(since) or (0, 0, 0)) <= release
        ]
        return apis[-1]


class PickedEngine(Fact, frozen=True, kw_only=True):
    """A model server whose metrics pickers know."""

    name: str
    """The pickers' name for the server."""


class Pickers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole table."""

    programs: tuple[PickerProgram, ...]
    engines: Mapping[str, PickedEngine]
    """Model servers by runtime."""
    plugins: str
    """The types of plugins that some release has."""
    gates: str
    """The feature gates that some release has."""
