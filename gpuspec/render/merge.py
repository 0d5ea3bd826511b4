"""Strategic merge, as `kubectl patch` does it: named lists merge by key, `null` deletes.

Lists of named things merge on every kind, so an override for a Job reads like one for a
Deployment.
"""

from typing import Any

from gpuspec.manifests import Path

DIRECTIVE = "$patch"
# Merge keys of the Kubernetes API (`patchMergeKey` of its types), by the list's field name. Ports
# have one key in a container and another in a Service.
_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "env": ("name",),
    "ephemeralContainers": ("name",),
    "hostAliases": ("ip",),
    "imagePullSecrets": ("name",),
    "initContainers": ("name",),
    "ports": ("containerPort", "port"),
    "resourceClaims": ("name",),
    "schedulingGates": ("name",),
    "secrets": ("name",),
    "topologySpreadConstraints": ("topologyKey",),
    "volumeDevices": ("devicePath",),
    "volumeMounts": ("mountPath",),
    "volumes": ("name",),
}


class MergeError(ValueError):
    """A patch that cannot be applied: what is wrong, and at which of its paths."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


def merge(base: Any, patch: Any, path: Path = ()) -> tuple[Any, list[tuple[Path, Path]]]:
    """The merged value, and which of its paths now come from which path of the patch.

    Raises `MergeError` for a patch that does not fit or that changes nothing it names.
    """
    changed: list[tuple[Path, Path]] = []
    return _value(base, patch, path, (), changed), changed


def _value(base: Any, patch: Any, at: Path, source: Path, changed: list[tuple[Path, Path]]) -> Any:
    if isinstance(patch, dict):
        if not isinstance(base, dict):
            changed.append((at, source))
            return _plain(patch, source)
        return _mapping(base, patch, at, source, changed)
    if isinstance(patch, list):
        key = _merge_key(at, patch)
        if key and isinstance(base, list):
            return _list(base, patch, key, at, source, changed)
    changed.append((at, source))
    return patch


def _mapping(
    base: dict[str, Any],
    patch: dict[str, Any],
    at: Path,
    source: Path,
    changed: list[tuple[Path, Path]],
) -> dict[str, Any]:
    directive = patch.get(DIRECTIVE)
    if directive == "replace":
        changed.append((at, source))
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    if directive not in (None, "merge"):
        raise MergeError(f"{DIRECTIVE}: {directive} has no meaning here", (*source, DIRECTIVE))
    out = dict(base)
    for key, value in patch.items():
        if key == DIRECTIVE:
            continue
        where, origin = (*at, key), (*source, key)
        if value is None:
            if key not in out:
                raise MergeError(f"there is no `{key}` to delete", origin)
            del out[key]
            changed.append((where, origin))
        elif key in out:
            out[key] = _value(out[key], value, where, origin, changed)
        else:
            out[key] = _plain(value, origin)
            changed.append((where, origin))
    return out


def _list(
    base: list[Any],
    patch: list[Any],
    key: str,
    at: Path,
    source: Path,
    changed: list[tuple[Path, Path]],
) -> list[Any]:
    out = list(base)
    for index, item in enumerate(patch):
        origin = (*source, index)
        place = next((i for i, have in enumerate(out) if have.get(key) == item.get(key)), None)
        if item.get(DIRECTIVE) == "delete":
            if place is None:
                raise MergeError(f"there is no item with {key} {item.get(key)} to delete", origin)
            del out[place]
            changed.append((at, origin))
        elif place is None:
            changed.append(((*at, len(out)), origin))
            out.append(_plain(item, origin))
        else:
            out[place] = _value(out[place], item, (*at, place), origin, changed)
    return out


def _merge_key(at: Path, patch: list[Any]) -> str | None:
    name = at[-1] if at else ""
    for key in _KEYS.get(str(name), ()):
        if patch and all(isinstance(item, dict) and key in item for item in patch):
            return key
    return None


def _plain(value: Any, source: Path) -> Any:
    """What a patch adds where there was nothing: without directives and deletions."""
    if isinstance(value, dict):
        if value.get(DIRECTIVE) == "delete":
            raise MergeError("there is nothing to delete", source)
        return {
            key: _plain(inner, (*source, key))
            for key, inner in value.items()
            if key != DIRECTIVE and inner is not None
        }
    if isinstance(value, list):
        return [_plain(inner, (*source, index)) for index, inner in enumerate(value)]
    return value
