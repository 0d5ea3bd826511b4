"""Values of a GPU platform's chart that lack what the chart, or another object, needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.release import ARGO, FLUX, Release, releases
from gpuspec.lint.analysis.serving.dcgm import readers, unscraped
from gpuspec.lint.analysis.serving.monitors import GROUP
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path, format_path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.objects import Object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context

RULE = Rule(
    "GPU113",
    "platform-values",
    "warning",
    "A GPU platform chart's values omit something that the chart or another object needs",
)

_TEXTS: dict[str, tuple[Path, ...]] = {
    "gpu-operator": (("migManager", "config", "data"), ("devicePlugin", "config", "data")),
    "nvidia-device-plugin": (("config", "map"),),
}
"""The values of which a chart makes the data of a ConfigMap."""
_DRA = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")
_CLASSES = ("gpu.nvidia.com", "mig.nvidia.com")
_GATES = {"TimeSlicing": "TimeSlicingSettings", "MPS": "MPSSupport"}
"""The driver's feature gate of each strategy of sharing; both are off by default."""
_GATELESS = ("24.", "25.3.")
_RESOURCE = "resource.k8s.io"
_SCRAPERS = ("ServiceMonitor", "PodMonitor", "ScrapeConfig")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield releases of the charts that make nodes ready for GPUs."""
    for release in releases(obj):
        yield from _no_texts(release)
        if release.chart in _DRA and release.whole:
            yield from _no_gpus(release, context)
            yield from _no_gate(release, context)
        if release.chart == "gpu-operator" and release.whole:
            yield from _no_metrics(release, context)


def _no_texts(release: Release) -> Iterator[RawFinding]:
    for path in _TEXTS.get(release.chart, ()):
        if at(release.values, (*path[:-1], "create")) is not True and path[-1] == "data":
            # The chart makes no ConfigMap then.
            continue
        for key, value in mapping(at(release.values, path)).items():
            if isinstance(value, dict | list):
                place, inside = release.place(*path)
                yield RawFinding(
                    place,
                    f"`{key}` must be a string, because `{format_path(path)}` becomes the data "
                    "of a ConfigMap: the release fails",
                    note="write the whole file as text under its name: `config.yaml: |`",
                    key=True,
                    inside=inside,
                )
                break


def _no_gpus(release: Release, context: Context) -> Iterator[RawFinding]:
    path: Path = ("resources", "gpus", "enabled")
    enabled = at(release.values, path)
    if enabled is False:
        for claim in _claims(context):
            for where, name in _asked(claim):
                place, inside = release.place(*path)
                yield RawFinding(
                    place,
                    f"`resources.gpus.enabled` is `false`, but {claim.kind} `{claim.name}` "
                    f"requests class `{name}`: the driver publishes no GPUs, and the claim is "
                    "never allocated",
                    note=(
                        "set `resources.gpus.enabled: true`, and `gpuResourcesEnabledOverride: "
                        "true` next to `resources`"
                    ),
                    confidence="likely",
                    related=(RelatedPlace(claim.number, where, "requested here"),),
                    inside=inside,
                )
                return
    elif enabled in (None, True) and not release.values.get("gpuResourcesEnabledOverride"):
        place, inside = release.place(*(path if enabled else ()))
        yield RawFinding(
            place,
            "the chart rejects `resources.gpus.enabled: true`, its default, unless "
            "`gpuResourcesEnabledOverride` is true: nothing is installed",
            note=(
                "set `gpuResourcesEnabledOverride: true` if no device plugin advertises the same "
                "GPUs, or else `resources.gpus.enabled: false`"
            ),
            inside=inside,
        )


def _no_gate(release: Release, context: Context) -> Iterator[RawFinding]:
    if release.version.startswith(_GATELESS):
        return
    gates = mapping(release.values.get("featureGates"))
    for claim in _claims(context):
        for index, config in enumerate(map(mapping, items(_devices(claim).get("config")))):
            opaque = mapping(config.get("opaque"))
            strategy = text(at(opaque, ("parameters", "sharing", "strategy")))
            gate = _GATES.get(strategy)
            if opaque.get("driver") != _CLASSES[0] or gate is None or gates.get(gate) is True:
                continue
            where = (*_at(claim), "config", index, "opaque", "parameters", "sharing", "strategy")
            place, inside = release.place("featureGates")
            yield RawFinding(
                place,
                f"{claim.kind} `{claim.name}` shares its GPU by `{strategy}`, which needs the "
                f"driver's feature gate `{gate}`, but the values do not enable the gate: pods "
                "with the claim stay in `ContainerCreating`",
                note=f"set `featureGates: {{{gate}: true}}`",
                confidence="likely",
                related=(RelatedPlace(claim.number, where, "requested here"),),
                inside=inside,
            )
            return


def _no_metrics(release: Release, context: Context) -> Iterator[RawFinding]:
    off = unscraped(release)
    kinds = context.collection.kinds
    if off is None or kinds & {(GROUP, scraper) for scraper in _SCRAPERS}:
        return
    if not off.written and ((GROUP, "PrometheusRule") not in kinds or _is_spoken_of(context)):
        # Without its operator, a Prometheus may go by the annotation of the exporter's Service.
        return
    reader = next(readers(context.collection), None)
    if reader is None:
        return
    place, inside = release.place(*off.path)
    false = "is false" if off.written else f"is false by default in release {release.version}"
    yield RawFinding(
        place,
        f"{reader.object.kind} `{reader.object.name}` needs metrics of DCGM's exporter, but "
        f"`{format_path(off.path)}` {false}: {reader.then}, unless another monitor "
        "scrapes the exporter",
        note=f"set `{format_path(off.path)}: true`",
        confidence="likely",
        related=(RelatedPlace(reader.object.number, reader.path, "requested here"),),
        inside=inside,
    )


def _is_spoken_of(context: Context) -> bool:
    """Return whether something else may have the exporter scraped: a chart's values, a file of
    Prometheus'."""
    of = context.collection.of
    others = [
        *of("", "ConfigMap"),
        *of("", "Secret"),
        *of(FLUX, "HelmRelease"),
        *of(ARGO, "Application"),
    ]
    for obj in others:
        other_releases = [release for release in releases(obj) if release.chart != "gpu-operator"]
        value_sources = (
            [release.values for release in other_releases]
            if other_releases
            else [obj.value.get("data")]
        )
        if any("dcgm" in str(source).lower() for source in value_sources):
            return True
        if any(release.chart == "dcgm-exporter" for release in other_releases):
            return True
    return False


def _claims(context: Context) -> list[Object]:
    of = context.collection.of
    return [*of(_RESOURCE, "ResourceClaim"), *of(_RESOURCE, "ResourceClaimTemplate")]


def _at(claim: Object) -> Path:
    deep = ("spec", "spec") if claim.kind == "ResourceClaimTemplate" else ("spec",)
    return claim.path(*deep, "devices")


def _devices(claim: Object) -> dict[str, object]:
    return mapping(at(claim.value, _at(claim)[len(claim.base) :]))


def _asked(claim: Object) -> Iterator[tuple[Path, str]]:
    """Yield the paths at which a claim requests NVIDIA GPUs without an alternative."""
    for index, request in enumerate(map(mapping, items(_devices(claim).get("requests")))):
        exactly = "exactly" in request
        name = text(mapping(request.get("exactly") if exactly else request).get("deviceClassName"))
        if name in _CLASSES:
            steps = ("exactly",) if exactly else ()
            yield (*_at(claim), "requests", index, *steps, "deviceClassName"), name
