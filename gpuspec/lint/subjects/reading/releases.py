"""Releases of Helm charts that objects ask for: the chart, its version, and the values as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object


class Release(msgspec.Struct, frozen=True):
    """A chart with the values that an object gives it."""

    chart: str
    version: str
    values: dict[str, Any]
    path: Path
    """The path of the values, from the document's root."""
    is_text: bool
    """They are a text there, which is YAML itself."""
    whole: bool
    """Whether no other values are laid over them, or under: from files, parameters, other objects."""

    def place(self, *steps: str | int) -> tuple[Path, Path | None]:
        """The path of a value, from the document's root, and where that is a text, the path in it."""
        return (self.path, steps) if self.is_text else ((*self.path, *steps), None)


def releases(one: Object) -> Iterator[Release]:
    """The releases of an object: Flux's, and Argo CD's."""
    if one.is_a("helm.toolkit.fluxcd.io", "HelmRelease"):
        spec = mapping(at(one.spec, ("chart", "spec")))
        alone = not spec.get("valuesFiles") and not one.spec.get("valuesFrom")
        yield _release(spec.get("version"), spec, one.spec, one.path("spec"), "values", alone)
    elif one.is_a("argoproj.io", "Application"):
        sources = [
            ("source",),
            *(("sources", i) for i, _ in enumerate(items(one.spec.get("sources")))),
        ]
        for steps in sources:
            source = mapping(at(one.spec, steps))
            helm = mapping(source.get("helm"))
            alone = not any(
                helm.get(each) for each in ("valueFiles", "parameters", "fileParameters")
            )
            where = one.path("spec", *steps, "helm")
            # Argo CD passes `values` over where there is `valuesObject`.
            key = "values" if "valuesObject" not in helm and "values" in helm else "valuesObject"
            yield _release(source.get("targetRevision"), source, helm, where, key, alone)


def _release(
    version: object,
    named: dict[str, Any],
    holder: dict[str, Any],
    where: Path,
    key: str,
    whole: bool,
) -> Release:
    written = holder.get(key)
    values = _read(written) if isinstance(written, str) else written
    return Release(
        text(named.get("chart")).rpartition("/")[2],
        text(version).removeprefix("v"),
        mapping(values),
        (*where, key),
        isinstance(written, str),
        whole and isinstance(values, dict),
    )


def _read(written: str) -> object:
    """The values of a text; None where it is no YAML."""
    try:
        documents = read(written, "values.yaml")
    except (InputError, ValueError):
        return None
    return documents[0].value if documents else {}
