"""Rules for a cluster's gateway: the needs of each implementation, and endpoint pickers."""

from collections.abc import Iterator

from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.runtimes import pickers, version, version_of
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.routing import Gateway, Picker
from gpuspec.spec.rules.violation import SpecViolation, chosen, exactly_one

ROUTER = "openshift-router"
_PATH: Path = ("spec", "gateway")
_INSTALLED: Path = ("spec", "installed")
# What each component is called, the first release that can do what is written, and one to show.
_ROUTES = ("gateway-api", (1, 2), "1.4")
_POOLS = ("inference-extension", (1, 0), "1.5")
_POLICIES = ("envoy-gateway", (1, 4), "1.9")
_PROVIDERS = {"gke": "gke", ROUTER: "openshift"}
_OF_GATEWAYS = ("name", "namespace", "listener", "picker")


def problems(spec: ClusterProfileSpec, gateway: Gateway) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a profile's gateway."""
    implementation, path = gateway.implementation, (*_PATH, "implementation")
    provider = _PROVIDERS.get(implementation or "")
    if provider is not None and provider != spec.provider:
        message = f"{implementation} exists only on clusters of provider {provider}"
        hint = f"set `provider: {provider}`, or leave out `implementation`"
        yield SpecViolation(message, path, hint, needs=(("spec", "provider"), ("spec", "extends")))
    if implementation == ROUTER:
        for field in chosen(gateway, _OF_GATEWAYS):
            message = f"OpenShift's router is not a Gateway: it has no `{field}`"
            yield SpecViolation(
                message, (*_PATH, field), "delete it, or `implementation`", key=True
            )
        return
    for field in ("name", "namespace"):
        if getattr(gateway, field) is None:
            hint = "set `name` and `namespace` of the Gateway"
            yield SpecViolation(
                f"the Gateway has no `{field}`", _PATH, hint, needs=((*_PATH, field),)
            )
    message = "routes of Gateway API {} cannot limit a request's duration"
    yield from _needs(spec, _PATH, "`gateway` needs Gateway API", _ROUTES, message)
    if implementation == "envoy-gateway":
        message = "a BackendTrafficPolicy of Envoy Gateway {} would replace the Gateway's own"
        yield from _needs(spec, path, "the implementation is Envoy Gateway", _POLICIES, message)
    if gateway.picker is not None:
        at = (*_PATH, "picker")
        message = "the inference extension {} does not serve v1 InferencePools"
        yield from _needs(spec, at, "`picker` needs the inference extension", _POOLS, message)
        yield from _picker(gateway.picker, at)


def _needs(
    spec: ClusterProfileSpec,
    path: Path,
    requirement: str,
    component: tuple[str, tuple[int, int], str],
    old: str,
) -> Iterator[SpecViolation]:
    """Yield a component that is not installed, or whose release lacks a needed feature."""
    name, since, shown_version = component
    installed_release = spec.installed.get(name)
    if installed_release is None:
        hint = f'add installed: {{{name}: "{shown_version}"}} with its version'
        yield SpecViolation(
            f"{requirement}, which is not installed", path, hint, key=True, needs=(_INSTALLED,)
        )
    elif (*read_version(installed_release), 0)[:2] < since:
        hint = f"supported by {'.'.join(map(str, since))} and later"
        yield SpecViolation(
            old.format(installed_release), path, hint, key=True, needs=(_INSTALLED,)
        )


def _picker(picker: Picker, path: Path) -> Iterator[SpecViolation]:
    """Yield an unknown picker, or one whose release does not support its settings."""
    yield from exactly_one(picker, ("image", "service"), path, "the picker")
    if picker.image is None:
        return
    at = (*path, "image")
    picker_program = pickers.program_of(picker.image)
    if picker_program is None:
        hint = f"known: {', '.join(image for program in pickers.programs() for image in program.images)}"
        yield SpecViolation(f"{shown(picker.image)} is not a known endpoint picker", at, hint)
        return
    release = version_of(picker.version) if picker.version else version(picker.image)
    if release is None:
        yield SpecViolation(
            f"the release of {picker_program.title} is unknown", at, "write `version`"
        )
    elif release < picker_program.oldest:
        message = (
            f"{picker_program.title} {'.'.join(map(str, release))} gets its servers in another way "
            "than later releases"
        )
        yield SpecViolation(message, at, f"supported by {picker_program.since} and later")
