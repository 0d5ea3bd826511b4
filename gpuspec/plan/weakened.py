"""What a spec asks for that a namespace may refuse: folders of the node, and capabilities."""

from gpuspec.kubernetes import BASELINE_CAPABILITIES, RESTRICTED_CAPABILITY
from gpuspec.manifests import Path
from gpuspec.plan import local_disk
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.leaf import Note, Origin


def refused(case: Case) -> list[Refused]:
    """Folders of the node and capabilities that the namespace's level refuses."""
    enforced = case.permit.level
    if enforced not in ("restricted", "baseline"):
        return []
    where = f"namespace {case.workload.namespace} enforces {enforced}"
    neither = "use a namespace that enforces neither `restricted` nor `baseline`"
    found = [
        Refused(
            f"{where}: a folder of the node is refused there", case.workload.place(path), neither
        )
        for path in _folders(case)
    ]
    allowed = {RESTRICTED_CAPABILITY} if enforced == "restricted" else BASELINE_CAPABILITIES
    asked = set(case.spec.capabilities)
    if beyond := sorted(asked - allowed):
        verb = "is" if len(beyond) == 1 else "are"
        text = f"{where}: {', '.join(beyond)} {verb} refused there"
        hint = (
            "use a namespace that enforces baseline" if asked <= BASELINE_CAPABILITIES else neither
        )
        found.append(Refused(text, case.workload.place(("spec", "capabilities")), hint))
    return found


def notes(case: Case) -> list[Note]:
    """A word where the namespace's level is not known, and either would refuse what is asked for."""
    if case.permit.level is not None:
        return []
    asked = [("hostPath", path) for path in _folders(case)][:1]
    beyond = [name for name in case.spec.capabilities if name not in BASELINE_CAPABILITIES]
    asked += [(", ".join(beyond), ("spec", "capabilities"))] if beyond else []
    namespace = case.workload.namespace
    return [
        Note(
            f"{what}: namespace {namespace} must not enforce Pod Security restricted or baseline",
            Origin("spec", path),
            loud=True,
        )
        for what, path in asked
    ]


def _folders(case: Case) -> list[Path]:
    """Where the spec names folders of the node."""
    found: list[Path] = []
    if case.model is not None and case.model[1].source.host_path:
        found.append((*case.model[0], "source", "hostPath"))
    if case.spec.caches is not None and case.spec.caches.host_path:
        found.append(("spec", "caches", "hostPath"))
    for index, volume in enumerate(case.spec.volumes):
        if volume.host_path:
            found.append(("spec", "volumes", index, "hostPath"))
    return [*found, *local_disk.folders(case.spec)]
