"""The exceptions from Pod Security `restricted` that a workload may have: by its namespace's level,
and its reasons."""

import msgspec

from gpuspec.spec import Profile, Workload
from gpuspec.spec.containers import Waivers
from gpuspec.spec.fabric import Rdma

# `restricted` forbids root too; a root file system that can be written to no level does.
_AT_BASELINE = frozenset(("host_path", "capabilities", "host_network", "privileged"))
_AT_RESTRICTED = _AT_BASELINE | {"root"}


class Permit(msgspec.Struct, frozen=True):
    """The allowed exceptions. `level`: the namespace's enforced level; None if the profile states
    none."""

    namespace: str
    level: str | None
    waivers: Waivers
    as_root: bool
    """Whether the main container runs as root; with another `user.uid`, whether an override
    does."""
    all_root: bool
    """Whether the other containers run as root."""

    def refused(self, resources: tuple[str, ...]) -> list[str]:
        """Return the exceptions that the namespace's level rejects."""
        refuses = {"restricted": _AT_RESTRICTED, "baseline": _AT_BASELINE}
        return [field for field in resources if field in refuses.get(str(self.level), ())]

    def lacking(self, resources: tuple[str, ...], rdma: Rdma) -> list[str]:
        """Return the exceptions without a reason in the workload or the pool."""
        return [
            field
            for field in resources
            if getattr(self.waivers, field) is None and getattr(rdma.waivers, field) is None
        ]


def permit(workload: Workload, profile: Profile) -> Permit:
    """Return the exceptions that a workload may have on a profile."""
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
