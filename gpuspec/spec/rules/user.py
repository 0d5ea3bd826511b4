"""Rules for the user of processes, and for waivers."""

from collections.abc import Iterator

from gpuspec.kubernetes import RESTRICTED_CAPABILITY
from gpuspec.spec.common import WorkloadSpec
from gpuspec.spec.rules.violation import SpecViolation, camel


def problems(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for user and waivers."""
    for field, uid in (("uid", spec.user.uid), ("mainUid", spec.user.main_uid)):
        if uid == 0 and spec.waivers.root is None:
            yield SpecViolation(
                "uid 0 is root, which Pod Security `restricted` forbids",
                ("spec", "user", field),
                "use another uid, or give the reason in `waivers.root`",
                needs=(("spec", "waivers", "root"),),
            )
    if spec.service_account_token and spec.service_account is None:
        yield SpecViolation(
            "a token needs a `serviceAccount`: the default one has no permissions",
            ("spec", "serviceAccountToken"),
            "name the ServiceAccount with the program's permissions",
            key=True,
            needs=(("spec", "serviceAccount"),),
        )
    yield from _capabilities(spec)
    for field in spec.waivers.__struct_fields__:
        reason, name = getattr(spec.waivers, field), camel(field)
        if reason is not None and len(reason.split()) < 2:
            yield SpecViolation(
                f"`waivers.{name}` needs a reason of at least two words",
                ("spec", "waivers", name),
                "it becomes an annotation for reviewers",
            )


def _capabilities(spec: WorkloadSpec) -> Iterator[SpecViolation]:
    path, needs = ("spec", "capabilities"), (("spec", "waivers"),)
    for index, name in enumerate(spec.capabilities):
        if name in spec.capabilities[:index]:
            yield SpecViolation(f"{name} is listed twice", (*path, index), "delete one")
    beyond = [name for name in spec.capabilities if name != RESTRICTED_CAPABILITY]
    if spec.capabilities and spec.waivers.root is None:
        message = "capabilities have no effect without root"
        hint = "delete them, or give the reason for root in `waivers.root`"
        yield SpecViolation(message, path, hint, key=True, needs=needs)
    elif beyond and spec.waivers.capabilities is None:
        message = f"{', '.join(beyond)}: Pod Security `restricted` forbids them"
        hint = "give the reason in `waivers.capabilities`"
        yield SpecViolation(message, path, hint, key=True, needs=needs)
