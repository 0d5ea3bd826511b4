"""Slinky, which runs Slurm on Kubernetes: nodes and controller. Source: its CRDs of August 2026."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kind, Reference
from gpuspec.kinds.references import claim, claim_spec, config_map, secret
from gpuspec.manifests.values import at, mapping

if TYPE_CHECKING:
    from gpuspec.manifests import Path

SLINKY = "slinky.slurm.net"
_SCRIPTS = (
    *("prologScriptRefs", "epilogScriptRefs"),
    *("prologSlurmctldScriptRefs", "epilogSlurmctldScriptRefs"),
)


def _template(value: dict[str, Any], inside: Path) -> dict[str, Path]:
    """Return the pod's own fields, which `worker_app.go` merges with the container."""
    template: Path = ("spec", "template", "spec")
    return {field: (*template, field) for field in mapping(at(value, template))}


KINDS = (
    Kind(
        SLINKY,
        "NodeSet",
        "workload",
        flat=(Flat("spec.slurmd"),),
        elsewhere=_template,
        life="service",
        completed=True,
        plainly=lambda value: True,
        image_filled=True,
        refers=(
            Reference("spec.controllerRef", "name", SLINKY, "Controller"),
            secret("spec.ssh.sssdConfRef", "name", "key"),
        ),
    ),
    Kind(
        SLINKY,
        "Controller",
        "runtime",
        refers=(
            *(
                secret(f"spec.{field}", "name", "key")
                for field in ("slurmKeyRef", "jwtHs256KeyRef")
            ),
            secret("spec.jwtKeyRef", "name", "key"),
            config_map("spec.jwksKeyRef", "name", "key"),
            Reference("spec.accountingRef", "name", SLINKY, "Accounting"),
            config_map("spec.configFileRefs.*"),
            *(config_map(f"spec.{script}.*") for script in _SCRIPTS),
            claim("spec.persistence", "existingClaim"),
            *claim_spec("spec.persistence"),
        ),
    ),
)
