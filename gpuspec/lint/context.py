"""The context of a rule: what it may know beside the object that it checks."""

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
    """The profile, if given; the other objects of the run; facts from the configuration."""

    def __init__(
        self,
        collection: Collection,
        profile: Profile | None = None,
        facts: Facts | None = None,
    ) -> None:
        self.collection = collection
        self.profile = profile
        """None without `-c`; a rule that needs it then reports less, and says why."""
        self.cluster: ClusterProfileSpec | None = None if profile is None else profile.spec
        """The profile's description of the cluster."""
        self.facts = facts or Facts()
        self.unvalidated: Counter[tuple[str, str]] = Counter()
        """The number of checked objects without a schema, by kind."""
        self._validated: tuple[int, tuple[SchemaViolation, ...]] | None = None

    @cached_property
    def placed(self) -> list[AdvertisingPool]:
        """The pools of the profile with their labels, cached because many rules use them for every
        pod. Do not change them."""
        from gpuspec.lint.analysis.placement.profile_pools import placed

        return placed(self.cluster)

    @cached_property
    def locations(self) -> Locations | None:
        """The locations of schemas for custom kinds, which take precedence over the bundled ones;
        None if there are none."""
        if not self.facts.schemas:
            return None
        from gpuspec.validation.located.locations import Locations

        return Locations(self.facts.schemas)

    def is_located(self, obj: Object) -> bool:
        """Return whether the user provides the schema of an object's kind."""
        kind = obj.api_version, obj.kind
        return self.locations is not None and self.locations.find(kind, self.kubernetes) is not None

    @property
    def kubernetes(self) -> str:
        """The API server's version, `major.minor`; the newest known one without a profile."""
        return newest() if self.cluster is None else self.cluster.kubernetes

    @property
    def provider(self) -> str | None:
        """The cluster's provider; None if unknown."""
        return None if self.cluster is None else self.cluster.provider

    @property
    def dns_ports(self) -> frozenset[int]:
        """The ports on which the cluster's DNS pods listen; all known ones without a profile."""
        from gpuspec.hardware import provider, providers

        candidates = providers().values() if self.provider is None else (provider(self.provider),)
        return frozenset(cluster_provider.dns.port for cluster_provider in candidates)

    @property
    def assigns_user(self) -> bool:
        """Whether the cluster assigns the user of pods, and rejects most others."""
        return self.constraints is not None

    @property
    def constraints(self) -> Constraints | None:
        """The constraints by which it does so; None if pods choose their user, or this is unknown."""
        from gpuspec.hardware import provider

        return None if self.provider is None else provider(self.provider).constraints

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues in the profile."""
        return () if self.cluster is None else self.cluster.queues

    def violations(self, obj: Object) -> tuple[SchemaViolation, ...]:
        """Return the schema violations of an object, without those of objects that it wraps.

        Paths start at the object. The result is cached, because several rules use it.
        """
        if self._validated is None or self._validated[0] != obj.number:
            violations = validate(_named(obj), self.kubernetes, self.locations)
            if violations or "." in obj.group:
                violations = self._own(obj, violations)
            self._validated = obj.number, violations
        return self._validated[1]

    def _own(
        self, obj: Object, violations: tuple[SchemaViolation, ...]
    ) -> tuple[SchemaViolation, ...]:
        """Return the violations that do not belong to a wrapped object."""
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
            self.unvalidated[obj.api_version, obj.kind] += 1
        if not obj.has_pods:
            return own_violations
        from gpuspec.lint.analysis.reading.created_pods import pod_violations

        return (*own_violations, *pod_violations(obj, self.kubernetes, own_violations))


def _named(obj: Object) -> dict[str, Any]:
    """Return an object with the name from its wrapper."""
    if obj.wrapper is None or not obj.wrapper.traits.names_objects or not obj.name:
        return obj.value
    return {**obj.value, "metadata": {"name": obj.name, **obj.metadata}}


def kept_in_run(make: Callable[[Pod, Context], _T]) -> Callable[[Pod, Context], _T]:
    """Keep a function's result per pod and run, because several rules use it. Callers
    must not change the result."""
    name = f"{make.__module__}.{make.__qualname__}"

    def get(pod: Pod, context: Context) -> _T:
        pod_attributes: dict[str, tuple[Context, _T]] = pod.__dict__
        cached = pod_attributes.get(name)
        if cached is None or cached[0] is not context:
            cached = pod_attributes[name] = context, make(pod, context)
        return cached[1]

    return update_wrapper(get, make)
