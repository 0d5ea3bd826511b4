"""A model that LLMKube never stages for a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU829",
    "model-never-staged",
    "warning",
    "LLMKube cannot place a model where its server looks for it",
    fix="unsafe",
)
_LLAMACPP = ("", "llamacpp")
_STAGED = (*_LLAMACPP, "vllm", "sglang")
"""Runtimes for which init containers prepare a folder and download the model into it."""
_OWN_MODEL = ("-m", "--model", "-mu", "--model-url", "-hf", "-hfr", "--hf-repo", "-dr")
"""Options with which llama.cpp loads a model itself."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Services whose init containers the kubelet refuses, or which have none and name no
    model."""
    runtime, skips = text(obj.spec.get("runtime")), obj.spec.get("skipModelInit") is True
    if runtime in _STAGED and not skips:
        yield from _refused(obj)
    if runtime in _LLAMACPP and skips and not obj.spec.get("command"):
        yield from _without_model(obj)


def _refused(obj: Object) -> Iterator[RawFinding]:
    security = mapping(obj.spec.get("podSecurityContext"))
    ephemeral = mapping(obj.spec.get("modelCache")).get("persistence") == "Ephemeral"
    if security.get("runAsNonRoot") is not True or ephemeral:
        return
    path = obj.path("spec", "podSecurityContext", "runAsNonRoot")
    yield RawFinding(
        path,
        "`runAsNonRoot` applies to all containers of the pod, but LLMKube's own "
        "`model-cache-prep` is root since 0.8.21: the pod fails with "
        "`CreateContainerConfigError` before the server starts",
        note="set `runAsNonRoot` in `securityContext`, which applies only to the server",
        confidence="likely",
        fix=Fix("remove `runAsNonRoot` from the pod", (Drop(path),)),
    )


def _without_model(obj: Object) -> Iterator[RawFinding]:
    words = [word for word in items(obj.spec.get("extraArgs")) if isinstance(word, str)]
    has_model = any(word.partition("=")[0] in _OWN_MODEL for word in words)
    names = (mapping(variable).get("name") for variable in items(obj.spec.get("env")))
    if has_model or any(text(name).startswith("LLAMA_ARG_") for name in names):
        return
    yield RawFinding(
        obj.path("spec", "skipModelInit"),
        "`skipModelInit: true` omits the download, and `extraArgs` names no model: LLMKube passes "
        "llama.cpp an empty `--model`, and the server exits",
        note="name the model in `extraArgs` (`-m`, `-hf`), or remove `skipModelInit`",
        confidence="likely",
    )
