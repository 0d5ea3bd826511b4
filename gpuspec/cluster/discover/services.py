"""Services of a cluster besides its nodes: source of metrics, Knative's pod fields, the node
manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.cluster.discover.input import field, mapping
from gpuspec.numbers import read_whole
from gpuspec.spec import Duration
from gpuspec.spec.knative import FEATURES, Knative
from gpuspec.spec.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from gpuspec.cluster.discover.input import LiveNode

Json = dict[str, Any]
KNATIVE = "knative-serving"
_CUSTOM, _EXTERNAL = "custom.metrics.k8s.io", "external.metrics.k8s.io"
_LONGEST = 600
"""Knative's default of `max-revision-timeout-seconds`, in seconds."""
_MOST = 1 << 31


class Services(msgspec.Struct, frozen=True):
    """Services for a profile, with remarks."""

    metrics: Metrics | None
    knative: Knative
    comments: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


def read_services(objects: Iterable[Json]) -> Services:
    """Return the services in APIServices and in Knative's ConfigMaps."""
    every = [*objects]
    metrics, comment, notes = _metrics(every)
    maps = {
        str(field(obj, "metadata", "name")): mapping(obj, "data")
        for obj in every
        if field(obj, "metadata", "namespace") == KNATIVE
    }
    knative = _knative(maps.get("config-features", {}), maps.get("config-defaults", {}))
    comments: dict[str, tuple[str, ...]] = {"metrics": (comment,)} if comment else {}
    return Services(metrics, knative, comments, notes)


def _metrics(objects: Iterable[Json]) -> tuple[Metrics | None, str, tuple[str, ...]]:
    """Return the source of metrics, a comment on it, and notes. KEDA's Prometheus is in no
    object."""
    by = {
        str(field(obj, "spec", "group")): mapping(obj, "spec", "service")
        for obj in objects
        if field(obj, "spec", "group") in (_CUSTOM, _EXTERNAL)
    }
    external = by.get(_EXTERNAL, {})
    is_keda = "keda" in f"{external.get('namespace')} {external.get('name')}"
    notes: tuple[str, ...] = ()
    if is_keda:
        notes = (
            "KEDA serves external.metrics.k8s.io: for `metrics` with `source: keda`, write the address "
            "of its Prometheus and KEDA's version in `installed`",
        )
    source: Literal["custom-metrics", "external-metrics"]
    if _CUSTOM in by:
        source, api = "custom-metrics", _CUSTOM
    elif external and not is_keda:
        source, api = "external-metrics", _EXTERNAL
    else:
        return None, "", notes
    service = by[api]
    name = f"{service.get('namespace')}/{service.get('name')}"
    comment = f"{name} serves {api}, but does not show which series of a server it has"
    return Metrics(source=source), comment, notes


def _knative(features: Json, defaults: Json) -> Knative:
    enabled = (feature for feature in FEATURES if str(features.get(feature)).lower() == "enabled")
    seconds = read_whole(defaults.get("max-revision-timeout-seconds"), _MOST)
    longest = Duration(seconds) if seconds and seconds != _LONGEST else None
    return Knative(features=tuple(enabled), longest_timeout=longest)


def is_autopilot(nodes: Sequence[LiveNode]) -> bool:
    """Return whether GKE alone manages the nodes: Autopilot's are called `gk3-…`, others `gke-…`.

    Source: https://ahmet.im/blog/gke-autopilot, "Poking at nodes".
    """
    return bool(nodes) and all(node.name.startswith("gk3-") for node in nodes)
