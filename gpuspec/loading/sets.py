"""The objects of a run without pods, by the clusters that they can be in together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.loading.alternatives import EVERYWHERE, Alternatives, Side, Sides
from gpuspec.objects.collection import Collection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.loading.units import Feed, Unit


class Sets:
    """The objects of a loader that apply to a given object: those of files that agree with its own."""

    def __init__(self, loader: Feed) -> None:
        files = loader.files()
        self._alternatives = Alternatives(loader.names(), loader.clusters())
        self._sets: dict[Side, Collection] = {
            self._alternatives.side(file): Collection() for file in ("", *files)
        }
        sides = Sides(self._sets)
        self.all = Collection()
        """All objects without pods, whatever cluster they are in."""
        for unit in loader.plain():
            self.all.add(unit.object)
            for side in sides.agreeing(self.side(unit)):
                self._sets[side].add(unit.object)

    def side(self, unit: Unit) -> Side:
        """Return the alternatives of an object's file."""
        return self._alternatives.side(unit.file)

    def beside(self, unit: Unit) -> Collection:
        """Return the objects that can be in one cluster with an object."""
        return self._sets.get(self.side(unit), self.all)

    def sides(self) -> Iterator[Side]:
        """Return the objects of every group except those of the shared one."""
        return (side for side in self._sets if side != EVERYWHERE)
