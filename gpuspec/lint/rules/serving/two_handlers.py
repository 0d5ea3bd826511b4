"""A probe or a hook merged over one with another handler, so that it has both.

Source: kserve/kserve at v0.20.0, config/llmisvcconfig, and `mergeSpecs` of
pkg/controller/v1alpha2/llmisvc/config_merge.go: a strategic merge, which keeps both handlers.
"""

from collections.abc import Iterator

from gpuspec.kinds.kserve import preset_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU853",
    "two-handlers",
    "warning",
    "An LLMInferenceService's handler is merged with one of another kind from KServe's preset",
)
_CONFIG = "serving.kserve.io", "LLMInferenceServiceConfig"
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
_HANDLERS = ("exec", "grpc", "httpGet", "sleep", "tcpSocket")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check containers that are merged over those of KServe's own preset."""
    owner = pod.object
    preset = preset_of(owner.value, pod.base[len(owner.base) :])
    if preset is None or any(obj.name == preset for obj in context.collection.of(*_CONFIG)):
        return
    for container in pod.containers:
        if container.name != owner.traits.main_container or container.path()[-2:-1] != (
            "containers",
        ):
            continue
        # Workers answer no client: their preset has no probes.
        probes = [] if pod.base[-1] == "worker" else [((probe,), "httpGet") for probe in _PROBES]
        for steps, theirs in (*probes, (("lifecycle", "preStop"), "exec")):
            yield from _both(container, steps, theirs, preset)


def _both(
    container: PodContainer, steps: tuple[str, ...], theirs: str, preset: str
) -> Iterator[RawFinding]:
    own_handlers = mapping(at(container.value, steps))
    handlers = [handler for handler in _HANDLERS if handler in own_handlers]
    if not handlers or theirs in handlers:
        return
    yield RawFinding(
        container.path(*steps, handlers[0]),
        f"`{steps[-1]}` has `{handlers[0]}`, but KServe's preset adds `{theirs}`: the API server "
        "rejects a Deployment with both, and no pod is created",
        note=f"use `{theirs}`, or replace LLMInferenceServiceConfig `{preset}` in this namespace",
        confidence="likely",
    )
