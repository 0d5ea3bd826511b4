"""Rules for an organisation's contracts."""

from collections.abc import Iterator

from gpuspec.manifests import Path, label_key
from gpuspec.spec.contracts import Contracts
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.violation import SpecViolation


def problems(contracts: Contracts, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for contracts: labels that no object can have, registries that
    no image can have."""
    for index, label in enumerate(contracts.required_labels):
        if reason := label_key(label):
            message = f"{shown(label)} is not a label key: {reason}"
            yield SpecViolation(message, (*path, "requiredLabels", index))
    for index, registry in enumerate(contracts.registries):
        if reason := _registry(registry):
            hint = "write the registry's host, perhaps with a folder: ghcr.io/example"
            yield SpecViolation(f"{shown(registry)} {reason}", (*path, "registries", index), hint)


def _registry(text: str) -> str | None:
    """Return why no image can begin with a text, or None if one can."""
    if "://" in text:
        return "has a scheme, which image names do not have"
    if "@" in text or (":" in text.rpartition("/")[2] and "/" in text):
        return "is an image, not a registry"
    if text != text.strip("/ "):
        return "begins or ends with '/' or a space"
    return None
