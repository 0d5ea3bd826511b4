"""Resources and amounts of them, as the API server takes them.

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
"""What containers have of every node."""
COUNTS: tuple[str, ...] = (
    "pods",
    "services",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "configmaps",
)
COUNTS += ("persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
"""Objects of which a quota counts how many there are."""
_STANDARD = {*SIMPLE, *COUNTS, "storage", "requests.storage"}
_STANDARD |= {f"{word}.{name}" for word in ("requests", "limits") for name in SIMPLE}


def standard(name: str) -> str | None:
    """Return why a name is of no resource that there is, or that somebody else has; None if it
    is."""
    if problem := label_key(name):
        return f"it {problem}"
    if "/" in name or name in _STANDARD or name.removeprefix("requests.").startswith(PAGES):
        return None
    return "there is no such resource"


def of_containers(name: str) -> str | None:
    """Return why containers cannot ask for a name; None if they can."""
    if problem := standard(name):
        return problem
    if "/" not in name:
        return (
            None if name in SIMPLE or name.startswith(PAGES) else "containers have no such resource"
        )
    return (
        None
        if "kubernetes.io/" in name or is_extended(name)
        else "it cannot be asked for by this name"
    )


def is_extended(name: str) -> bool:
    """Return whether a resource is counted in whole numbers, as devices are."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return label_key(f"requests.{name}") is None


def counted(name: str, value: Any, path: Path) -> Iterator[SchemaViolation]:
    """Yield what is wrong with an amount: it is not negative, and whole where it is counted."""
    quantity = amount(value)
    if quantity is None:
        return
    if quantity < 0:
        yield refused(path, "expected a quantity that is not negative")
    elif (name in COUNTS or is_extended(name)) and quantity.value.denominator != 1:
        yield refused(path, f"expected a whole number of `{name}`")
