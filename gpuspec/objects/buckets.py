"""The object storage buckets that containers name, and the identity with which they read them.

Sources: Amazon EKS user guide, service-accounts (`eks.amazonaws.com/role-arn`); GKE samples,
`iam.gke.io/gcp-service-account`; Azure Workload Identity, "Service Account Labels and Annotations".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests.values import items, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.objects import Pod

_AZURE = "azure.workload.identity/client-id"
IDENTITIES = {
    "s3": "eks.amazonaws.com/role-arn",
    "gs": "iam.gke.io/gcp-service-account",
    **dict.fromkeys(("abfs", "abfss", "wasb", "wasbs"), _AZURE),
}
"""The ServiceAccount annotation that names a provider's identity, by the scheme of the bucket's
URL."""
_SCHEMES = "|".join(IDENTITIES)


def buckets_of(pod: Pod) -> frozenset[str]:
    """Return the buckets in the command lines and variables of a pod's containers: `s3://models`."""
    return frozenset(
        bucket[0]
        for value in _texts(pod)
        if "://" in value
        for bucket in re.finditer(rf"\b(?:{_SCHEMES})://[\w.@-]+", value)
    )


def account_of(pod: Pod) -> str:
    """Return the name of the ServiceAccount that a pod runs as."""
    names = (text(pod.spec.get(field)) for field in ("serviceAccountName", "serviceAccount"))
    return next(filter(None, names), "default")


def _texts(pod: Pod) -> Iterator[str]:
    for container in pod.every:
        for field in ("command", "args"):
            yield from (word for word in items(container.value.get(field)) if isinstance(word, str))
        yield from (value for name in container.env if (value := container.env_value(name)))
