"""A quota on a device under a key that nothing counts by."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, Rename, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU111",
    "quota-key",
    "warning",
    "A ResourceQuota uses a device key that Kubernetes does not count",
    fix="unsafe",
)
# Quotas by count of objects, by storage class and by device class have a slash or a dot elsewhere.
_OTHERS = ("count/", "requests.", "kubernetes.io/")
_CLASSES = (".storageclass.storage.k8s.io/", ".deviceclass.resource.k8s.io/")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield quota keys of extended resources that are not counted: only requests are."""
    hard = mapping(obj.spec.get("hard"))
    for key in hard:
        if not isinstance(key, str) or "/" not in key or key.startswith(_OTHERS):
            continue
        if any(class_sign in key for class_sign in _CLASSES):
            continue
        right = f"requests.{key.removeprefix('limits.')}"
        path = obj.path("spec", "hard", key)
        yield RawFinding(
            path,
            f"`{key}` limits nothing: for extended resources a quota counts only `{right}`",
            key=True,
            fix=None if right in hard else Fix(f"write `{right}`", (Rename(path, right),)),
        )
