"""A program without a capability that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.placement.fabrics import EFA, fabric_devices, fabric_pools
from gpuspec.lint.analysis.security.bypass import is_privileged
from gpuspec.lint.analysis.security.users import gid_of, is_non_root, uid_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.scheduling import is_whole
from gpuspec.products import capability_needs
from gpuspec.runtimes.recognise import is_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod
    from gpuspec.products import CapabilityNeed

RULE = Rule(
    "GPU931",
    "capability-missing",
    "warning",
    "A program lacks a capability that it needs, or the root user that the capability needs",
)
_LOCK = "IPC_LOCK"
_CHOWN = "chown"
_PROFILING = "DCGM_FI_PROF"
# Files of the exporter's image that have profiling counters.
_SHIPPED = (
    "/etc/dcgm-exporter/default-counters.csv",
    "/etc/dcgm-exporter/dcp-metrics-included.csv",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield programs of the table, then RDMA devices whose memory cannot be locked."""
    for container in pod.every:
        if is_privileged(container):
            continue
        added = _added(container)
        programs = [need for need in capability_needs() if _is_run(need, container)]
        for need in programs:
            if need.counters and not _has_profiling(container, pod, context):
                continue
            yield from _of_program(need, pod, container, added)
        if not added & {_LOCK, "ALL"} and all(need.capability != _LOCK for need in programs):
            yield from _of_devices(pod, container, context)


def _added(container: PodContainer) -> set[str]:
    added = items(mapping(container.security.get("capabilities")).get("add"))
    return {text(capability).upper().removeprefix("CAP_") for capability in added}


def _dropped(container: PodContainer) -> set[str]:
    dropped = items(mapping(container.security.get("capabilities")).get("drop"))
    return {text(capability).upper().removeprefix("CAP_") for capability in dropped}


def _is_run(need: CapabilityNeed, container: PodContainer) -> bool:
    """Return whether a container runs a program, in the way that needs the capability."""
    words = container.words
    is_entrypoint = not container.value.get("command") and is_image(container.image, need.images)
    if not is_entrypoint and words.has(*need.commands) is None:
        return False
    if need.options and words.flag(*need.options) is None:
        return False
    return words.has(*need.unless) is None and not any(
        words.flag(name) or name in container.env for name in need.unless
    )


def _of_program(
    need: CapabilityNeed, pod: Pod, container: PodContainer, added: set[str]
) -> Iterator[RawFinding]:
    title = need.title
    if "{word}" in title and (word := container.words.has(*need.commands)) is not None:
        title = title.replace("{word}", word.text.rpartition("/")[2])
    if need.default and (container.words.has("sudo") is not None or need.capability in added):
        # GPU607 reports what a non-root container adds.
        return
    if need.default and need.root and is_non_root(pod, container):
        if _keeps_owner(need, pod, container):
            return
        yield RawFinding(
            container.path("securityContext"),
            f"{title} must be root, but the container runs as another user: {need.then}",
            note="set `runAsUser: 0` and `runAsNonRoot: false` for this container, or `fsGroup` for volumes",
            confidence="likely",
        )
    elif need.default and not _dropped(container) & {need.capability, "ALL"}:
        return
    elif not added & {need.capability, "ALL", *need.also}:
        yield RawFinding(
            _place(container),
            f"{title} needs the capability `{need.capability}`, which the container "
            f"{'drops' if need.default else 'does not add'}: "
            f"{need.then}",
            note=(
                f"set `securityContext: {{capabilities: {{add: [{need.capability}]}}}}`, in a "
                "namespace that does not enforce `baseline`"
            ),
            confidence="likely",
        )
    elif need.root and is_non_root(pod, container):
        yield RawFinding(
            _place(container),
            f"{title} must be root, but the container runs as another user: the capability "
            f"`{need.capability}` has no effect, and {need.then}",
            note="set `runAsUser: 0` and `runAsNonRoot: false`",
            confidence="likely",
        )


def _keeps_owner(need: CapabilityNeed, pod: Pod, container: PodContainer) -> bool:
    """Return whether every `chown` names the container's own user and group, as an owner may. With
    options it can be for all files of a folder, of which some are others'."""
    user, group = uid_of(pod, container), gid_of(pod, container)
    if _CHOWN not in need.commands or user is None:
        return False
    words = [word.text for word in container.words]
    return {str(user), f"{user}:{group}"}.issuperset(
        after
        for word, after in zip(words, (*words[1:], ""), strict=True)
        if word.rpartition("/")[2] == _CHOWN
    )


def _place(container: PodContainer) -> Path:
    steps = ["securityContext"]
    if container.security.get("capabilities") is not None:
        steps.append("capabilities")
    return container.path(*steps)


def _has_profiling(container: PodContainer, pod: Pod, context: Context) -> bool:
    """Return whether the exporter's file of counters has profiling ones; one that the set does not
    show has none."""
    file = container.words.value("-f", "--collectors") or container.env_value(
        "DCGM_EXPORTER_COLLECTORS"
    )
    if not file or file in _SHIPPED:
        return True
    maps = [
        context.collection.named("", "ConfigMap", text(source.get("name")), pod.object.namespace)
        for _, volume in pod.volumes.values()
        if (source := mapping(volume.get("configMap")))
    ]
    texts = [content for obj in maps if obj for content in mapping(obj.value.get("data")).values()]
    return any(
        line.strip().startswith(_PROFILING)
        for content in texts
        for line in text(content).split("\n")
    )


def _of_devices(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    """Yield RDMA devices whose program lacks the capability to lock memory. AWS raises the limit on
    nodes with EFA; GPU912 has the pools whose profile states the limit; a preset or a runtime that
    a pod is merged with may add the capability, as KServe's presets do."""
    main = pod.object.traits.main_container
    if not is_whole(pod) and (not container.image or container.name == main):
        return
    devices = {
        name: path for name, path in fabric_devices(container, context).items() if name != EFA
    }
    if not devices or not container.gpus or is_non_root(pod, container):
        return
    if refuses_baseline(pod, context):
        return
    if any(pool.pool.rdma and pool.pool.rdma.memlock for pool in fabric_pools(pod, context)):
        return
    name, path = next(iter(devices.items()))
    if "networking.gke.io" in name:
        return
    yield RawFinding(
        path,
        f"RDMA over `{name}` locks memory, and the container has no `{_LOCK}`: where the container "
        "runtime limits locked memory, as containerd does by default, RDMA fails to register "
        "buffers (`ibv_reg_mr`) and NCCL uses TCP",
        note=f"add the capability `{_LOCK}`, or set `LimitMEMLOCK=infinity` for the container runtime "
        "on these nodes",
        severity="info",
        confidence="possible",
    )
