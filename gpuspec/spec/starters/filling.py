"""Writes the model and the GPUs given to `gpuspec init` into the lines of a starter.

A starter is a complete spec, so that it can be checked with the schema. Its lines are found by
their keys, commented out or not, and the comment after a value is kept.
"""

import re
from collections.abc import Sequence

import msgspec

from gpuspec import hardware, models
from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.quoting import quote
from gpuspec.spec.rules.devices import find, unknown

PROFILE = "cluster-profile"
_MODELLED = ("inference", "fine-tune", "batch-inference")
_GIB, _MIB = 1 << 30, 1 << 20
_EXACT = 16 * _GIB
"""Sizes below this are written in Mi, because rounding to Gi would be too coarse."""
_COMMENT = 31
"""The column of comments, unless the text before them is longer."""


class StarterOptions(msgspec.Struct, frozen=True):
    """The options of the command line."""

    model: str | None = None
    gpus: Sequence[str] = ()
    count: int | None = None
    context: int | None = None
    """The context to write if the model's own does not fit; None for the model's own."""


def filled(name: str, text: str, starter_options: StarterOptions) -> str:
    """Return a starter's text with the options filled in. Raises `InputError` for an option that
    the kind does not have."""
    lines = text.split("\n")
    if starter_options.model is not None:
        if name not in _MODELLED:
            hint = f"--model is for {', '.join(_MODELLED)}"
            raise InputError(
                [Problem(f"--model: {name} neither serves nor tunes a model", hint=hint)]
            )
        _model(lines, starter_options.model, starter_options.context)
    if name == PROFILE:
        _pool(lines, starter_options)
    elif any(_found(line, "models") for line in lines):
        if starter_options.gpus:
            _put(lines, "models", f"[{', '.join(map(quote, starter_options.gpus))}]")
            _image(lines, starter_options.gpus)
        if starter_options.count is not None:
            _put(lines, "count", str(starter_options.count))
    elif starter_options.gpus or starter_options.count is not None:
        _put(lines, "gpu", _inline(starter_options))
    return "\n".join(lines)


def _model(lines: list[str], model: str, context: int | None) -> None:
    _put(lines, "id", quote(model))
    _size(lines, model)
    known_model = models.known_model(model)
    if known_model is None:
        return
    longest = known_model.context if context is None else context
    why = "longest prompt and answer, in tokens: the model's maximum"
    if longest < known_model.context:
        why = f"longest prompt and answer, in tokens: the GPUs do not fit all {known_model.context}"
    _put(lines, "context", str(longest), why)
    if known_model.gated:
        _put(
            lines,
            "hub",
            "{cache: hub-cache, tokenSecret: hf}",
            "the key `token` of Secret hf, from an account that accepted the licence",
        )


def _size(lines: list[str], model: str) -> None:
    weights = models.weights_of(model)
    if weights is None:
        comment = "of the stored weights; set it, because the model is unknown"
        _put(lines, "size", "16Gi", comment, active=False)
        return
    size = weights.most
    size_text = f"{-(-size // _MIB)}Mi" if size < _EXACT else f"{-(-size // _GIB)}Gi"
    if weights.origin == "published":
        _put(lines, "size", size_text, "of the weights, as published")
    else:
        _put(lines, "size", size_text, "of the weights: assumed from the name", active=False)


def _image(lines: list[str], gpus: Sequence[str]) -> None:
    """Set the server's image for AMD GPUs if all GPUs are AMD's."""
    if all(model.vendor == "amd" for name in gpus for model in find(name)):
        lines[:] = [line.replace("vllm/vllm-openai:", "vllm/vllm-openai-rocm:") for line in lines]


def _inline(starter_options: StarterOptions) -> str:
    parts = []
    if starter_options.gpus:
        parts.append(f"models: [{', '.join(map(quote, starter_options.gpus))}]")
    return f"{{{', '.join([*parts, f'count: {starter_options.count or 1}'])}}}"


def _pool(lines: list[str], starter_options: StarterOptions) -> None:
    """Set the pool of a profile: for other GPUs, its other numbers are only examples."""
    if len(starter_options.gpus) > 1:
        hint = "a pool has one model: start with one, and copy the pool for the other"
        raise InputError(
            [Problem(f"--gpu: {len(starter_options.gpus)} models in one pool", hint=hint)]
        )
    if not starter_options.gpus and starter_options.count is None:
        return
    typed = starter_options.gpus[0] if starter_options.gpus else "H100-80GB"
    gpu_models = find(typed)
    if len(gpu_models) != 1:
        raise InputError([_which(typed, [gpu_model.name for gpu_model in gpu_models])])
    model = gpu_models[0]
    _put(lines, "- name", model.name.lower())
    _put(lines, "gpu", f"{{model: {model.name}, count: {starter_options.count or 8}}}")
    whole = "of one node; default: the smallest machine sold with the GPU"
    _put(lines, "allocatable", "{cpu: 190, memory: 1900Gi}", whole, active=False)
    _put(
        lines, "reserved", "{cpu: 2, memory: 8Gi}", "used by DaemonSets, on one node", active=False
    )
    for labeller in hardware.labellers().values():
        values = labeller.values_of(model)
        if values and labeller.product:
            comment = "labels that all nodes of this pool have, and no other node"
            _put(lines, "labels", f"{{{labeller.product}: {values[0]}}}", comment, active=False)
            return


def _which(typed: str, matches: list[str]) -> Problem:
    if not matches:
        broken = unknown(typed, ())
        return Problem(f"--gpu: {broken.message}", hint=broken.hint)
    return Problem(f"--gpu: {typed} can mean {', '.join(matches)}", hint="name one of them")


def _put(
    lines: list[str], key: str, value: str, comment: str | None = None, *, active: bool = True
) -> None:
    """Replace the value in the first line with a key, and its comment if a new one is given."""
    for index, line in enumerate(lines):
        match = _found(line, key)
        if match:
            new_comment = match["comment"] if comment is None else comment
            code = f"{match['indent']}{'' if active else '# '}{key}: {value}"
            lines[index] = f"{code:<{_COMMENT - 3}}   # {new_comment}" if new_comment else code
            return


def _found(line: str, key: str) -> re.Match[str] | None:
    pattern = rf"(?P<indent> *)(?:# )?{re.escape(key)}: .*?(?: +# (?P<comment>.*))?"
    return re.fullmatch(pattern, line)
