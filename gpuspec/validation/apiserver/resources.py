"""Resources and amounts of them, as the API server accepts them.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/helper/helpers.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.manifests import label_key
from gpuspec.validation.apiserver.reading import amount, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.violation import SchemaViolation

PAGES = "hugepages-"
SIMPLE = ("cpu", "memory", "ephemeral-storage")
"""The standard resources of containers."""
COUNTS: tuple[str, ...] = (
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
)
COUNTS += ("persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
"""Objects that a quota can count."""
_STANDARD = {*SIMPLE, *COUNTS, "storage", "requests.storage"}
_STANDARD |= {f"{word}.{name}" for word in ("requests", "limits") for name in SIMPLE}


def standard(name: str) -> str | None:
    """Return the fault of a resource's name; None if it is valid."""
    if problem := label_key(name):
        return f"it {problem}"
    if "/" in name or name in _STANDARD or name.removeprefix("requests.").startswith(PAGES):
        return None
    return "unknown resource"


def of_containers(name: str) -> str | None:
    """Return why containers cannot request a resource; None if they can."""
    if problem := standard(name):
        return problem
    if "/" not in name:
        return (
            None
            if name in SIMPLE or name.startswith(PAGES)
            else ("containers do not have this resource")
        )
    return (
        None
        if "kubernetes.io/" in name or is_extended(name)
        else "containers cannot request this resource"
    )


def is_extended(name: str) -> bool:
    """Return whether a resource is counted in whole numbers, like devices."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return label_key(f"requests.{name}") is None


def counted(name: str, value: Any, path: Path) -> Iterator[SchemaViolation]:
    """Check that an amount is not negative, and that a countable one is whole."""
    quantity = amount(value)
    if quantity is None:
        return
    if quantity < 0:
        yield refused(path, "expected a quantity of at least 0")
    elif (name in COUNTS or is_extended(name)) and quantity.value.denominator != 1:
        yield refused(path, f"expected a whole number of `{name}`")
