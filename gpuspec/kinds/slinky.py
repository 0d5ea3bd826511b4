"""Slinky, which runs Slurm on Kubernetes: nodes and controller. Source: its CRDs of August 2026."""

from __future__ import annotations

from gpuspec.kinds.model import Flat, Kind, Reference
from gpuspec.kinds.references import claim, claim_spec, config_map, secret

SLINKY = "slinky.slurm.net"
_SCRIPTS = (
    *("prologScriptRefs", "epilogScriptRefs"),
    *("prologSlurmctldScriptRefs", "epilogSlurmctldScriptRefs"),
)

KINDS = (
    Kind(
        SLINKY,
        "NodeSet",
        "workload",
        # The pod's own fields are in `spec.template`, and what runs there beside it.
        flat=(Flat("spec.slurmd"),),
        life="service",
        completed=True,
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
