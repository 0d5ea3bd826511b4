"""The typed form of the table of permissions: what a program asks of the API server, and when."""

from msgspec import Struct

from gpuspec.numbers import read_version
from gpuspec.runtimes.fact import Fact


class PermissionCondition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a program has to be told, so that it asks for something."""

    names: tuple[str, ...]
    """Options and variables that say it."""
    values: tuple[str, ...] = ()
    absent: bool = False
    """It holds too where nothing says it."""


class PermissionNeed(Fact, frozen=True, kw_only=True):
    """One resource that a program asks for, and what comes of a refusal."""

    group: str = ""
    resource: str
    verbs: tuple[str, ...]
    cluster: bool = False
    """In all namespaces at once: only a ClusterRoleBinding permits it."""
    served: bool = False
    """Asked for only where the cluster serves the resource."""
    since: str | None = None
    """The first release that asks. None, as of `until`: all do, those of which nothing is known too."""
    until: str | None = None
    """The last release that was read and asks."""
    when: tuple[PermissionCondition, ...] = ()
    """All of these."""
    then: str

    def holds(self, release: tuple[int, int, int] | None) -> bool:
        """Return whether a release certainly asks; None is one that is not known."""
        if self.since is None and self.until is None:
            return True
        if release is None:
            return False
        after = self.since is None or read_version(self.since) <= release
        return after and (self.until is None or release <= read_version(self.until))


class ApiProgram(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program, and all that it needs."""

    title: str
    images: tuple[str, ...]
    """Repositories, the last parts of their paths."""
    commands: tuple[str, ...]
    """What starts it, where a container has a `command`."""
    entrypoint: bool = True
    """Whether the images start it by themselves."""
    namespace: tuple[str, ...] = ()
    """Options that say in which namespace it asks."""
    needs: tuple[PermissionNeed, ...]
