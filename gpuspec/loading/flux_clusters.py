"""The clusters that Flux reaches by a `kubeConfig`, by the names of their Secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SUFFIX = "-kubeconfig"
"""The end of a Secret's name that Cluster API makes for a cluster: the cluster's name stands before
it.
"""
_FIELD = "kubeConfig"


class Remotes:
    """The names of clusters: a Secret's name, with its namespace if several have that name."""

    def __init__(self, values: Iterable[dict[str, Any]]) -> None:
        self._spaces: dict[str, set[str]] = {}
        for value in values:
            space, name = _secret(value)
            self._spaces.setdefault(name, set()).add(space)

    def of(self, value: dict[str, Any]) -> str:
        """Return the cluster of an object of Flux; empty for the cluster that it is in."""
        space, name = _secret(value)
        several = name and len(self._spaces.get(name, ())) > 1
        return f"{space}/{name}" if several else name


def _secret(value: dict[str, Any]) -> tuple[str, str]:
    """Return the namespace and name of the Secret or ConfigMap, without the ending that Cluster API
    adds.
    """
    spec = mapping(value.get("spec"))
    configs = (mapping(kube_config) for kube_config in (spec.get(_FIELD), *_patched(spec)))
    names = (
        at(config, (key, "name")) for config in configs for key in ("secretRef", "configMapRef")
    )
    space = text(at(value, ("metadata", "namespace")))
    return space, next(filter(None, map(text, names)), "").removesuffix(_SUFFIX)


def _patched(spec: dict[str, Any]) -> Iterator[Any]:
    """Yield the `kubeConfig` that a Kustomization's patches give to the releases that it applies."""
    for patch in map(mapping, items(spec.get("patches"))):
        patch_text = text(patch.get("patch"))
        try:
            documents = read(patch_text, "patch") if _FIELD in patch_text else ()
        except (InputError, ValueError):
            continue
        for document in documents:
            yield at(document.value, ("spec", _FIELD))
            for step in map(mapping, items(document.value)):
                if step.get("path") == f"/spec/{_FIELD}":
                    yield step.get("value")
