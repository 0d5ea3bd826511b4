"""What a workload may take from Pod Security `restricted`: its namespace's level, and its reasons."""

import msgspec

from gpuspec.spec import Profile, Workload
from gpuspec.spec.containers import Waivers
from gpuspec.spec.fabric import Rdma

# `restricted` forbids root too; a root file system that can be written to no level does.
_AT_BASELINE = frozenset(("host_path", "capabilities", "host_network", "privileged"))
_AT_RESTRICTED = _AT_BASELINE | {"root"}


class Permit(msgspec.Struct, frozen=True):
    """`level`: what the namespace enforces; None where the profile does not say."""

    namespace: str
    level: str | None
    waivers: Waivers
    as_root: bool
    """Whether the main container runs as root: with another `user.uid` only an override's does."""
    all_root: bool
    """Whether the containers beside it do."""

    def refused(self, taken: tuple[str, ...]) -> list[str]:
        """Return those of what is taken that the namespace's level refuses."""
        refuses = {"restricted": _AT_RESTRICTED, "baseline": _AT_BASELINE}
        return [field for field in taken if field in refuses.get(str(self.level), ())]

    def lacking(self, taken: tuple[str, ...], rdma: Rdma) -> list[str]:
        """Return those of what is taken for which neither the workload nor the pool gives a
        reason."""
        return [
            field
            for field in taken
            if getattr(self.waivers, field) is None and getattr(rdma.waivers, field) is None
        ]


def permit(workload: Workload, profile: Profile) -> Permit:
    """Return what a workload may take on a profile."""
    spec, namespace = workload.model.spec, workload.namespace
    user, waived = spec.user, spec.waivers.root is not None
    alone = user.main_uid is not None
    return Permit(
        namespace=namespace,
        level=next((s.pod_security for s in profile.spec.namespaces if s.name == namespace), None),
        waivers=spec.waivers,
        as_root=waived and not (user.main_uid if alone else user.uid),
        all_root=waived and not user.uid and (user.uid == 0 or not alone),
    )
