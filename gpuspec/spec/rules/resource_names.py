"""Rules for names of extended resources."""

from gpuspec.manifests import label_key
from gpuspec.spec.quoting import shown


def extended_resource(name: str) -> str | None:
    """Return why a string is not the name of an extended resource, or None if it is."""
    if reason := label_key(name):
        return f"{shown(name)} is not a resource: {reason}"
    prefix, slash, _ = name.partition("/")
    if not slash:
        return f"{shown(name)} is not an extended resource: write vendor/name, as nvidia.com/gpu"
    if prefix == "kubernetes.io" or prefix.endswith(".kubernetes.io"):
        return f"{shown(name)} is not an extended resource: kubernetes.io is Kubernetes' own"
    return None
