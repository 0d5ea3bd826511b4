"""Pod Security `restricted`, for the pod and every container, with written waivers."""

from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec import runtimes
from gpuspec.manifests import Path
from gpuspec.plan import constraints
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec, from_table
from gpuspec.plan.device_files import device_groups, device_notes
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.wording import first_sentence
from gpuspec.spec import InferenceSpec, at_least
from gpuspec.spec.rules.violation import camel

WAIVER_PREFIX = "gpuspec.dev/waiver-"
# Waivers of what the pod is; that for time-slicing is of where it runs.
OF_THE_POD = ("root", "writable_root", "host_path", "capabilities", "host_network", "privileged")


class SecurityPlan(msgspec.Struct, frozen=True):
    """Security contexts, and annotations with the reasons of waivers."""

    pod: Decision
    main: Decision
    helper: Decision
    annotations: dict[str, PlanPart]
    notes: tuple[Note, ...]


def security(resolution: Resolution) -> SecurityPlan:
    """Return security contexts of the pod, the main container, and init and sidecar containers."""
    notes = [
        *_root_notes(resolution),
        *_writable_notes(resolution),
        *device_notes(resolution, root=resolution.permit.as_root),
        *constraints.notes(resolution),
        *_token_notes(resolution),
    ]
    annotations: dict[str, PlanPart] = {}
    for field in OF_THE_POD:
        reason = getattr(resolution.spec.waivers, field)
        if reason is not None:
            path, name = waiver_path(field), field.replace("_", "-")
            annotations[WAIVER_PREFIX + name] = from_spec(path, reason, "a waiver needs a reason")
            notes.append(Note(f"waiver {name}: {reason}", Origin("spec", path)))
    return SecurityPlan(
        pod=_pod(resolution, root=resolution.permit.all_root),
        main=as_main(resolution, _main(resolution)),
        helper=_helper(),
        annotations={**annotations, **constraints.annotations(resolution)},
        notes=tuple(notes),
    )


def token(resolution: Resolution) -> Decision:
    """Return whether pods have a token of their account."""
    if not resolution.spec.service_account_token:
        return derived("restricted", False, "nothing in the pod calls the API")
    return from_spec(("spec", "serviceAccountToken"), True, "the program calls the API server")


def _token_notes(resolution: Resolution) -> list[Note]:
    """Return a loud note on the permissions of a token."""
    if not resolution.spec.service_account_token:
        return []
    text = (
        f"pods have a token of ServiceAccount {resolution.spec.service_account}: "
        "everything in them, including libraries and sidecars, has the account's "
        "permissions at the API server"
    )
    return [Note(text, Origin("spec", ("spec", "serviceAccountToken")), loud=True)]


def waiver_path(field: str) -> Path:
    """Return the path of a waiver's reason in the spec."""
    return ("spec", "waivers", camel(field))


def _pod(resolution: Resolution, *, root: bool) -> Decision:
    constraint = constraints.held(resolution)
    if constraint is not None and constraint.assigned:
        return _assigned(resolution, constraint)
    user, requested_user = resolution.runtime.user, resolution.spec.user
    uid = requested_user.uid if requested_user.uid is not None else (0 if root else user.uid)
    gid = requested_user.gid if requested_user.gid is not None else user.gid
    group = requested_user.fs_group if requested_user.fs_group is not None else user.fs_group
    groups = device_groups(resolution)
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
    if constraint is not None and not constraint.seccomp:
        del value["seccompProfile"]
    if (root or resolution.permit.as_root) and _private_keys(resolution):
        del value["fsGroup"], value["fsGroupChangePolicy"]
    who = "as root, see the waiver" if root else f"as user {uid}:{gid}, never root"
    whose = (
        f"volumes belong to group {group}, which is set once, not at every start"
        if "fsGroup" in value
        else "volumes keep their group: a pod group could read files despite their `mode`"
    )
    reason = f"runs {who}; {whose}"
    if groups:
        reason += f"; groups {', '.join(map(str, groups))} may open the device files"
    if constraint is not None and not constraint.seccomp:
        reason += f"; {constraint.constraint} does not allow pods to set a seccomp profile"
    if replace(requested_user, main_uid=None) != type(requested_user)():
        return from_spec(("spec", "user"), value, reason)
    if root:
        return from_spec(("spec", "waivers", "root"), value, reason)
    return from_table(f"runtimes/{resolution.runtime.name} user", value, reason)


def unnamed(resolution: Resolution) -> Decision | None:
    """Return the context of pods that can run as any user; None if the platform assigns one."""
    security_constraint = constraints.everybodys(resolution)
    return None if security_constraint is None else _assigned(resolution, security_constraint)


