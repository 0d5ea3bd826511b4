"""IPC_LOCK on a container that does not run as root."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Found, Rule
from gpuspec.lint.subjects.placement.enforced import refuses_baseline
from gpuspec.lint.subjects.security.owners import inert_locks
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU607",
    "ipc-lock-inert",
    "warning",
    "`IPC_LOCK` has no effect on a container that is not root",
    fix="both",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Containers that add it and are sure not to be root."""
    found = list(inert_locks(pod))
    if not found or refuses_baseline(pod, context):
        return
    for one, path in found:
        added = one.security["capabilities"]["add"]
        # Without new privileges not even a file's own capabilities can make use of it.
        sure = one.security.get("allowPrivilegeEscalation") is False
        drop = path if len(added) > 1 else path[:-1]
        yield Found(
            path,
            f"`{added[path[-1]]}` has no effect on a container that does not run as root: memory "
            "is not locked beyond the node's memlock limit, RDMA fails to register it, and NCCL "
            "goes over TCP and says nothing",
            note="raise the memlock limit of the container runtime on the RDMA nodes; the profile "
            "says so with `rdma.memlock`",
            fix=Fix("remove it", (Drop(drop),), safe=sure),
        )
