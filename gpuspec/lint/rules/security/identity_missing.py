"""A pod that reads a bucket without an identity, while others have one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.buckets import IDENTITIES, account_of, buckets_of
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU983",
    "identity-missing",
    "warning",
    "A ServiceAccount lacks the identity with which other pods read the same bucket",
)
_CREDENTIALS = ("AWS_", "GOOGLE_", "AZURE_", "S3_", "MINIO_")
"""How variables begin with which programs log in, or find another storage."""
_ACCOUNT = ("", "ServiceAccount")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield a pod that names a bucket and has neither credentials nor an identity of its own."""
    collection = context.collection
    if _ACCOUNT not in collection.kinds or not is_whole(pod) or _has_credentials(pod):
        return
    name = account_of(pod)
    account = collection.named(*_ACCOUNT, name, pod.object.namespace)
    if account is None and name != "default":
        return
    for bucket in sorted(buckets_of(pod)):
        annotation = IDENTITIES[bucket.partition("://")[0]]
        if account is not None and (
            annotation in account.annotations or account.value.get("secrets")
        ):
            continue
        yield RawFinding(
            pod.path("serviceAccountName"),
            f"ServiceAccount `{name}` has no `{annotation}`, but other pods read "
            f"`{bucket}` with an account that has it: the storage rejects this pod's requests",
            note=f"set `serviceAccountName` to the account of those pods, or annotate `{name}`",
            confidence="likely",
            unless=partial(_has_no_other, bucket, annotation, pod.object),
        )
        return


def _has_credentials(pod: Pod) -> bool:
    """Return whether the pod may get credentials in another way."""
    volumes = (volume for _, volume in pod.volumes.values())
    return any("secret" in volume or "projected" in volume for volume in volumes) or any(
        container.value.get("envFrom")
        or any(variable.startswith(_CREDENTIALS) for variable in container.env)
        for container in pod.every
    )


def _has_no_other(bucket: str, annotation: str, owner: Object, collection: Collection) -> bool:
    """Return whether no other pod of the namespace reads a bucket with an identity."""
    return not any(
        bucket in pod.buckets
        and pod.namespace == owner.namespace
        and (account := collection.named(*_ACCOUNT, pod.account, pod.namespace)) is not None
        and annotation in account.annotations
        for pod in collection.pods
    )
