"""Pod Security `restricted`, on the pod and on every container, with waivers in writing."""

from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan import constraints
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.device_files import device_groups, device_notes
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec, from_table
from gpuspec.plan.words import first_sentence
from gpuspec.spec import InferenceSpec, at_least
from gpuspec.spec.rules.broken import camel

WAIVER_PREFIX = "gpuspec.dev/waiver-"
# Waivers of what the pod is; that for time-slicing is of where it runs.
OF_THE_POD = ("root", "writable_root", "host_path", "capabilities", "host_network", "privileged")


class SecurityPlan(msgspec.Struct, frozen=True):
    """Security contexts, and annotations with the reasons of waivers."""

    pod: Leaf
    main: Leaf
    helper: Leaf
    annotations: dict[str, Node]
    notes: tuple[Note, ...]


def security(case: Case) -> SecurityPlan:
    """Security contexts of the pod, the main container, and init and sidecar containers."""
    notes = [
        *_root_notes(case),
        *_writable_notes(case),
        *device_notes(case, root=case.permit.as_root),
        *constraints.notes(case),
        *_token_notes(case),
    ]
    annotations: dict[str, Node] = {}
    for field in OF_THE_POD:
        reason = getattr(case.spec.waivers, field)
        if reason is not None:
            path, name = waiver_path(field), field.replace("_", "-")
            annotations[WAIVER_PREFIX + name] = from_spec(path, reason, "a waiver needs a reason")
            notes.append(Note(f"waiver {name}: {reason}", Origin("spec", path)))
    return SecurityPlan(
        pod=_pod(case, root=case.permit.all_root),
        main=as_main(case, _main(case)),
        helper=_helper(),
        annotations={**annotations, **constraints.annotations(case)},
        notes=tuple(notes),
    )


def token(case: Case) -> Leaf:
    """Whether pods have a token of their account."""
    if not case.spec.service_account_token:
        return derived("restricted", False, "nothing in the pod calls the API")
    return from_spec(("spec", "serviceAccountToken"), True, "the program asks the API server")


def _token_notes(case: Case) -> list[Note]:
    """A loud word of what a token gives away."""
    if not case.spec.service_account_token:
        return []
    text = (
        f"pods have a token of ServiceAccount {case.spec.service_account}: whatever runs in them, "
        "libraries and sidecars too, may do at the API server what the account may"
    )
    return [Note(text, Origin("spec", ("spec", "serviceAccountToken")), loud=True)]


def waiver_path(field: str) -> Path:
    """Where the spec gives the reason of a waiver."""
    return ("spec", "waivers", camel(field))


