"""A liveness probe that ends a server before it has loaded its model."""

from collections.abc import Iterator
from math import ceil
from typing import Any

from gpuspec.lint.analysis.serving.agents import loads_no_model, only_waits
from gpuspec.lint.analysis.serving.hub import is_hub_name
from gpuspec.lint.analysis.serving.loading import Loading, loading
from gpuspec.lint.analysis.serving.probes import Times, always_true, handler, port_of, times
from gpuspec.lint.analysis.serving.servers import gpu_workers, loads_on_request, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Drop, Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU501",
    "liveness-kills-loading",
    "error",
    "The liveness probe kills the server while it loads its model",
    fix="unsafe",
)
LEAST = 300
"""Seconds that a model server is to be given. One in four that have a startup probe give less."""
TIMES = 3
"""The factor on the startup time of a server that starts fast."""
UNKNOWN_LEAST = 60
"""Seconds for a program of which nothing is known but that it uses a GPU."""
MODEL_LEAST = 90
"""Seconds for one that loads a model of the hub, by its variables: on a new node, also on the CPU."""
PRESET = 150
"""Seconds that KServe's own liveness probe of those releases gives (its issue 5062)."""
PERIOD = 10
UNKNOWN_BUDGET = 1800
"""The proposed startup budget in seconds if the model's size is unknown."""
_HUB_FOLDERS = ("HF_HOME", "HF_HUB_CACHE", "TRANSFORMERS_CACHE", "SENTENCE_TRANSFORMERS_HOME")
_WORKBENCH = ("kubeflow.org", "Notebook")
_SERVED = ("serving.kserve.io", "LLMInferenceService")
_OLD = "v1alpha1"
"""The version of the API that those releases have, whose templates are in config/llmisvcconfig."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with a liveness probe and no startup probe."""
    if pod.life == "finite":
        return
    yield from _inherited(pod)
    workers = gpu_workers(pod)
    if not workers and not pod.has_gpu:
        workers = tuple(container for container in pod.containers if _keeps_hub_models(container))
    for container in workers:
        live = container.probe("liveness")
        if live is None or container.value.get("startupProbe") is not None or always_true(live):
            continue
        if only_waits(container):
            continue
        probe_times = times(live)
        if probe_times is None or handler(live) is None:
            continue
        server = server_of(container)
        if server is not None and loads_on_request(server):
            continue
        loads_nothing = pod.object.is_a(*_WORKBENCH) or loads_no_model(container)
        least = MODEL_LEAST if _loads_hub_model(container) else UNKNOWN_LEAST
        if server is None and (probe_times.budget >= least or loads_nothing):
            continue
        yield _found(container, live, probe_times, server, loading(pod, container, server, context))


def _inherited(pod: Pod) -> Iterator[RawFinding]:
    """Yield a server that KServe gives a liveness probe of its own, and in older releases no
    other."""
    owner = pod.object
    if not owner.is_a(*_SERVED) or owner.version != _OLD:
        return
    for container in gpu_workers(pod):
        if container.name != owner.traits.main_container or container.value.get("startupProbe"):
            continue
        live = container.probe("liveness")
        if live is not None:
            probe_times = times(live)
            # Of a container with an image of its own, the image tells the server; a budget that is
            # too short for any program is told of whatever the container is.
            elsewhere = (
                probe_times is None or probe_times.budget < UNKNOWN_LEAST or bool(container.image)
            )
            if probe_times is not None and not elsewhere and probe_times.budget <= PRESET:
                yield RawFinding(
                    container.path("livenessProbe"),
                    f"`livenessProbe` kills the container {probe_times.budget} s after its start if it "
                    "does not answer by then, and KServe before 0.17.0 adds no `startupProbe` "
                    "to delay it: a large model never finishes loading",
                    note="add your own `startupProbe`, which KServe merges into its template",
                    severity="warning",
                    confidence="possible",
                    fix=_fix(container, live, None, None),
                )
        else:
            yield RawFinding(
                container.path("startupProbe"),
                "KServe before 0.17.0 adds a liveness probe, which kills the container 150 s "
                "after its start, and no `startupProbe`: a large model never finishes loading",
                note="add your own `startupProbe`, which KServe merges into its template",
                severity="info",
                confidence="possible",
            )


def _found(
    container: PodContainer,
    live: dict[str, Any],
    probe_times: Times,
    server: Runtime | None,
    load: Loading | None,
) -> RawFinding:
    path = container.path("livenessProbe")
    fix = _fix(container, live, server, load)
    within = f"`livenessProbe` kills the container {probe_times.budget} s after its start"
    if server is None:
        return RawFinding(
            path,
            f"{within} if it does not answer by then, and no `startupProbe` delays it: a "
            "program that loads a model is rarely that fast",
            severity="warning",
            confidence="possible",
            fix=fix,
        )
    if load is not None and load.known and probe_times.budget < load.seconds:
        return RawFinding(
            path,
            f"{within}, while {server.title} still loads its model, in an endless loop: no "
            "`startupProbe` delays it",
            note=load.words,
            fix=fix,
        )
    needs = min(LEAST, TIMES * server.startup.seconds) if load is None else load.seconds
    if load is None and probe_times.budget < needs < LEAST:
        return RawFinding(
            path,
            f"{within} if it does not answer by then, and no `startupProbe` delays it: "
            f"{server.title} may take longer to load its model, and is then killed repeatedly",
            severity="warning",
            confidence="possible",
            fix=fix,
        )
    if probe_times.budget < needs:
        return RawFinding(
            path,
            f"{within}, and no `startupProbe` delays it: {server.title} usually takes "
            "minutes to load its model",
            note=None if load is None else load.words,
            severity="warning",
            confidence="likely",
            fix=fix,
        )
    unwatched = (
        f"the kubelet notices no hang in the first {probe_times.delay} s"
        if probe_times.delay > probe_times.patience
        else f"the kubelet notices a hang only after {probe_times.patience} s"
    )
    return RawFinding(
        path,
        "`livenessProbe` is used in place of a `startupProbe`: a server that takes "
        f"longer than {probe_times.budget} s to load is killed each time, and {unwatched}",
        severity="info",
        fix=fix,
    )


def _fix(
    container: PodContainer, live: dict[str, Any], server: Runtime | None, load: Loading | None
) -> Fix:
    """Return the same question, asked as a startup probe with room; liveness needs no delay
    then."""
    handler_entry = handler(live)
    assert handler_entry is not None
    name, details = handler_entry
    if server is not None and server.probes is not None and name in ("httpGet", "tcpSocket"):
        name, details = "httpGet", {"path": server.probes.startup.path, "port": port_of(live)}
    budget = UNKNOWN_BUDGET if load is None else max(LEAST, 2 * load.seconds)
    probe = {
        name: details,
        "periodSeconds": PERIOD,
        "timeoutSeconds": 5,
        "failureThreshold": ceil(budget / PERIOD),
    }
    changes: list[Change] = [Put(container.path("startupProbe"), probe)]
    if "initialDelaySeconds" in live:
        changes.append(Drop(container.path("livenessProbe", "initialDelaySeconds")))
    return Fix(f"add a `startupProbe` that allows {ceil(budget / 60)} minutes", tuple(changes))


def _loads_hub_model(container: PodContainer) -> bool:
    """Return whether variables set the hub's cache folder or model."""
    return _keeps_hub_models(container) or any(
        name.endswith("MODEL") and is_hub_name(container.env_value(name) or "")
        for name in container.env
    )


def _keeps_hub_models(container: PodContainer) -> bool:
    return any(name in container.env for name in _HUB_FOLDERS)
