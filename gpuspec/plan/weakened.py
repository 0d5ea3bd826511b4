"""Requests of a spec that a namespace may reject: folders of the node, and capabilities."""

from gpuspec.kubernetes import BASELINE_CAPABILITIES, RESTRICTED_CAPABILITY
from gpuspec.manifests import Path
from gpuspec.plan import local_disk
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import RefusalReason, Resolution


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return folders of the node and capabilities that the namespace's level rejects."""
    enforced = resolution.permit.level
    if enforced not in ("restricted", "baseline"):
        return []
    where = f"namespace {resolution.workload.namespace} enforces {enforced}"
    neither = "use a namespace that enforces neither `restricted` nor `baseline`"
    refusal_reasons = [
        RefusalReason(
            f"{where}: it refuses folders of the node",
            resolution.workload.place(path),
            neither,
        )
        for path in _folders(resolution)
    ]
    allowed = {RESTRICTED_CAPABILITY} if enforced == "restricted" else BASELINE_CAPABILITIES
    capabilities = set(resolution.spec.capabilities)
    if beyond := sorted(capabilities - allowed):
        verb = "is" if len(beyond) == 1 else "are"
        text = f"{where}: {', '.join(beyond)} {verb} refused there"
        hint = (
            "use a namespace that enforces baseline"
            if capabilities <= BASELINE_CAPABILITIES
            else neither
        )
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "capabilities")), hint)
        )
    return refusal_reasons


def notes(resolution: Resolution) -> list[Note]:
    """Return a note if the namespace's level is unknown and could reject one of them."""
    if resolution.permit.level is not None:
        return []
    exceptions = [("hostPath", path) for path in _folders(resolution)][:1]
    beyond = [name for name in resolution.spec.capabilities if name not in BASELINE_CAPABILITIES]
    exceptions += [(", ".join(beyond), ("spec", "capabilities"))] if beyond else []
    namespace = resolution.workload.namespace
    return [
        Note(
            f"{exception}: namespace {namespace} must not enforce Pod Security restricted or baseline",
            Origin("spec", path),
            loud=True,
        )
        for exception, path in exceptions
    ]


def _folders(resolution: Resolution) -> list[Path]:
    """Return the paths in the spec of folders of the node."""
    paths: list[Path] = []
    if resolution.model is not None and resolution.model[1].source.host_path:
        paths.append((*resolution.model[0], "source", "hostPath"))
    if resolution.spec.caches is not None and resolution.spec.caches.host_path:
        paths.append(("spec", "caches", "hostPath"))
    for index, volume in enumerate(resolution.spec.volumes):
        if volume.host_path:
            paths.append(("spec", "volumes", index, "hostPath"))
    return [*paths, *local_disk.folders(resolution.spec)]
