"""A node label that went out of use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.labels import rename_key
from gpuspec.lint.analysis.placement.placing import requirement_path, requirements
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    pass

RULE = Rule(
    "GPU210",
    "old-label",
    "warning",
    "A node selector uses a retired label",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield old keys in `nodeSelector` and node affinity, unless the profile's pools have them."""
    from gpuspec import hardware

    old = hardware.replaced_labels()
    labels = {key for pool in context.placed for key in pool.pool.labels}
    seen_paths: set[tuple[str | int, ...]] = set()
    for requirement in (requirement for way in requirements(pod) for requirement in way):
        new = old.get(requirement.key)
        if new is None or requirement.key in labels or requirement.path in seen_paths:
            continue
        seen_paths.add(requirement.path)
        domain = hardware.label_domain(new.by)
        owners = domain.providers if domain else ()
        if new.only is not None and requirement.values != (new.only,):
            continue
        # A plain word like `agentpool` is people's own, but for the provider that used it.
        if owners and context.provider not in owners:
            continue
        fault = (
            f"no component sets `{requirement.key}` any more: the pod stays Pending"
            if new.gone
            else f"`{requirement.key}` is deprecated"
        )
        yield RawFinding(
            requirement_path(pod, requirement),
            f"{fault}; use `{new.by}` instead",
            key=True,
            # The kubelet sets both of Kubernetes' own to one value.
            fix=rename_key(pod, requirement, new.by, safe="kubernetes.io" in requirement.key),
            severity=None if new.gone else "info",
        )
