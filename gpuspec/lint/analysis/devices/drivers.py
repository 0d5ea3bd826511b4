"""The possible versions of NVIDIA's driver on a pod's node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.placement.placing import reached
from gpuspec.lint.analysis.reading.releases import all_releases
from gpuspec.lint.context import kept_in_run
from gpuspec.lint.model import RelatedPlace
from gpuspec.manifests.values import at, text
from gpuspec.numbers import read_version
from gpuspec.products import component_releases

if TYPE_CHECKING:
    from gpuspec.charts.release import Release
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

_VERSION = ("driver", "version")
_ENABLED = ("driver", "enabled")


class Driver(msgspec.Struct, frozen=True):
    """A version, and its source."""

    version: str
    who: str
    related: RelatedPlace | None = None


@kept_in_run
def drivers_of(pod: Pod, context: Context) -> tuple[Driver, ...]:
    """Return the drivers of all nodes that a pod may get: from the profile's pools, or else from
    the objects that install drivers. Empty if the driver of any node is unknown."""
    if context.placed:
        return _of_pools(pod, context)
    return context.collection.once(_installed)


def _of_pools(pod: Pod, context: Context) -> tuple[Driver, ...]:
    cluster = context.cluster
    operator = None if cluster is None else cluster.gpu_operator
    usual = None if operator is None else operator.driver.version
    driver_versions = [
        (advertising_pool.pool.name, advertising_pool.pool.driver or usual)
        for advertising_pool in reached(pod, context)
    ]
    if not all(version for _, version in driver_versions):
        return ()
    return tuple(Driver(str(version), f"pool `{name}` has") for name, version in driver_versions)


def _installed(collection: Collection) -> tuple[Driver, ...]:
    """Return the drivers that ClusterPolicies, NVIDIADrivers and releases of the operator's
    chart install."""
    drivers = [
        *(_of_policy(obj) for obj in collection.of("nvidia.com", "ClusterPolicy")),
        *(_of_driver(obj) for obj in collection.of("nvidia.com", "NVIDIADriver")),
        *(
            _of_release(obj, release)
            for obj, release in all_releases(collection)
            if release.chart == "gpu-operator"
        ),
    ]
    return tuple(driver for driver in drivers if driver) if all(drivers) else ()


def _of_policy(policy: Object) -> Driver | None:
    if at(policy.spec, _ENABLED) is False:
        return None
    return _said(policy, text(at(policy.spec, _VERSION)), policy.path("spec", *_VERSION))


def _of_driver(driver: Object) -> Driver | None:
    return _said(driver, text(driver.spec.get("version")), driver.path("spec", "version"))


def _of_release(obj: Object, release: Release) -> Driver | None:
    if at(release.values, _ENABLED) is False:
        return None
    version = text(at(release.values, _VERSION))
    if not version and release.whole:
        version = component_releases(release.chart, release.version).get("driver.version", "")
    return _said(obj, version, release.place(*_VERSION)[0])


def _said(obj: Object, version: str, path: Path) -> Driver | None:
    if not read_version(version):
        # Nothing, or a placeholder.
        return None
    who = f"{obj.kind} `{obj.name}` installs"
    return Driver(version, who, RelatedPlace(obj.number, path, "the driver"))
