"""The rendering of a workload for a profile: objects and the decisions behind them."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gpuspec.manifests import Path, format_path
from gpuspec.plan import Decision, Explanation, Note, Plan, Resolution
from gpuspec.render.layout import RenderedObject


class Rendering(msgspec.Struct, frozen=True):
    """The rendering of one workload for one profile."""

    resolution: Resolution
    plan: Plan
    rendered: tuple[RenderedObject, ...]
    as_shipped: bool = True
    """Whether all templates were the shipped ones."""

    @property
    def kind(self) -> str:
        """The workload's kind."""
        return self.resolution.workload.kind

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.resolution.name

    @property
    def profile_name(self) -> str:
        """The profile's name."""
        return self.resolution.profile.name

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The Kubernetes objects in apply order."""
        return [obj.value for obj in self.rendered]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for the user: assumptions, excluded pools, objects that were not rendered."""
        return self.plan.notes

    def explanations(self) -> list[Explanation]:
        """Return every decided field in the order of the objects, with reason and origin.

        A field that an override deleted is included, with the value None.
        """
        return [
            self._decision(obj, path, decision)
            for obj in self.rendered
            for path, decision in _in_order(obj)
        ]

    def _decision(
        self, rendered_object: RenderedObject, path: Path, decision: Decision
    ) -> Explanation:
        place = self.resolution.written_place(decision.origin)
        return Explanation(
            object=rendered_object.title,
            path=format_path(path),
            value=rendered_object.value_at(path),
            reason=decision.reason,
            origin=str(decision.origin),
            place=str(place) if place else None,
        )


def _in_order(rendered_object: RenderedObject) -> list[tuple[Path, Decision]]:
    """Return the values in the order of the object's fields; deleted ones follow their parent."""
    position = {path: number for number, path in enumerate(_paths(rendered_object.value, ()))}

    def where(item: tuple[Path, Decision]) -> int:
        path = item[0]
        while path not in position:
            path = path[:-1]
        return position[path]

    return sorted(rendered_object.provenance.items(), key=where)


def _paths(value: Any, path: Path) -> Iterator[Path]:
    yield path
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for step, inner in children:
        yield from _paths(inner, (*path, step))