def _pod(case: Case, *, root: bool) -> Leaf:
    held = constraints.held(case)
    if held is not None and held.assigned:
        return _assigned(case, held)
    user, asked = case.runtime.user, case.spec.user
    uid = asked.uid if asked.uid is not None else (0 if root else user.uid)
    gid = asked.gid if asked.gid is not None else user.gid
    group = asked.fs_group if asked.fs_group is not None else user.fs_group
    groups = device_groups(case)
    value: dict[str, Any] = {
        "runAsNonRoot": not root,
        "runAsUser": uid,
        "runAsGroup": gid,
        **({"supplementalGroups": groups} if groups else {}),
        "fsGroup": group,
        # A volume of weights holds many files: their group is changed once, not at every start.
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if held is not None and not held.seccomp:
        del value["seccompProfile"]
    if (root or case.permit.as_root) and _private_keys(case):
        del value["fsGroup"], value["fsGroupChangePolicy"]
    who = "as root, see the waiver" if root else f"as user {uid}:{gid}, never root"
    whose = (
        f"volumes belong to group {group}, which is set once, not at every start"
        if "fsGroup" in value
        else "volumes keep their group, which could read files whose `mode` says otherwise"
    )
    reason = f"runs {who}; {whose}"
    if groups:
        reason += f"; groups {', '.join(map(str, groups))} may open the device files"
    if held is not None and not held.seccomp:
        reason += f"; {held.constraint} lets no pod name a seccomp profile"
    if replace(asked, main_uid=None) != type(asked)():
        return from_spec(("spec", "user"), value, reason)
    if root:
        return from_spec(("spec", "waivers", "root"), value, reason)
    return from_table(f"runtimes/{case.runtime.name} user", value, reason)


def unnamed(case: Case) -> Leaf | None:
    """The context of pods that may be anybody's; None where nobody else assigns a user."""
    held = constraints.everybodys(case)
    return None if held is None else _assigned(case, held)


def as_user(user: int) -> dict[str, Any]:
    """The context of pods that run nothing of the workload's, where nobody else assigns their user."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _assigned(case: Case, held: constraints.Held) -> Leaf:
    """The pod's context where the platform assigns the user, and the group that volumes belong to.

    A process whose user no image knows is in group 0, to whom images for OpenShift give their files:
    no other group is asked for, unless the spec does.
    """
    gid, groups = case.spec.user.gid, device_groups(case)
    value: dict[str, Any] = {
        "runAsNonRoot": True,
        **({"runAsGroup": gid} if gid is not None else {}),
        **({"supplementalGroups": groups} if groups else {}),
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    reason = f"{held.constraint} assigns user and group of volumes from the namespace's range"
    if groups:
        reason += f"; groups {', '.join(map(str, groups))} may open the device files"
    return from_table(held.row, value, reason)


def _private_keys(case: Case) -> bool:
    """Whether a Secret's files have a mode: where volumes get a group, it may read them all."""
    return any(volume.secret and volume.mode for volume in case.spec.volumes)


def as_main(case: Case, context: Leaf) -> Leaf:
    """The context of a container that runs what the spec says, whose user may be another's than the pod's."""
    uid = case.spec.user.main_uid
    if uid is None:
        return context
    who = "as root, see the waiver" if uid == 0 else f"as user {uid}"
    value = {"runAsUser": uid, "runAsNonRoot": uid != 0, **context.value}
    return from_spec(
        ("spec", "user", "mainUid"), value, f"{who}, unlike the others; {context.reason}"
    )


def _main(case: Case) -> Leaf:
    """The main container's context; its root is writable only by waiver, or for a known image."""
    user, waivers, added = case.runtime.user, case.spec.waivers, case.spec.capabilities
    writable = waivers.writable_root is not None or not user.read_only_root
    value = _container(writable=writable, add=added)
    if added:
        reason = f"restricted, but for {', '.join(added)}, which root has: see the waiver"
        return from_spec(("spec", "capabilities"), value, reason)
    if waivers.writable_root is not None:
        reason = "restricted; the root file system is writable, see the waiver"
        return from_spec(("spec", "waivers", "writableRoot"), value, reason)
    if not user.read_only_root:
        reason = f"restricted, but the root file system stays writable: {user.why}"
        return from_table(f"runtimes/{case.runtime.name} user", value, reason)
    return _helper()


def _helper() -> Leaf:
    reason = "Pod Security restricted, and a root file system that nobody can change"
    return derived("restricted", _container(writable=False), reason)


def _container(*, writable: bool, add: tuple[str, ...] = ()) -> dict[str, Any]:
    capabilities = {"drop": ["ALL"]} | ({"add": list(add)} if add else {})
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": not writable,
        "capabilities": capabilities,
    }


def refused(case: Case) -> list[Refused]:
    """Root where the namespace forbids it, and an image that starts for root alone without a waiver."""
    namespace, user = case.workload.namespace, case.runtime.user
    if case.permit.as_root or case.permit.all_root:
        if case.permit.level != "restricted":
            return []
        return [
            Refused(
                f"namespace {namespace} enforces restricted: root is refused there",
                case.workload.place(("spec", "waivers", "root")),
                "use a namespace that enforces baseline",
            )
        ]
    if not _needs_root(case):
        return []
    return [
        Refused(
            f"the image of {case.runtime.title} starts only as root since {user.root_since}: "
            f"{first_sentence(user.why)}",
            case.workload.place(("spec", "image")),
            "use an older or rebuilt image, or give the reason in waivers.root, in a namespace "
            "that enforces baseline",
        )
    ]


def _needs_root(case: Case) -> bool | None:
    """Whether the server's published image starts for root alone; None for an unknown release."""
    since, spec = case.runtime.user.root_since, case.spec
    if since is None or not isinstance(spec, InferenceSpec):
        return False
    return runtimes.is_image_of(case.runtime.name, spec.image) and at_least(spec, since)


def _root_notes(case: Case) -> list[Note]:
    """What is not known of root: the namespace's level, or the image's version."""
    namespace, user = case.workload.namespace, case.runtime.user
    if case.permit.as_root or case.permit.all_root:
        if case.permit.level is not None:
            return []
        text = f"root: namespace {namespace} must not enforce Pod Security restricted"
        return [Note(text, Origin("spec", ("spec", "waivers", "root")), loud=True)]
    if _needs_root(case) is not None:
        return []
    text = (
        f"the image of {case.runtime.title} starts only as root since {user.root_since}, and its "
        "tag tells no version: write `version`"
    )
    return [Note(text, Origin("spec", ("spec", "image")), loud=True)]


def _writable_notes(case: Case) -> list[Note]:
    """A word where the waiver asks for what the image has anyway."""
    if case.spec.waivers.writable_root is None or case.runtime.user.read_only_root:
        return []
    text = (
        f"waiver writable-root is not needed: the root of {case.runtime.title} stays writable, "
        f"since {first_sentence(case.runtime.user.why)}"
    )
    return [Note(text, Origin("spec", waiver_path("writable_root")), loud=True)]
