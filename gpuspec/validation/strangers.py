"""What to say of an object that has no schema. Imported only when there is one."""

from functools import cache
from typing import Any

from gpuspec.validation.bundle import Bundle, Kind, load, supported_versions
from gpuspec.validation.violation import Violation
from gpuspec.validation.words import closest, instead


def unnamed(value: Any) -> tuple[Violation, ...]:
    """What to say of a value that does not name its kind."""
    if not isinstance(value, dict):
        message = instead("a Kubernetes object, which is a map", value)
        return (Violation((), message, "wrong-type", "a map"),)
    found = []
    for field in ("apiVersion", "kind"):
        if field not in value:
            message = f"required field `{field}` is missing"
            found.append(Violation((field,), message, "missing-field"))
        elif not isinstance(value[field], str):
            message = instead("a string", value[field])
            found.append(Violation((field,), message, "wrong-type", "a string"))
    return tuple(found)


@cache
def unknown(bundle: Bundle, kind: Kind) -> tuple[Violation]:
    """What to say of a kind that has no schema in this version."""
    api_version, name = kind
    if not _is_kubernetes_own(api_version, bundle):
        message = f"no schema for `{api_version}` {name}: it was not checked"
        return (Violation((), message, "no-schema"),)
    homes = _homes(bundle, kind)
    if not homes:
        kinds = [other for api, other in bundle.kinds() if api == api_version]
        message = f"Kubernetes {bundle.version} has no kind `{name}` in `{api_version}`"
        return (Violation(("kind",), message, "not-served", hint=closest(name, kinds)),)
    message = f"Kubernetes {bundle.version} has no `{api_version}` {name}{_history(bundle, kind)}"
    right = " or ".join(f"`{home}`" for home in homes)
    hint = f"write `apiVersion: {homes[0]}`" if len(homes) == 1 else f"write one of {right}"
    return (Violation(("apiVersion",), message, "not-served", right, hint),)


def _is_kubernetes_own(api_version: str, bundle: Bundle) -> bool:
    """Whether nobody but Kubernetes can serve this API.

    The group of a custom resource has a dot in its name, so groups without one are Kubernetes' own,
    those included that it has given up (`extensions`).
    """
    group = _group(api_version)
    return "." not in group or any(_group(api) == group for api, _ in bundle.kinds())


def _homes(bundle: Bundle, kind: Kind) -> list[str]:
    """The apiVersions that have a kind of this name: of the same group, else of any."""
    api_version, name = kind
    homes = [api for api, other in bundle.kinds() if other == name]
    same = [api for api in homes if _group(api) == _group(api_version)]
    # The stable one is what people want; without one, the newest.
    stable = [api for api in same or homes if "alpha" not in api and "beta" not in api]
    return stable or (same or homes)[-1:]


def _history(bundle: Bundle, kind: Kind) -> str:
    """When this apiVersion of the kind came or went, if that is within the bundled versions."""
    versions = supported_versions()
    serving = [version for version in versions if kind in load(version)]
    here = versions.index(bundle.version)
    if later := [version for version in serving if versions.index(version) > here]:
        return f"; it comes with {later[0]}"
    return f"; {serving[-1]} was the last to have it" if serving else ""


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
