"""The pods' user: set by the spec, or assigned by a platform with SCCs, such as OpenShift."""

import msgspec

from gpuspec import hardware
from gpuspec.manifests import Path
from gpuspec.plan import fabric
from gpuspec.plan.decision import Decision, Note, Origin, from_spec, from_table
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import InferenceSpec
from gpuspec.spec.rules.violation import camel

REQUIRED = "openshift.io/required-scc"
_TAKING = ("root", "host_path", "capabilities", "host_network", "privileged")


class AppliedConstraint(msgspec.Struct, frozen=True):
    """The SCC of the pods on a platform that assigns users, and the field of the spec that needs
    it."""

    constraint: str
    """Its name: a known SCC, or one of the cluster's own that the profile names."""
    seccomp: bool
    assigned: bool
    """Whether the platform assigns the user and the group of volumes."""
    cause: Path
    """The field of the spec that needs more than the default SCC."""
    granted: bool
    row: str


def everybodys(resolution: Resolution) -> AppliedConstraint | None:
    """Return the SCC of pods that need no more; None on a platform that assigns no users."""
    name = resolution.profile.spec.provider
    constraints = hardware.provider(name).constraints
    if constraints is None:
        return None
    return AppliedConstraint(
        constraints.everybodys.name, True, True, (), True, f"hardware/providers {name}"
    )


def held(resolution: Resolution) -> AppliedConstraint | None:
    """Return the SCC of a workload's pods; None if their user is the spec's."""
    common = everybodys(resolution)
    causes = _taken(resolution) if common is not None else {}
    constraints = hardware.provider(resolution.profile.spec.provider).constraints
    if common is None or constraints is None or not causes:
        return common
    causes_taken, cause = frozenset(causes), next(iter(causes.values()))
    mine = _granted(resolution)
    chosen = next(
        (row for row in constraints.rows if row.name in mine and causes_taken <= row.lets), None
    )
    constraint = next(
        (requirement for requirement in mine if constraints.named(requirement) is None), None
    )
    if chosen is None and constraint is not None:
        # Somebody made it for this account; nothing tells of seccomp, which most let pods name.
        return AppliedConstraint(constraint, True, False, cause, True, common.row)
    used = chosen or constraints.least(causes_taken)
    return AppliedConstraint(used.name, used.seccomp, False, cause, chosen is not None, common.row)


def annotations(resolution: Resolution) -> dict[str, Decision]:
    """Return the annotation that requires this SCC, whichever others the account may use."""
    at = held(resolution)
    if at is None:
        return {}
    if at.assigned:
        why = "OpenShift assigns the user, even if the ServiceAccount may use other constraints"
        return {REQUIRED: from_table(at.row, at.constraint, why)}
    why = "exactly what the pods need beyond the default"
    return {REQUIRED: from_spec(at.cause, at.constraint, why)}


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return a refusal for an SCC that the profile does not grant to the pods' account, in a
    namespace that it lists."""
    at, place = held(resolution), _space(resolution)
    if at is None or at.granted or place is None:
        return []
    account, namespace = _account(resolution), resolution.workload.namespace
    return [
        RefusalReason(
            f"namespace {namespace}: {_needs(resolution, at)}",
            resolution.workload.place(at.cause),
            f"delete it, so that a user is assigned, or let the profile's namespace {namespace} have "
            f"scc: {{{at.constraint}: [{account}]}}",
        )
    ]


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if the profile does not state that the account may use the SCC, or if no
    user is assigned."""
    at = held(resolution)
    if at is None:
        return []
    constraint_notes: list[Note] = []
    namespace = resolution.workload.namespace
    provider = hardware.provider(resolution.profile.spec.provider)
    if namespace in provider.exempt:
        text = (
            f"namespace {namespace}: {provider.title} assigns no user there, and an image of root "
            "does not start: use a namespace of your own"
        )
        constraint_notes.append(Note(text, Origin("spec", ("metadata", "namespace")), loud=True))
    if not at.granted and _space(resolution) is None:
        text = (
            f"{_needs(resolution, at)}: oc adm policy add-scc-to-user {at.constraint} "
            f"-z {_account(resolution)} -n {namespace}"
        )
        constraint_notes.append(Note(text, Origin("spec", at.cause), loud=True))
    return constraint_notes


def _needs(resolution: Resolution, at: AppliedConstraint) -> str:
    field = ".".join(str(part) for part in at.cause[1:])
    return (
        f"for `{field}` ServiceAccount {_account(resolution)} must be let use "
        f"SecurityContextConstraints {at.constraint}"
    )


def _taken(resolution: Resolution) -> dict[str, Path]:
    """Return what the pods need beyond the default SCC, with the field that needs it."""
    spec, paths = resolution.spec, dict[str, Path]()
    if any(
        numeric_id is not None
        for numeric_id in (spec.user.uid, spec.user.main_uid, spec.user.fs_group)
    ):
        paths["user"] = ("spec", "user")
    for field in _TAKING:
        if getattr(spec.waivers, field) is not None:
            paths[field] = ("spec", "waivers", camel(field))
    if spec.capabilities:
        paths["capabilities"] = ("spec", "capabilities")
    chosen = fabric.fabric_pool(resolution)
    if chosen is not None and chosen.pool.rdma is not None:
        for field in fabric.taken(chosen.pool.rdma, resolution.permit):
            paths.setdefault(field, ("spec", "gpu"))
    return paths


def _account(resolution: Resolution) -> str:
    account_name = (
        (resolution.server or resolution).name
        if isinstance(resolution.spec, InferenceSpec)
        else "default"
    )
    return resolution.spec.service_account or account_name


def _space(resolution: Resolution) -> int | None:
    """Return the path of the workload's namespace in the profile."""
    spaces = resolution.profile.spec.namespaces
    return next(
        (at for at, space in enumerate(spaces) if space.name == resolution.workload.namespace), None
    )


def _granted(resolution: Resolution) -> tuple[str, ...]:
    """Return the SCCs that the profile grants to the pods' account."""
    at, account = _space(resolution), _account(resolution)
    if at is None:
        return ()
    scc = resolution.profile.spec.namespaces[at].scc
    return tuple(name for name, accounts in scc.items() if account in accounts)
