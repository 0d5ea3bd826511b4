"""A program's ServiceAccount lacks permissions that the program certainly needs."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.security.accounts import Grant, grants_of, is_bound
from gpuspec.lint.analysis.security.arguments import holds, told
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.buckets import account_of
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.permissions import ApiProgram, PermissionNeed, program_of, release_of

RULE = Rule(
    "GPU624",
    "permission-missing",
    "warning",
    "A ServiceAccount lacks a permission that its program needs",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check pods whose account has roles that are all in the set; others are unknown."""
    account, namespace = account_of(pod), pod.object.namespace
    if not is_bound(account, namespace, context.collection):
        return
    for container in pod.every:
        program = program_of(container.image)
        if program is None or not _starts(program, container):
            continue
        grants = grants_of(account, namespace, context.collection)
        if grants is not None:
            for need in program.needs:
                yield from _missing(need, program, container, pod, grants)


def _starts(program: ApiProgram, container: PodContainer) -> bool:
    """Return whether a container of the program's image runs the program."""
    if not container.value.get("command"):
        return program.entrypoint
    return container.words.has(*program.commands) is not None


def _missing(
    need: PermissionNeed,
    program: ApiProgram,
    container: PodContainer,
    pod: Pod,
    grants: list[Grant],
) -> Iterator[RawFinding]:
    """Return a need of the configured program that no role meets, or None."""
    if not need.holds(release_of(container.image)):
        return
    if not all(holds(condition, container) for condition in need.when):
        return
    where = None if need.cluster else told(program.namespace, container) or ""
    reaching = [grant for grant in grants if grant.reaches(where)]
    lacks = [
        verb
        for verb in need.verbs
        if not any(grant.permits(verb, need.group, need.resource) for grant in reaching)
    ]
    if not lacks:
        return
    of = f" of `{need.group}`" if need.group else ""
    yield RawFinding(
        pod.path("serviceAccountName"),
        f"no role lets ServiceAccount `{account_of(pod)}` {listed(lacks)} `{need.resource}`{of}"
        f"{_within(where)}, but {program.title} needs this permission{' where the cluster serves them' if need.served else ''}: "
        f"{need.then}",
        note=f'add the rule `{{apiGroups: ["{need.group}"], resources: [{need.resource}], '
        f"verbs: [{', '.join(lacks)}]}}`",
        confidence="likely" if need.served else "certain",
        related=tuple(
            RelatedPlace(
                grant.role.number, grant.role.path("rules"), "the permissions of the account"
            )
            for grant in (reaching or grants)[:1]
        ),
    )


def _within(namespace: str | None) -> str:
    """Return the scope of the need in words; empty if unknown."""
    if namespace is None:
        return " in all namespaces"
    return f" in namespace `{namespace}`" if namespace else ""
