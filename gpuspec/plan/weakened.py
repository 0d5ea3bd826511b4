"""What a spec asks for that a namespace may refuse: folders of the node, and capabilities."""

from gpuspec.kubernetes import BASELINE_CAPABILITIES, RESTRICTED_CAPABILITY
from gpuspec.manifests import Path
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.leaf import Note, Origin


def refused(case: Case) -> list[Refused]:
    """Folders of the node and capabilities that the namespace's level refuses."""
    enforced, namespace = case.permit.level, case.workload.namespace
    if enforced not in ("restricted", "baseline"):
        return []
    allowed = {RESTRICTED_CAPABILITY} if enforced == "restricted" else BASELINE_CAPABILITIES
    found = [(path, "a folder of the node", "is") for path in _folders(case)]
    if beyond := [name for name in case.spec.capabilities if name not in allowed]:
        found.append(
            (("spec", "capabilities"), ", ".join(beyond), "is" if len(beyond) == 1 else "are")
        )
    return [
        Refused(
            f"namespace {namespace} enforces {enforced}: {what} {verb} refused there",
            case.workload.place(path),
            "use a namespace that enforces neither `restricted` nor `baseline`"
            if enforced == "baseline" or path[-1] == "hostPath"
            else "use a namespace that enforces baseline",
        )
        for path, what, verb in found
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
    return found


def notes(case: Case) -> list[Note]:
    """A word where the namespace's level is not known, and would refuse folders of the node."""
    folders = _folders(case)
    if not folders or case.permit.level is not None:
        return []
    namespace = case.workload.namespace
    text = f"hostPath: namespace {namespace} must not enforce Pod Security restricted or baseline"
    return [Note(text, Origin("spec", folders[0]), loud=True)]
