"""The types of the table of permissions: requests of a program to the API server, and their
conditions."""

from msgspec import Struct

from gpuspec.numbers import read_version
from gpuspec.runtimes.fact import Fact


class PermissionCondition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A setting with which the program requests a resource."""

    names: tuple[str, ...]
    """Options and variables of the setting."""
    values: tuple[str, ...] = ()
    absent: bool = False
    """Whether the condition also holds if the setting is absent."""


class PermissionNeed(Fact, frozen=True, kw_only=True):
    """One resource that a program requests, and the effect of a denial."""

    group: str = ""
    resource: str
    verbs: tuple[str, ...]
    cluster: bool = False
    """Whether the program requests the resource in all namespaces at once, which only a
    ClusterRoleBinding permits."""
    served: bool = False
    """Whether the program requests the resource only if the cluster serves it."""
    since: str | None = None
    """The first release with the request. None, as for `until`: every release, unknown ones
    included."""
    until: str | None = None
    """The last release whose code was read and has the request."""
    when: tuple[PermissionCondition, ...] = ()
    """Conditions, all of which must hold."""
    then: str

    def holds(self, release: tuple[int, int, int] | None) -> bool:
        """Return whether a release certainly makes the request; None is an unknown release."""
        if self.since is None and self.until is None:
            return True
        if release is None:
            return False
        after = self.since is None or read_version(self.since) <= release
        return after and (self.until is None or release <= read_version(self.until))


class ApiProgram(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One program and all of its permissions."""

    title: str
    images: tuple[str, ...]
    """Repositories: the last parts of their paths."""
    commands: tuple[str, ...]
    """The commands that start the program, for a container with a `command`."""
    entrypoint: bool = True
    """Whether the images start the program by themselves."""
    namespace: tuple[str, ...] = ()
    """Options for the namespace of the requests."""
    needs: tuple[PermissionNeed, ...]
