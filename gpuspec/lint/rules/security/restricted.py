"""A pod that the Pod Security level `restricted` refuses, and `baseline` does not."""

from collections.abc import Iterator

from msgspec.structs import replace

from gpuspec.lint.analysis.placement.enforced import enforced, minor_of
from gpuspec.lint.analysis.pod_security import (
    LevelViolation,
    context_of,
    first_written,
    sentence,
    violations,
)
from gpuspec.lint.analysis.pod_security.waivers import PREFIX, unwaived, waiver_of
from gpuspec.lint.analysis.security.users import uid_of
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Change, Fix, Put, RawFinding, Rule
from gpuspec.lint.rules.security import mount_behind_root, no_home, volume_of_root
from gpuspec.objects.objects import Object, Pod
from gpuspec.runtimes import recognise

RULE = Rule(
    "GPU602",
    "pod-security-restricted",
    "error",
    "The Pod Security level `restricted` rejects the pod",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield one finding for a pod, with all that is refused."""
    level = enforced(pod, context)
    if level is not None and level.level != "restricted":
        # Whoever gave the namespace its level knew why.
        return
    if level is None and (not pod.has_gpu or pod.object.kind == "DaemonSet"):
        return
    minor = level.minor if level else minor_of(context)
    broken = violations(pod, minor)
    if level is None:
        broken = unwaived(broken, pod)
    restricted_violations = [violation for violation in broken if violation.level == "restricted"]
    if not restricted_violations or (level is None and len(restricted_violations) < len(broken)):
        # A pod that breaks `baseline` is not on its way to `restricted`: one finding says so.
        return
    violations_text = sentence(restricted_violations, pod)
    path = first_written(restricted_violations, pod.path("securityContext"))
    if level is None:
        yield RawFinding(
            path,
            f"a namespace that enforces `restricted` rejects this pod: {violations_text}",
            note="set these fields as `restricted` requires, or give a reason why not in "
            f"{_annotations(restricted_violations)} of the pod",
            severity="info",
            fix=_fix(pod, restricted_violations, context, enforced=False),
        )
        return
    yield RawFinding(
        path,
        f"the namespace enforces `restricted`, and the API server rejects this pod: {violations_text}",
        note=level.advice,
        fix=_fix(pod, restricted_violations, context, enforced=True),
    )


def _annotations(level_violations: list[LevelViolation]) -> str:
    """Return the annotations for reasons; fields that are merely missing should be set instead."""
    annotation_keys = [
        PREFIX + waiver_of(violation) for violation in level_violations if violation.written
    ]
    names = dict.fromkeys(annotation_keys or [PREFIX + "root"])
    noun = "annotations" if len(names) > 1 else "annotation"
    return f"the {noun} {' and '.join(f'`{name}`' for name in names)}"


def _fix(
    pod: Pod, level_violations: list[LevelViolation], context: Context, *, enforced: bool
) -> Fix | None:
    """Return the changes that fix all violations; none if one of them is the author's decision."""
    changes: list[Change] = []
    for violation in level_violations:
        if violation.changes is None:
            return None
        changes += (change for change in violation.changes if change not in changes)
    safe = all(violation.safe for violation in level_violations)
    if (
        not safe
        and not context.assigns_user
        and any(violation.said.startswith("`runAsNonRoot`") for violation in level_violations)
    ):
        # An image whose user is root does not start as somebody else unless it is told whom.
        user = _user(pod)
        if user is None:
            return None
        if user:
            where = dict.fromkeys(
                context_of(pod, container, "runAsUser") for container in pod.every
            )
            changes += (Put(path, user) for path in where)
            if _suffers(pod, tuple(changes), context):
                return None
    title = "set what `restricted` requires"
    # A pod that is refused cannot get worse; one that runs may need what is taken from it.
    return Fix(title, tuple(changes), safe=safe and enforced)


def _suffers(pod: Pod, changes: tuple[Change, ...], context: Context) -> bool:
    """Return whether a pod would suffer from running as another user: without a home, without
    access to its mounts, or in an unknown way."""
    from gpuspec.lint.fixing.changes import NoFixError, planned

    owner = pod.object
    own_changes = tuple(replace(change, path=change.path[len(owner.base) :]) for change in changes)
    try:
        value = planned(owner.value, own_changes)[1]
    except NoFixError:
        return True  # what is written there has no room for it
    changed = Object(value, owner.base, owner.number)
    after = Pod(changed, pod.base, pod.metadata_path)
    checks = (no_home.check, volume_of_root.check, mount_behind_root.check)
    return any(any(check(after, context)) for check in checks)


def _user(pod: Pod) -> int | None:
    """Return the user to run as: 0 if each container has its own, None if unknown."""
    if all(uid_of(pod, container) for container in pod.every):
        return 0
    # The user is the published image's: whoever builds another chooses its own.
    runtimes = [
        server if server is not None and recognise(container.image) == server.name else None
        for container in pod.every
        for server in (server_of(container),)
    ]
    users = {
        runtime.user.uid
        for runtime in runtimes
        if runtime is not None and runtime.user.root_since is None
    }
    return users.pop() if len(users) == 1 and None not in runtimes else None
