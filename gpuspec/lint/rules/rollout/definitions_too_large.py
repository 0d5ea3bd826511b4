"""Definitions of a chart that Argo CD cannot apply, since it keeps them whole in an annotation."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.charts.release import releases
from gpuspec.charts.tables import chart_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping
from gpuspec.numbers import read_version
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU870",
    "definitions-too-large",
    "warning",
    "A chart's CustomResourceDefinitions are too large for Argo CD's client-side apply",
    fix="unsafe",
)
_APPLIED_OTHERWISE = ("ServerSideApply=true", "Replace=true")
_NUMBERS = 3
"""As many numbers has a release; with fewer it is a range."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Applications of charts of which it is known, unless they are applied on the server's
    side."""
    policy = mapping(obj.spec.get("syncPolicy"))
    sync_options = items(policy.get("syncOptions"))
    all_options = (*sync_options, obj.annotations.get("argocd.argoproj.io/sync-options"))
    if any(
        option in str(sync_option) for sync_option in all_options for option in _APPLIED_OTHERWISE
    ):
        return
    sources = (obj.spec.get("source"), *items(obj.spec.get("sources")))
    if any(at(mapping(source), ("helm", "skipCrds")) is True for source in sources):
        return
    for release in releases(obj):
        chart, version = chart_of(release.chart), read_version(release.version)
        if chart is None or not chart.large or len(version) != _NUMBERS:
            continue
        if version < read_version(chart.large):
            continue
        options = obj.path("spec", "syncPolicy", "syncOptions")
        option_put = (
            Put((*options, len(sync_options)), _APPLIED_OTHERWISE[0])
            if sync_options
            else Put(options, [_APPLIED_OTHERWISE[0]])
        )
        yield RawFinding(
            options,
            f"the CustomResourceDefinitions of {release.chart} are too large for an annotation, "
            "in which Argo CD stores what it applies: the sync fails",
            note="set `ServerSideApply=true` in `syncOptions`, which stores no copy",
            confidence="likely",
            fix=Fix("add `ServerSideApply=true` to `syncOptions`", (option_put,)),
        )
        return
