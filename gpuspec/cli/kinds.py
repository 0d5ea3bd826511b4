"""The kinds as people type them on the command line."""

from collections.abc import Iterable

from gpuspec.cli.suggestions import choice
from gpuspec.escaping.meant import folded

KINDS = {
    "inference": "Inference",
    "training": "Training",
    "fine-tune": "FineTune",
    "batch-inference": "BatchInference",
    "cluster-profile": "ClusterProfile",
}
"""Our kinds, by the names that people type."""

SCHEMAS = KINDS | {"configuration": "Configuration"}
"""What `schema` knows."""

STARTERS = (*KINDS, "smoke-test")
"""What `init` knows."""


def kind_named(word: str, known: Iterable[str]) -> str:
    """Return the name that was typed, however it was spelled.

    Raises `InputError` with what was meant, and with all names when none was typed.
    """
    names = list(known)
    for name in names:
        if folded(name) == folded(word):
            return name
    from gpuspec import InputError, Problem

    text = f"no kind `{word}`" if word else "KIND is missing"
    raise InputError([Problem(text, hint=choice(word, names))])


def completed(known: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that a half-typed one may become."""
    return [name for name in known if name.startswith(incomplete)]
