"""Objects that SOPS has encrypted: Flux, Argo CD or a plugin decrypts them before the apply.

Sources: getsops.io, Docs, Reference (only leaf values are encrypted); getsops/sops, `sops.go` (the
metadata branch of a tree); fluxcd/kustomize-controller, docs/spec/v1/kustomizations.md (decryption).
"""

from __future__ import annotations

from typing import Any

from gpuspec.loading.substitutions import Filling
from gpuspec.manifests.values import mapping

_METADATA = "sops"
_VALUE = "ENC["
_UNKNOWN = "${SOPS}"
DECRYPTION = Filling(more=True)
"""What fills in the values later."""
NOTE = "skipped: SOPS has encrypted its kind or name: lint the decrypted text"


def is_encrypted(value: dict[str, Any]) -> bool:
    """Return whether a document is SOPS' output: it has the checksum of the encrypted tree."""
    return "mac" in mapping(value.get(_METADATA))


def is_nameless(value: dict[str, Any]) -> bool:
    """Return whether an encrypted document hides which object it is."""
    names = (value.get("apiVersion"), value.get("kind"), mapping(value.get("metadata")).get("name"))
    return any(isinstance(name, str) and name.startswith(_VALUE) for name in names)


def readable(value: dict[str, Any]) -> dict[str, Any]:
    """Return an encrypted document without SOPS' own branch, and with placeholders for what is
    encrypted."""
    return {key: _readable(inner) for key, inner in value.items() if key != _METADATA}


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_readable(inner) for inner in value]
    return _UNKNOWN if isinstance(value, str) and value.startswith(_VALUE) else value
