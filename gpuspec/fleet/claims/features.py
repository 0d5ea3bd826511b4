"""The features of Dynamic Resource Allocation that a minor of Kubernetes enables by default.

Source: k8s.io/kubernetes 1.35.8, 1.36.0 and 1.37.2, pkg/features/kube_features.go.
"""

from __future__ import annotations

import msgspec

from gpuspec.numbers import read_version

_GA = (1, 34)
_SECOND = (1, 36)


class Features(msgspec.Struct, frozen=True):
    """The feature gates that decide what is allocated."""

    claims: bool
    """`resource.k8s.io/v1` is served, and claims are allocated."""
    partitions: bool
    """DRAPartitionableDevices."""
    taints: bool
    """DRADeviceTaints."""
    capacity: bool
    """DRAConsumableCapacity."""
    conditions: bool
    """DRADeviceBindingConditions."""
    extended: bool
    """DRAExtendedResource."""
    ordered: bool
    """Whether pools and slices are tried in the order of their names; otherwise the order is
    random."""
    names: bool
    """Whether messages name the device on which an expression fails, and the fix."""


def features_of(version: str) -> Features:
    """Return the feature gates of a version, `major.minor`."""
    minor = read_version(version)
    second = minor >= _SECOND
    return Features(
        claims=minor >= _GA,
        partitions=second,
        taints=second,
        capacity=second,
        conditions=second,
        extended=second,
        ordered=second,
        names=minor >= (1, 37),
    )
