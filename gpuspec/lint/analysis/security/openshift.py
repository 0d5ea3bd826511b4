"""Signs of OpenShift in a set: objects or annotations that only OpenShift reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection

_DOMAIN = "openshift.io"
# Operators under this domain run on other distributions too.
_ELSEWHERE = ("nfd.openshift.io", "sriovnetwork.openshift.io")


def is_for_openshift(collection: Collection) -> bool:
    """Return whether a set has objects of OpenShift's own groups, or annotations of its own."""
    return collection.once(_is_for_openshift)


def _is_for_openshift(collection: Collection) -> bool:
    return any(_is_own(group) for group, _ in collection.kinds) or any(
        _is_own(key.partition("/")[0])
        for kind in collection.kinds
        for obj in collection.of(*kind)
        for key in obj.annotations
        if isinstance(key, str) and "/" in key
    )


def _is_own(domain: str) -> bool:
    return (domain == _DOMAIN or domain.endswith("." + _DOMAIN)) and domain not in _ELSEWHERE
