"""The time that Knative leaves a request: more than it takes, or less than a model takes to load.

Source: knative/serving at 98e5ef90aa, pkg/apis/serving/v1/revision_validation.go and
config/core/configmaps/defaults.yaml; kserve/kserve at aaac4e294, its ksvc_reconciler.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.kinds.scale import Scale
from gpuspec.lint.analysis.serving.loading import loading, loading_by_name
from gpuspec.lint.analysis.serving.progress import on_knative
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping, text, whole
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Pod
from gpuspec.objects.scale import scale_of

RULE = Rule(
    "GPU524",
    "revision-timeout",
    "warning",
    "Knative times a request out before the model loads, or rejects the timeout",
)
_DEFAULT, _MOST = 300, 600
_FIELDS = {"serving.kserve.io": "timeout"}
_CONFIG = "config-defaults", "knative-serving"
_MOST_KEY, _DEFAULT_KEY = "max-revision-timeout-seconds", "revision-timeout-seconds"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield revisions of Knative's, and what KServe makes of them."""
    if not on_knative(pod) or not (pod.has_gpu or pod.claims):
        return
    field = _FIELDS.get(pod.object.group, "timeoutSeconds")
    path, seconds_written = pod.path(field), whole(pod.spec.get(field))
    most = _configured(context, _MOST_KEY, _MOST)
    if seconds_written is not None and seconds_written > most:
        yield RawFinding(
            path,
            f"`{field}: {seconds_written}`, but Knative allows at most {most} s: its webhook "
            "rejects the revision, and no pod is created",
            note=f"write at most {most}, or raise `{_MOST_KEY}` in ConfigMap `{_CONFIG[0]}`",
            confidence="likely",
        )
    elif seconds_written != 0:
        yield from _wakes(pod, context, path, seconds_written)


def _wakes(
    pod: Pod, context: Context, path: Path, seconds_written: int | None
) -> Iterator[RawFinding]:
    """Yield requests that must wait for a new pod, which takes at least as long as loading its
    weights."""
    scale = scale_of(pod, context.collection)
    if not isinstance(scale, Scale) or scale.least:
        return
    seconds = (
        _configured(context, _DEFAULT_KEY, _DEFAULT) if seconds_written is None else seconds_written
    )
    for gpu_worker in gpu_workers(pod):
        load = loading(pod, gpu_worker, server_of(gpu_worker), context) or loading_by_name(
            pod, gpu_worker, context
        )
        if load is None or load.seconds <= seconds:
            continue
        default = " (the default)" if seconds_written is None else ""
        yield RawFinding(
            path,
            f"a request that finds no pod fails after {seconds} s{default}, but a new pod needs "
            f"about {load.read} s to read the weights, after the node's start and the image pull: "
            "the first caller gets an error",
            note=load.words,
            severity=None if load.known else "info",
            confidence="likely" if load.known else "possible",
        )
        return


def _configured(context: Context, key: str, default: int) -> int:
    """Return a Knative setting, if its ConfigMap is in the set."""
    config = context.collection.named("", "ConfigMap", *_CONFIG)
    data = {} if config is None else mapping(config.value.get("data"))
    configured = read_whole(text(data.get(key)))
    return default if configured is None else configured
