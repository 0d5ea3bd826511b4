"""A GPU server that is scaled by how busy, or how full, its GPU is."""

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.servers import gpu_workers, is_first, server_of
from gpuspec.lint.analysis.serving.signals import signals
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scalers import scalers_of
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU802",
    "utilisation-as-signal",
    "warning",
    "A model server is scaled by GPU utilisation or memory",
)
# Names of the DCGM exporter, of Google's and AWS's agents, and of exporters that follow nvidia-smi.
_BUSY = re.compile(
    r"dcgm_fi_dev_gpu_util|dcgm_fi_prof_gr_engine_active|duty_cycle|gpu_?util|utilization_gpu", re.I
)
_FULL = re.compile(
    r"dcgm_fi_dev_(fb_used|fb_free|mem_copy_util)|gpu_?mem(ory)?_?(used|util)|accelerator.memory_used",
    re.I,
)

_NAME = re.compile(r"[\w:]+")
_NAME_END = re.compile(r"[\w:]+$")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield metrics and queries that name the GPU's utilisation or its memory."""
    if pod.life == "finite" or not is_first(pod):
        return
    server = next(filter(None, map(server_of, gpu_workers(pod))), None)
    greedy = server is not None and server.gpu_memory.greedy
    for scaler in scalers_of(pod.object, context.collection):
        for signal in signals(scaler):
            if signal.kind not in ("metric", "query"):
                continue
            full = _FULL.search(signal.text)
            busy = None if full else _BUSY.search(signal.text)
            if busy is None and (full is None or not greedy):
                continue
            yield RawFinding(
                signal.path,
                _message(server, busy and _metric(busy), full and _metric(full)),
                note=_note(server),
                severity="warning" if greedy else "info",
                confidence="likely" if greedy else "possible",
                object=scaler.object.number,
            )


def _metric(match: re.Match[str]) -> str:
    """Return the whole name of a metric of which a part was recognised."""
    before = _NAME_END.search(match.string[: match.start()])
    after = _NAME.match(match.string, match.end())
    return (before[0] if before else "") + match[0] + (after[0] if after else "")


def _message(server: Runtime | None, busy: str | None, full: str | None) -> str:
    if full is not None:
        title = "the server" if server is None else server.title
        return (
            f"`{full}` never changes: {title} reserves its share of GPU memory at startup, so "
            "replicas stay at their maximum or minimum"
        )
    if server is not None and server.gpu_memory.greedy:
        return (
            f"`{busy}` shows only that a kernel runs, and with {server.title} a single request "
            "causes this: the autoscaler goes straight to the maximum"
        )
    return (
        f"`{busy}` shows only that a kernel runs, not the free capacity: good for steady "
        "batches, but near 100 % with one long request"
    )


def _note(server: Runtime | None) -> str | None:
    if server is None or server.metrics is None:
        return (
            "scale on waiting requests, or on the length of the queue, if the program reports them"
        )
    return (
        f"scale on waiting requests: `{server.metrics.queue}`, about {server.metrics.target} per "
        "replica"
    )
