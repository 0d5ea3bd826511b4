"""The names of kinds on the command line."""

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
"""The kinds of gpuspec, by their names on the command line."""

SCHEMAS = KINDS | {"configuration": "Configuration"}
"""The kinds that `schema` accepts."""

STARTERS = (*KINDS, "smoke-test")
"""The kinds that `init` accepts."""


def kind_named(word: str, kind_names: Iterable[str]) -> str:
    """Return the kind's name, regardless of spelling.

    Raises `InputError` with the name that was probably meant, or with all names if none was typed.
    """
    names = list(kind_names)
    for name in names:
        if folded(name) == folded(word):
            return name
    from gpuspec import InputError, Problem

    text = f"no kind `{word}`" if word else "KIND is missing"
    raise InputError([Problem(text, hint=choice(word, names))])


def completed(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that complete a half-typed one."""
    return [name for name in names if name.startswith(incomplete)]
