"""The names of models that a pod's servers answer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod
    from gpuspec.objects.words import Words

_SERVED = "--served-model-name"
_MODEL = "--model"
"""What vLLM answers to where no other name is given."""


def served_by(pod: Pod) -> frozenset[str]:
    """The names that clients ask its containers with accelerators for; empty where none is written."""
    return frozenset(name for one in pod.gpu_containers for name in _names(one.words))


def _names(words: Words) -> list[str]:
    if words.flag(_SERVED) is None:
        model = words.flag(_MODEL)
        return [model.value] if model is not None and model.value else []
    found: list[str] = []
    follows = False
    for word in words:
        name, joined, value = word.text.partition("=")
        if word.text.startswith("-"):
            # The option takes several names: each is as good as the others.
            follows = name.replace("_", "-") == _SERVED
            found += [value] if follows and joined else []
        elif follows:
            found.append(word.text)
    return found
