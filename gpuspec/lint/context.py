"""What a rule may know beside what it is shown."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar

from gpuspec.kinds import inner_objects
from gpuspec.objects.collection import Collection
from gpuspec.settings.config import Facts
from gpuspec.validation import SchemaViolation, newest, validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.hardware import Constraints
    from gpuspec.lint.analysis.placement.profile_pools import AdvertisingPool
    from gpuspec.objects.objects import Object, Pod
    from gpuspec.spec import ClusterProfileSpec, Profile, Queue
    from gpuspec.validation.located.locations import Locations

_T = TypeVar("_T")


class Context:
    """The profile, where one is given; the other objects of the run; the configuration's facts."""

    def __init__(
        self,
        collection: Collection,
        profile: Profile | None = None,
        facts: Facts | None = None,
    ) -> None:
        self.collection = collection
        self.profile = profile
        """None without `-c`: a rule that cannot know without it says less, and says why."""
        self.cluster: ClusterProfileSpec | None = None if profile is None else profile.spec
        """What the profile says of the cluster."""
        self.facts = facts or Facts()
        self.unvalidated: Counter[tuple[str, str]] = Counter()
        """How many objects of each kind have no schema, of those that were asked about."""
        self._validated: tuple[int, tuple[SchemaViolation, ...]] | None = None

    @cached_property
    def placed(self) -> list[AdvertisingPool]:
        """The pools of the profile with their labels: many rules ask, of every pod. Not to be
        changed."""
        from gpuspec.lint.analysis.placement.profile_pools import placed

        return placed(self.cluster)

    @cached_property
    def locations(self) -> Locations | None:
        """Where schemas of custom kinds are that come before the bundled ones; None for nowhere."""
        if not self.facts.schemas:
            return None
        from gpuspec.validation.located.locations import Locations

        return Locations(self.facts.schemas)

    def is_located(self, obj: Object) -> bool:
        """Return whether a user has given the schema of an object's kind."""
        kind = obj.api_version, obj.kind
        return self.locations is not None and self.locations.find(kind, self.kubernetes) is not None

    @property
    def kubernetes(self) -> str:
        """The API server's version, `major.minor`; the newest known where no profile says."""
        return newest() if self.cluster is None else self.cluster.kubernetes

    @property
    def provider(self) -> str | None:
        """Who runs the cluster; None where no profile says."""
        return None if self.cluster is None else self.cluster.provider

    @property
    def dns_ports(self) -> frozenset[int]:
        """The ports on which the pods of the cluster's DNS listen; any where no profile says."""
        from gpuspec.hardware import provider, providers

        candidates = providers().values() if self.provider is None else (provider(self.provider),)
        return frozenset(cluster_provider.dns.port for cluster_provider in candidates)

    @property
    def assigns_user(self) -> bool:
        """Whether the cluster assigns the user of pods, and refuses most that they choose."""
        return self.constraints is not None

    @property
    def constraints(self) -> Constraints | None:
        """By what it does so; None where a pod's user is what it says, and where no profile says."""
        from gpuspec.hardware import provider

        return None if self.provider is None else provider(self.provider).constraints

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues that the profile knows."""
        return () if self.cluster is None else self.cluster.queues

    def violations(self, obj: Object) -> tuple[SchemaViolation, ...]:
        """Return what an object's schema does not allow; of the objects in it that is asked by
        itself.

        Paths are from the object. Several rules ask, one after the other.
        """
        if self._validated is None or self._validated[0] != obj.number:
            violations = validate(_named(obj), self.kubernetes, self.locations)
            if violations:
                violations = self._own(obj, violations)
            self._validated = obj.number, violations
        return self._validated[1]

    def _own(
        self, obj: Object, violations: tuple[SchemaViolation, ...]
    ) -> tuple[SchemaViolation, ...]:
        """Return those of its violations that are no other object's."""
        if obj.wrapper is not None and obj.wrapper.traits.names_objects:
            # Its controller may apply some fields of an object that exists.
            violations = tuple(
                violation
                for violation in violations
                if len(violation.path) != 1 or violation.path[0] in obj.value
            )
        inner = [path for path, _ in inner_objects(obj.value)]
        own_violations = tuple(
            violation
            for violation in violations
            if violation.outer or not any(violation.path[: len(path)] == path for path in inner)
        )
        if any(violation.reason == "no-schema" for violation in own_violations):
            from gpuspec.lint.analysis.reading.pods_by_shape import pod_violations

            self.unvalidated[obj.api_version, obj.kind] += 1
            return (*own_violations, *pod_violations(obj, self.kubernetes))
        return own_violations


def _named(obj: Object) -> dict[str, Any]:
    """Return an object with the name that its wrapper gives it."""
    if obj.wrapper is None or not obj.wrapper.traits.names_objects or not obj.name:
        return obj.value
    return {**obj.value, "metadata": {"name": obj.name, **obj.metadata}}


def kept_in_run(make: Callable[[Pod, Context], _T]) -> Callable[[Pod, Context], _T]:
    """Return a function of a pod and of the run that looks at it, worked out once for each pod:
    several rules ask. What it gives is not to be changed."""
    name = f"{make.__module__}.{make.__qualname__}"

    def get(pod: Pod, context: Context) -> _T:
        pod_attributes: dict[str, tuple[Context, _T]] = pod.__dict__
        cached = pod_attributes.get(name)
        if cached is None or cached[0] is not context:
            cached = pod_attributes[name] = context, make(pod, context)
        return cached[1]

    return update_wrapper(get, make)
