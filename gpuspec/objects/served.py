"""The model names that a pod's servers accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests.values import items

if TYPE_CHECKING:
    from gpuspec.objects.command_line import CommandLine
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_SERVED = "--served-model-name"
_MODEL = "--model"
"""The option whose value vLLM accepts as the model name by default."""
_GGUF = ".gguf"
_ADAPTERS = "--lora-modules"
_AT_RUNTIME = "VLLM_ALLOW_RUNTIME_LORA_UPDATING"
_NAME = re.compile(r'''"name"\s*:\s*"([^"]+)"''')

_OPENS, _CLOSES = re.compile(r"[{\[]"), re.compile(r"[}\]]")


def served_by(pod: Pod) -> frozenset[str]:
    """Return the model names that a pod's accelerator containers accept; empty if none is written,
    or if adapters with other names can be loaded at run time."""
    if any(_AT_RUNTIME in gpu_container.env for gpu_container in pod.gpu_containers):
        return frozenset()
    container_names = [
        (gpu_container, _names(gpu_container.words)) for gpu_container in pod.gpu_containers
    ]
    return frozenset(
        name
        for container, names in container_names
        if names
        for name in (*names, *_adapters(container))
    )


def _adapters(container: PodContainer) -> list[str]:
    """Return the names of adapters, which clients request like models."""
    if container.words.flag(_ADAPTERS) is None:
        return []
    words = (*items(container.value.get("command")), *items(container.value.get("args")))
    module_names = [name for word in words if isinstance(word, str) for name in _NAME.findall(word)]
    return [*module_names, *_values(container.words, _ADAPTERS)]


def _names(words: CommandLine) -> list[str]:
    if words.flag(_SERVED) is None:
        model = words.flag(_MODEL)
        if model is None or not model.value or model.value.endswith(_GGUF):
            return []  # llama.cpp, which reads such files, answers to any name
        return [model.value]
    return _values(words, _SERVED)


def _values(words: CommandLine, option: str) -> list[str]:
    """Return the values of a list option, and the names of `name=value` items. JSON that was split
    into words is ignored."""
    values: list[str] = []
    follows = False
    depth = 0
    for word in words:
        was_inside, depth = depth > 0, depth + len(_OPENS.findall(word.text))
        is_json = was_inside or depth > 0
        depth = max(0, depth - len(_CLOSES.findall(word.text)))
        name, joined, value = word.text.partition("=")
        if word.text.startswith("-") and not was_inside:
            follows = name.replace("_", "-") == option
            values += [value.partition("=")[0]] if follows and joined and not is_json else []
        elif follows and not is_json:
            values.append(name)
    return values
