"""Requirements of controllers on the pods that they make.

Source: k8s.io/kubernetes 1.35 and 1.37, pkg/apis/apps/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

POD = ("template", "spec")


def endless(spec: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that pods run until they are replaced."""
    pod = inner(spec, *POD)
    if (policy := pod.get("restartPolicy")) in ("OnFailure", "Never"):
        yield refused(
            (*POD, "restartPolicy"),
            f"expected `Always`, not `{policy}`: pods of this kind run until they are replaced",
            expected="Always",
        )
    if pod.get("activeDeadlineSeconds") is not None:
        yield refused(
            (*POD, "activeDeadlineSeconds"),
            "it cannot be set: pods of this kind run until they are replaced",
        )
