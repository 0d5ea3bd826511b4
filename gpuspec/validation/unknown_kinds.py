"""The messages for an object without a schema. Imported with the first such object."""

from functools import cache
from typing import Any

from gpuspec.enumeration import choice_of
from gpuspec.numbers import is_digits
from gpuspec.validation.bundle import Bundle, Kind, load, supported_versions
from gpuspec.validation.custom import custom_kinds
from gpuspec.validation.values import closest, instead
from gpuspec.validation.violation import SchemaViolation


def unnamed(value: Any) -> tuple[SchemaViolation, ...]:
    """Return the violation of a value that does not name its kind."""
    if not isinstance(value, dict):
        message = instead("a Kubernetes object, which is a map", value)
        return (SchemaViolation((), message, "wrong-type", "a map"),)
    violations = []
    for field in ("apiVersion", "kind"):
        if field not in value:
            message = f"required field `{field}` is missing"
            violations.append(SchemaViolation((field,), message, "missing-field"))
        elif not isinstance(value[field], str):
            message = instead("a string", value[field])
            violations.append(SchemaViolation((field,), message, "wrong-type", "a string"))
    return tuple(violations)


@cache
def unknown(bundle: Bundle, kind: Kind) -> tuple[SchemaViolation]:
    """Return the violation of a kind without a schema in this version."""
    api_version, name = kind
    if not _is_kubernetes_own(api_version, bundle):
        return (_custom(kind),)
    homes = _homes([api for api, other_kind in bundle.kinds() if other_kind == name], api_version)
    if not homes:
        kinds = [other_kind for api, other_kind in bundle.kinds() if api == api_version]
        message = f"Kubernetes {bundle.name} has no kind `{name}` in `{api_version}`"
        hint = closest(name, kinds) or _elsewhere(name)
        return (SchemaViolation(("kind",), message, "not-served", hint=hint),)
    message = f"Kubernetes {bundle.name} has no `{api_version}` {name}{_history(bundle, kind)}"
    return (_not_served(message, homes),)


def _custom(kind: Kind) -> SchemaViolation:
    """Return the violation of a custom kind without a schema, at least in this version."""
    api_version, name = kind
    group = [
        custom_kind
        for custom_kind in custom_kinds()
        if _group(custom_kind.api_version) == _group(api_version)
    ]
    same = [known_kind for known_kind in group if known_kind.kind == name]
    if not same:
        message = f"no schema for `{api_version}` {name}: it was not checked"
        hint = closest(name, {known_kind.kind for known_kind in group}) or _elsewhere(name)
        return SchemaViolation((), message, "no-schema", hint=hint)
    # One name may be of two projects, of which a cluster has one.
    projects = dict.fromkeys((known_kind.project, known_kind.release) for known_kind in same)
    has = "have" if len(projects) > 1 else "has"
    title = " and ".join(_title(project, release) for project, release in projects)
    homes = [
        home
        for project, _ in projects
        for home in _homes([k.api_version for k in same if k.project == project], api_version)
    ]
    return _not_served(f"{title} {has} no `{api_version}` {name}", homes)


_TITLES = {
    "kubeflow-training-operator-v1": "the Kubeflow training operator",
    "mpi-operator": "the MPI operator",
}
"""Projects whose short names nobody uses."""


def _title(project: str, release: str) -> str:
    """Return a project and its release; between releases, the state that was read has no name."""
    title = _TITLES.get(project, project)
    return title if release == "HEAD" else f"{title} {release}"


def _not_served(message: str, homes: list[str]) -> SchemaViolation:
    right = choice_of(homes)
    return SchemaViolation(("apiVersion",), message, "not-served", right, _write(homes))


def _write(homes: list[str]) -> str:
    if len(homes) == 1:
        return f"write `apiVersion: {homes[0]}`"
    return f"write {choice_of(homes)}"


def _elsewhere(name: str) -> str | None:
    """Return where a custom kind of this name is, if it is known."""
    homes = [custom_kind.api_version for custom_kind in custom_kinds() if custom_kind.kind == name]
    groups = dict.fromkeys(_group(home) for home in homes)
    best = [home for group in groups for home in _homes(homes, f"{group}/")]
    return _write(best) if best else None


_OWN = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
"""Groups of Kubernetes without a dot in their name. Others without a dot are of files that are
never applied to a cluster: `skaffold/v4`, `builtin`.
"""


def _is_kubernetes_own(api_version: str, bundle: Bundle) -> bool:
    """Return whether only Kubernetes can serve this API; removed APIs of Kubernetes count."""
    group = _group(api_version)
    if not group:
        # `builtin` is Kustomize's own, and no version of the core.
        return api_version[:1] == "v" and is_digits(api_version[1:2])
    return group in _OWN or any(_group(api) == group for api, _ in bundle.kinds())


def _homes(homes: list[str], api_version: str) -> list[str]:
    """Return the best apiVersion that has a kind: of the same group, or else of any."""
    same = [api for api in homes if _group(api) == _group(api_version)]
    # The stable one is what people want; without one, the newest.
    stable = [api for api in same or homes if "alpha" not in api and "beta" not in api]
    return stable or (same or homes)[-1:]


def _history(bundle: Bundle, kind: Kind) -> str:
    """Return when this apiVersion of the kind was added or removed, if that is within the bundled
    versions.
    """
    versions = supported_versions()
    serving = [version for version in versions if kind in load(version)]
    index = versions.index(bundle.name)
    if later := [version for version in serving if versions.index(version) > index]:
        return f"; {later[0]} adds it"
    return f"; {serving[-1]} was the last version with it" if serving else ""


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
