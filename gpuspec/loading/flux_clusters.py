"""The clusters that Flux reaches by a `kubeConfig`, by the names of their Secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SUFFIX = "-kubeconfig"
"""Behind the name of a cluster, it is that of the Secret that Cluster API makes for it."""
_FIELD = "kubeConfig"


class Remotes:
    """What the clusters of some objects are called: a Secret's name, and its namespace where several have
    one of that name."""

    def __init__(self, values: Iterable[dict[str, Any]]) -> None:
        self._spaces: dict[str, set[str]] = {}
        for value in values:
            space, name = _secret(value)
            self._spaces.setdefault(name, set()).add(space)

    def of(self, value: dict[str, Any]) -> str:
        """Return the cluster that an object of Flux is for; empty for the one that it is in."""
        space, name = _secret(value)
        several = name and len(self._spaces.get(name, ())) > 1
        return f"{space}/{name}" if several else name


def _secret(value: dict[str, Any]) -> tuple[str, str]:
    """Return Namespace and name of the Secret, or the ConfigMap, without what Cluster API puts
    behind it."""
    spec = mapping(value.get("spec"))
    configs = (mapping(one) for one in (spec.get(_FIELD), *_patched(spec)))
    names = (
        at(config, (key, "name")) for config in configs for key in ("secretRef", "configMapRef")
    )
    space = text(at(value, ("metadata", "namespace")))
    return space, next(filter(None, map(text, names)), "").removesuffix(_SUFFIX)


def _patched(spec: dict[str, Any]) -> Iterator[Any]:
    """Yield what a Kustomization's patches say is the `kubeConfig` of the releases that it
    applies."""
    for patch in map(mapping, items(spec.get("patches"))):
        written = text(patch.get("patch"))
        try:
            documents = read(written, "patch") if _FIELD in written else ()
        except (InputError, ValueError):
            continue
        for document in documents:
            yield at(document.value, ("spec", _FIELD))
            for step in map(mapping, items(document.value)):
                if step.get("path") == f"/spec/{_FIELD}":
                    yield step.get("value")
