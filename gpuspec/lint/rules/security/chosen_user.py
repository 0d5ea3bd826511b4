"""A user of a pod's own choice, on a platform that assigns it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.security.accounts import grants_of, is_bound
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import whole
from gpuspec.objects.buckets import account_of
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU825",
    "chosen-user",
    "warning",
    "A pod sets its user or group although the platform assigns them",
)
_REQUIRED = "openshift.io/required-scc"
_GROUP, _RESOURCE = "security.openshift.io", "securitycontextconstraints"
# Where OpenShift begins to hand out ranges of users: what is as high may be of the namespace's own.
# Source: openshift/cluster-policy-controller at 050c1ee6a, UIDAllocatorRange.
_ASSIGNED = 1_000_000_000


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods whose account may use nothing beyond everybody's constraint, as far as can be
    seen."""
    constraints = context.constraints
    if constraints is None or _may_be_let(pod, context):
        return
    mine = constraints.everybodys.name
    if pod.annotations.get(_REQUIRED, mine) != mine:
        return
    chosen = list(_chosen(pod))
    if not chosen:
        return
    path, field, number = chosen[0]
    root = any(name == "runAsUser" and user == 0 for _, name, user in chosen)
    needed = constraints.least(frozenset(("user", "root") if root else ("user",))).name
    account, namespace = account_of(pod), pod.object.namespace or "default"
    yield RawFinding(
        path,
        f"`{mine}` forbids `{field}: {number}`, because the platform assigns user and group: no "
        "pod is created",
        note=(
            f"delete `{field}`, or run `oc adm policy add-scc-to-user {needed} -z {account} -n "
            f"{namespace}`. If the account has a constraint already, set `scc` of the namespace in the "
            "profile"
        ),
        confidence="likely",
    )


def _may_be_let(pod: Pod, context: Context) -> bool:
    """Return whether the profile or a role of the set lets its account use another constraint."""
    account, namespace = account_of(pod), pod.object.namespace
    for space in context.cluster.namespaces if context.cluster is not None else ():
        if space.name == namespace and any(account in names for names in space.scc.values()):
            return True
    if not is_bound(account, namespace, context.collection):
        return False
    grants = grants_of(account, namespace, context.collection)
    return grants is None or any(grant.permits("use", _GROUP, _RESOURCE) for grant in grants)


def _chosen(pod: Pod) -> Iterator[tuple[Path, str, int]]:
    """Yield the users and groups of volumes that it names and no namespace has been given."""
    places = [
        (pod.path("securityContext", "runAsUser"), "runAsUser", pod.security),
        (pod.path("securityContext", "fsGroup"), "fsGroup", pod.security),
        *(
            (container.path("securityContext", "runAsUser"), "runAsUser", container.security)
            for container in pod.every
        ),
    ]
    for path, field, security in places:
        number = whole(security.get(field))
        if number is not None and number < _ASSIGNED:
            yield path, field, number
