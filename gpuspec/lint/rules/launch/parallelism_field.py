"""Tensor parallelism that an operator is told of, over more GPUs than its pods have."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU747",
    "parallelism-field",
    "error",
    "An LLMInferenceService divides its model over more GPUs than its pods have",
)


def check(one: Object, context: Context) -> Iterator[Found]:
    """`parallelism.tensor` against the GPUs of the one pod that there is without `worker`."""
    for base in (("spec",), ("spec", "prefill")):
        part = mapping(one.spec.get("prefill")) if base[-1] == "prefill" else one.spec
        tensor = mapping(part.get("parallelism")).get("tensor")
        if not isinstance(tensor, int) or isinstance(tensor, bool) or "worker" in part:
            continue
        path = one.path(*base, "template")
        gpus = [pod.gpus for pod in one.pods if pod.base == path]
        if not gpus or not gpus[0] or tensor <= gpus[0]:
            continue
        yield Found(
            one.path(*base, "parallelism", "tensor"),
            f"`tensor: {tensor}` needs {tensor} GPUs, and a pod has {gpus[0]}; without `worker` there "
            "is one pod: the engine waits for others that never come",
            note="pods of one replica share a model with `pipeline` and a `worker` template",
        )
