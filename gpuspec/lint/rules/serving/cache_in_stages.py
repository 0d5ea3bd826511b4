"""A prefill or decode server of vLLM whose cache is divided into stages, which NIXL does not hand over."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Pod
from gpuspec.objects.transfers import transfer_of

RULE = Rule(
    "GPU862",
    "cache-in-stages",
    "warning",
    "A server with pipeline parallelism transfers its KV cache",
)
_CONNECTOR = "NixlConnector"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield vLLM servers with both settings, which exit at startup."""
    transfer = transfer_of(pod)
    if transfer is None or transfer.server != "vllm" or transfer.connectors != {_CONNECTOR}:
        return
    vllm = runtimes.get("vllm")
    if vllm.settings.pipeline is None or vllm.parallel is None:
        return
    options = (*vllm.settings.pipeline.flags, *vllm.parallel.pipeline)
    for container in pod.containers:
        stages = container.words.flag(*options)
        number = read_whole(stages.value) if stages and stages.value else None
        if stages is not None and number is not None and number > 1:
            yield RawFinding(
                stages.path,
                f"{_CONNECTOR} cannot transfer a cache that is split into {number} pipeline "
                "stages: the server exits at startup",
                note=(
                    "remove pipeline parallelism: split the model only with "
                    "`--tensor-parallel-size`, even over several nodes"
                ),
                confidence="likely",
            )
