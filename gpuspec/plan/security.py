"""Pod Security `restricted`, on the pod and on every container, with waivers in writing."""

from dataclasses import dataclass
from typing import Any

from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec, from_table

DEFAULT_ID = 1000
WAIVER_PREFIX = "gpuspec.dev/waiver-"


@dataclass(frozen=True, slots=True)
class SecurityPlan:
    """Security contexts, and annotations with the reasons of waivers."""

    pod: Leaf
    main: Leaf
    helper: Leaf
    annotations: dict[str, Node]
    notes: tuple[Note, ...]


def security(case: Case) -> SecurityPlan:
    """Security contexts of the pod, the main container, and init and sidecar containers.

    Raises `Refusal` when the namespace enforces a level that a waiver breaks.
    """
    waivers = case.spec.waivers
    root = waivers.root is not None
    if root:
        _allowed(case)
    notes: list[Note] = []
    annotations: dict[str, Node] = {}
    for name, field, reason in (
        ("root", "root", waivers.root),
        ("writable-root", "writableRoot", waivers.writable_root),
    ):
        if reason is not None:
            path = ("spec", "waivers", field)
            annotations[WAIVER_PREFIX + name] = from_spec(path, reason, "a waiver needs a reason")
            notes.append(Note(f"waiver {name}: {reason}", Origin("spec", path)))
    pod = _pod(case, root=root)
    return SecurityPlan(
        pod=pod,
        main=_container(root=root, writable=waivers.writable_root is not None, case=case),
        helper=_container(root=root, writable=False, case=case),
        annotations=annotations,
        notes=tuple(notes),
    )


def _pod(case: Case, *, root: bool) -> Leaf:
    user, asked = case.runtime.user, case.spec.user
    uid = asked.uid if asked.uid is not None else (0 if root else user.uid)
    gid = asked.gid if asked.gid is not None else user.gid
    group = asked.fs_group if asked.fs_group is not None else user.fs_group
    value: dict[str, Any] = {
        "runAsNonRoot": not root,
        "runAsUser": uid,
        "runAsGroup": gid,
        "fsGroup": group,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    reason = f"Pod Security restricted; volumes belong to group {group}, changed only once"
    if asked.uid is not None:
        return from_spec(("spec", "user"), value, reason)
    return from_table(f"runtimes/{case.runtime.name} user", value, reason)


def _container(*, root: bool, writable: bool, case: Case) -> Leaf:
    value: dict[str, Any] = {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": not writable,
        "capabilities": {"drop": ["ALL"]},
    }
    if writable:
        path = ("spec", "waivers", "writableRoot")
        return from_spec(path, value, "restricted, but for the root file system: see the waiver")
    return derived("restricted", value, "Pod Security restricted, and a read-only root")


def _allowed(case: Case) -> None:
    for space in case.profile.spec.namespaces:
        if space.name == case.workload.namespace and space.pod_security == "restricted":
            raise Refusal(
                case.name,
                case.profile.name,
                [
                    Refused(
                        f"namespace {space.name} enforces restricted: root is refused there",
                        case.workload.place(("spec", "waivers", "root")),
                        "use a namespace that enforces baseline",
                    )
                ],
            )
