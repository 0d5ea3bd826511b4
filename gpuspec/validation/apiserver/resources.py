"""Names of resources, as the API server takes them. Each `_problem`-like function gives the reason why
not, or None.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/core/helper/helpers.go.
"""

from gpuspec.manifests import label_key

_PAGES = "hugepages-"
_SIMPLE = ("cpu", "memory", "ephemeral-storage")
_COUNTS: tuple[str, ...] = ("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps")
_COUNTS += ("persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
_STANDARD = {*_SIMPLE, *_COUNTS, "storage", "requests.storage"}
_STANDARD |= {f"{word}.{name}" for word in ("requests", "limits") for name in _SIMPLE}


def standard(name: str) -> str | None:
    """A resource that there is, or that somebody else has."""
    if problem := label_key(name):
        return f"it {problem}"
    if "/" in name or name in _STANDARD or name.removeprefix("requests.").startswith(_PAGES):
        return None
    return "there is no such resource"


def of_containers(name: str) -> str | None:
    """A resource that containers ask for."""
    if problem := standard(name):
        return problem
    if "/" not in name:
        return (
            None
            if name in _SIMPLE or name.startswith(_PAGES)
            else "containers have no such resource"
        )
    return (
        None
        if "kubernetes.io/" in name or is_extended(name)
        else "it cannot be asked for by this name"
    )


def is_extended(name: str) -> bool:
    """Whether a resource is counted in whole numbers, as devices are."""
    if "/" not in name or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    return label_key(f"requests.{name}") is None
