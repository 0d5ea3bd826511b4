"""Capabilities added to a container that does not run as root."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library
from gpuspec.lint.analysis.placement.enforced import refuses_baseline
from gpuspec.lint.analysis.security.owners import LOCK, inert_capabilities, may_escalate
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU607",
    "capability-inert",
    "warning",
    "A capability has no effect because the container is not root",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers that add some and are sure not to be root."""
    inert = list(inert_capabilities(pod))
    if not inert or refuses_baseline(pod, context):
        return
    for container, added in inert:
        first = next(iter(added.values()))
        words = ", ".join(f"`{name}`" for name in added)
        verb = "has" if len(added) == 1 else "have"
        first_clause = f"{words} {verb} no effect on a non-root container: "
        if any(name.endswith(LOCK) for name in added):
            yield RawFinding(
                first,
                f"{first_clause}memory cannot be locked beyond the node's memlock limit, so RDMA fails, "
                f"and {library(container)} silently uses TCP",
                note="raise the memlock limit of the container runtime on the RDMA nodes, and "
                "declare the limit in the profile (`rdma.memlock`)",
                fix=_fix(container, added),
            )
        else:
            yield RawFinding(
                first,
                f"{first_clause}programs that need {'it' if len(added) == 1 else 'them'} fail "
                "with `operation not permitted`",
                note="remove the capability and use `fsGroup`, which gives a volume to the pod's "
                "user, or run as root (`runAsUser: 0`)",
                fix=_fix(container, added),
            )


def _fix(container: PodContainer, added: dict[str, Path]) -> Fix:
    everything = container.path("securityContext", "capabilities", "add")
    whole = len(added) == len(container.security["capabilities"]["add"])
    dropped = [everything] if whole else [*added.values()]
    title = "remove the capability" if len(added) == 1 else "remove the capabilities"
    # Without new privileges not even a file's own capabilities can make use of it.
    return Fix(title, tuple(map(Drop, dropped)), safe=not may_escalate(container))