def as_user(user: int) -> dict[str, Any]:
    """Return the context of pods that run none of the workload's programs, unless the platform
    assigns their user."""
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _assigned(
    resolution: Resolution, applied_constraint: constraints.AppliedConstraint
) -> Decision:
    """Return the pod's context if the platform assigns the user and the group of volumes.

    A process with a user that no image knows is in group 0, which owns the files in images for
    OpenShift: no other group is requested, unless the spec does.
    """
    gid, groups = resolution.spec.user.gid, device_groups(resolution)
    value: dict[str, Any] = {
        "runAsNonRoot": True,
        **({"runAsGroup": gid} if gid is not None else {}),
        **({"supplementalGroups": groups} if groups else {}),
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    reason = f"{applied_constraint.constraint} assigns user and group of volumes from the namespace's range"
    if groups:
        reason += f"; groups {', '.join(map(str, groups))} may open the device files"
    return from_table(applied_constraint.row, value, reason)


def _private_keys(resolution: Resolution) -> bool:
    """Return whether a Secret's files have a private mode: with a group on volumes, the group may
    read them all."""
    return any(volume.secret and volume.mode for volume in resolution.spec.volumes)


def as_main(resolution: Resolution, context: Decision) -> Decision:
    """Return the context of a container that runs the spec's program, whose user may differ from
    the pod's."""
    uid = resolution.spec.user.main_uid
    if uid is None:
        return context
    who = "as root, see the waiver" if uid == 0 else f"as user {uid}"
    value = {"runAsUser": uid, "runAsNonRoot": uid != 0, **context.value}
    return from_spec(
        ("spec", "user", "mainUid"), value, f"{who}, unlike the others; {context.reason}"
    )


def _main(resolution: Resolution) -> Decision:
    """Return the main container's context; its root is writable only with a waiver, or for a known
    image."""
    user, waivers, added = (
        resolution.runtime.user,
        resolution.spec.waivers,
        resolution.spec.capabilities,
    )
    writable = waivers.writable_root is not None or not user.read_only_root
    value = _container(writable=writable, add=added)
    if added:
        reason = f"restricted except for {', '.join(added)}, which root keeps: see the waiver"
        return from_spec(("spec", "capabilities"), value, reason)
    if waivers.writable_root is not None:
        reason = "restricted; the root file system is writable, see the waiver"
        return from_spec(("spec", "waivers", "writableRoot"), value, reason)
    if not user.read_only_root:
        reason = f"restricted, but the root file system stays writable: {user.why}"
        return from_table(f"runtimes/{resolution.runtime.name} user", value, reason)
    return _helper()


def _helper() -> Decision:
    reason = "Pod Security restricted, and a read-only root file system"
    return derived("restricted", _container(writable=False), reason)


def _container(*, writable: bool, add: tuple[str, ...] = ()) -> dict[str, Any]:
    capabilities = {"drop": ["ALL"]} | ({"add": list(add)} if add else {})
    return {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": not writable,
        "capabilities": capabilities,
    }


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for root if the namespace forbids it, and for an image that starts only as
    root without a waiver."""
    namespace, user = resolution.workload.namespace, resolution.runtime.user
    if resolution.permit.as_root or resolution.permit.all_root:
        if resolution.permit.level != "restricted":
            return []
        return [
            RefusalReason(
                f"namespace {namespace} enforces restricted: root is refused there",
                resolution.workload.place(("spec", "waivers", "root")),
                "use a namespace that enforces baseline",
            )
        ]
    if not _needs_root(resolution):
        return []
    return [
        RefusalReason(
            f"the image of {resolution.runtime.title} starts only as root since {user.root_since}: "
            f"{first_sentence(user.why)}",
            resolution.workload.place(("spec", "image")),
            "use an older or rebuilt image, or give the reason in waivers.root, in a namespace "
            "that enforces baseline",
        )
    ]


def _needs_root(resolution: Resolution) -> bool | None:
    """Return whether the server's published image starts only as root; None for an unknown
    release."""
    since, spec = resolution.runtime.user.root_since, resolution.spec
    if since is None or not isinstance(spec, InferenceSpec):
        return False
    return runtimes.is_image_of(resolution.runtime.name, spec.image) and at_least(spec, since)


def _root_notes(resolution: Resolution) -> list[Note]:
    """Return notes on unknown facts about root: the namespace's level, or the image's version."""
    namespace, user = resolution.workload.namespace, resolution.runtime.user
    if resolution.permit.as_root or resolution.permit.all_root:
        if resolution.permit.level is not None:
            return []
        text = f"root: namespace {namespace} must not enforce Pod Security restricted"
        return [Note(text, Origin("spec", ("spec", "waivers", "root")), loud=True)]
    if _needs_root(resolution) is not None:
        return []
    text = (
        f"the image of {resolution.runtime.title} starts only as root since "
        f"{user.root_since}, and its tag has no version: write `version`"
    )
    return [Note(text, Origin("spec", ("spec", "image")), loud=True)]


def _writable_notes(resolution: Resolution) -> list[Note]:
    """Return a note if the waiver is for something that the image has by default."""
    if resolution.spec.waivers.writable_root is None or resolution.runtime.user.read_only_root:
        return []
    text = (
        f"waiver writable-root is not needed: the root of {resolution.runtime.title} stays writable, "
        f"since {first_sentence(resolution.runtime.user.why)}"
    )
    return [Note(text, Origin("spec", waiver_path("writable_root")), loud=True)]
