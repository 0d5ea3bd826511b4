"""A volume that is created before its pod is scheduled."""

from collections.abc import Iterator

from gpuspec.lint.analysis.placement.zonal_disks import has_zonal_disks
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.namespaced import NamespacedIndex
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU847",
    "bound-too-soon",
    "warning",
    "A zonal or local volume is bound before its pod is scheduled",
    fix="unsafe",
)
_FIELD = "volumeBindingMode"
_OF_NODES = frozenset({"topolvm.io", "rancher.io/local-path", "local.csi.openebs.io"})


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield classes of such disks of which a claim of the set is mounted."""
    users = NamespacedIndex(
        (name, pod.namespace, pod) for pod in collection.pods for name in dict.fromkeys(pod.claims)
    )
    for obj in collection.of("storage.k8s.io", "StorageClass"):
        where = _where(obj)
        if where is None:
            continue
        for claim in collection.of("", "PersistentVolumeClaim"):
            if claim.spec.get("storageClassName") != obj.name or claim.spec.get("volumeName"):
                continue
            mounting: list[PodFacts] = users.at(claim.name, claim.namespace)
            if mounting:
                yield _found(obj, claim, mounting[0], where)
                break


def _where(obj: Object) -> str | None:
    """Return the topology of a class's disks once they are created; None if it is unrestricted, or
    binding waits for the pod."""
    value = obj.value
    if value.get(_FIELD, "Immediate") != "Immediate" or value.get("allowedTopologies"):
        return None
    if has_zonal_disks(obj):
        return "zone"
    return "node" if text(value.get("provisioner")) in _OF_NODES else None


def _found(obj: Object, claim: Object, pod: PodFacts, where: str) -> RawFinding:
    path = obj.path(_FIELD)
    gpus = f", and not every {where} has GPUs" if pod.gpus else ""
    return RawFinding(
        path,
        f"StorageClass `{obj.name}` creates the disk of `{claim.name}` in some {where} "
        f"before {pod.kind} `{pod.name}` is scheduled{gpus}: if the pod cannot run in "
        f"that {where}, it stays Pending",
        fix=set_field(path, "WaitForFirstConsumer"),
        confidence="likely",
        object=obj.number,
        related=(
            RelatedPlace(claim.number, claim.path("metadata", "name"), "is bound immediately"),
        ),
    )
