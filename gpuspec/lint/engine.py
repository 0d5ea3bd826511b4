"""The engine: which rule checks which objects, in which order, and the places of its findings.

Objects without pods come first, so that a rule for a pod can look up Services, queues and
namespaces. Only facts are kept about checked objects with pods, so memory grows with their number,
not with their size.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.context import Context
from gpuspec.lint.known import moved
from gpuspec.lint.model import Also, RawFinding, Rule
from gpuspec.lint.raised import RaisedFinding, Site, given_way
from gpuspec.lint.shown import LazyRules
from gpuspec.lint.suppressions.annotations import annotations_of
from gpuspec.lint.unfinished import is_unfinished
from gpuspec.loading.alternatives import EVERYWHERE, Alternatives, Side, Sides, cluster_of
from gpuspec.loading.kustomize import GROUP, KINDS
from gpuspec.loading.substitutions import GROUP as FLUX
from gpuspec.loading.units import Spec, released
from gpuspec.manifests import Document
from gpuspec.manifests.values import is_written
from gpuspec.objects.collection import Collection, Met, PodFacts, facts_of
from gpuspec.settings.config import Facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpuspec.lint.suppressions.annotations import Annotation
    from gpuspec.loading.units import Feed, Unit
    from gpuspec.manifests import SourceFile
    from gpuspec.objects.objects import Object
    from gpuspec.spec import Profile, Workload


class Learnt(msgspec.Struct, frozen=True):
    """The facts that an engine has collected from a part of the objects."""

    sites: dict[int, Site]
    held: list[RaisedFinding]
    sets: dict[Side, tuple[list[PodFacts], Met]]
    unvalidated: Counter[tuple[str, str]]


class Engine:
    """One run of the selected rules."""

    def __init__(
        self,
        is_wanted: Callable[[str], bool],
        profile: Profile | None = None,
        facts: Facts | None = None,
        judges: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Set up the rules.

        `is_wanted` decides by code whether a rule runs. `judges` decides by cluster (empty if unknown)
        whether an object is linted.
        """
        self._judges = judges
        self._shown = LazyRules(is_wanted, profile=profile is not None)
        self._context = Context(Collection(), profile, facts)
        self._sets: dict[Side, Collection] = {EVERYWHERE: self._context.collection}
        self._alternatives = Alternatives(())
        self._sides = Sides([EVERYWHERE])
        self.patches: dict[str, SourceFile] = {}
        """Files that kustomizations use as patches, by path. They contain no objects of their own.
        """
        self.sites: dict[int, Site] = {}
        """The sites, by the number of the object."""
        self._next = 0
        self._told = 0
        """The number of sites that have been passed on."""
        self._moved: set[tuple[object, ...]] = set()
        """The findings about values that have been reported."""
        self._held: list[RaisedFinding] = []
        """The findings that other pods may still excuse."""

    def run(self, loader: Feed) -> Iterator[RaisedFinding]:
        """Yield everything that the rules report: object by object, and at the end of each set.

        Files that exclude each other are in different sets; shared files are in each set.
        """
        yield from self.judge(self.begin(loader))
        yield from self.look(loader.podded())
        yield from self.finish()

    def begin(self, loader: Feed) -> list[Unit]:
        """Collect the objects without pods; the rules check them later."""
        files = loader.files()
        if len(files) > 1 or loader.clusters():
            self._alternatives = Alternatives(loader.names(), loader.clusters())
        self._sets = {self._alternatives.side(file): Collection() for file in ("", *files)}
        self._sides = Sides(self._sets)
        plain = list(loader.plain())
        makers = tuple(
            unit.object
            for unit in plain
            if unit.object.is_a(GROUP, *KINDS) or unit.object.is_a(FLUX, *KINDS)
        )
        for collection in self._sets.values():
            collection.patches, collection.makers = self.patches, makers
        for unit in plain:
            self._enter(unit)
            for collection in self._with(unit):
                collection.add(unit.object)
            self._count(unit)
        return plain

    def judge(self, units: Iterable[Unit]) -> Iterator[RaisedFinding]:
        """Yield the findings in collected objects."""
        for unit in units:
            yield from self._judge(unit.object)

    def look(self, units: Iterable[Unit]) -> Iterator[RaisedFinding]:
        """Yield the findings in objects with pods, and collect facts about these."""
        for unit in released(units):
            self._enter(unit)
            yield from self._judge(unit.object)
            self._count(unit)
            unit.object.release()

    def part(self, number: int) -> None:
        """Begin a part of the objects with pods, by its number from 1."""
        self._next = number << 32

    def learnt(self) -> Learnt:
        """Return the facts collected since the last call. Apart from the sites, they are dropped
        until `learn` gets them, so that parts can be checked in any order."""
        learnt = Learnt(
            dict(islice(self.sites.items(), self._told, None)),
            self._held,
            {side: (collection.pods, collection.met) for side, collection in self._sets.items()},
            self._context.unvalidated.copy(),
        )
        self._told = len(self.sites)
        self._held = []
        self._context.unvalidated.clear()
        for collection in self._sets.values():
            collection.pods, collection.met = [], {}
        return learnt

    def learn(self, learnt: Learnt) -> None:
        """Add the facts of the next part, from this process or a copy."""
        self.sites.update(learnt.sites)
        self._held += learnt.held
        self._context.unvalidated.update(learnt.unvalidated)
        for side, (pods, met) in learnt.sets.items():
            self._sets[side].extend(pods, met)

    def _with(self, unit: Unit) -> list[Collection]:
        """Return the sets to which an object belongs."""
        side = self._alternatives.side(unit.file)
        return [self._sets[agreeing_side] for agreeing_side in self._sides.agreeing(side)]

    def _count(self, unit: Unit) -> None:
        """Add the facts about an object's pods to all sets to which it belongs."""
        if unit.object.pods:
            facts = list(map(facts_of, unit.object.pods))
            for collection in self._with(unit):
                collection.pods += facts

    def spec(self, workload: Workload) -> Iterator[RaisedFinding]:
        """Yield the findings in a spec as written."""
        from gpuspec.spec import API_VERSION

        metadata = workload.model.metadata
        object_identity = ObjectIdentity(
            API_VERSION, workload.kind, metadata.namespace, metadata.name
        )
        where = Spec(workload.document)
        document = workload.document if isinstance(workload.document, Document) else None
        site = Site(object_identity, where, document, None)
        self._add(site)
        said: list[RaisedFinding] = []
        for loaded in self._shown.a_spec():
            said += self._raised(loaded.rule, loaded.check(workload, self._context), site)
        yield from given_way(said)

    def _enter(self, unit: Unit) -> None:
        """Number an object, and store its place."""
        obj = unit.object
        object_identity = ObjectIdentity(obj.api_version, obj.kind, obj.namespace, obj.name)
        ignored = tuple(annotations_of(obj, object_identity, unit.where))
        side = self._alternatives.side(unit.file)
        site = Site(
            object_identity, unit.where, unit.document, unit.template, ignored, side, unit.charted
        )
        obj.number = self._add(site)
        self._sets[side].meet(obj)

    def _judge(self, obj: Object) -> Iterator[RaisedFinding]:
        site = self.sites[obj.number]
        if not self._judges(cluster_of(site.side)):
            return
        self._context.collection = self._sets[site.side]
        said: list[RaisedFinding] = []
        for loaded in self._shown.an_object(obj):
            if findings := list(loaded.check(obj, self._context)):
                said += self._raised(loaded.rule, findings, site)
        for pod in obj.pods:
            for loaded in self._shown.a_pod(pod):
                if findings := list(loaded.check(pod, self._context)):
                    said += self._raised(loaded.rule, findings, site)
        if said:
            yield from given_way(said)

    def _add(self, site: Site) -> int:
        """Store a site, and number it."""
        number = self._next
        self.sites[number] = site
        self._next += 1
        return number

    def finish(self) -> Iterator[RaisedFinding]:
        """Yield the findings in whole sets, and those that no other pod excused."""
        for waiting in self._held:
            if waiting.found.unless is not None and not waiting.found.unless(
                self._sets[waiting.site.side]
            ):
                yield waiting
        for side, collection in self._sets.items():
            if not self._judges(cluster_of(side)):
                continue
            self._context.collection = collection
            for raised in self._of_all(collection):
                # What all share is judged by the set of all, and not by each part of it again.
                if raised.site.side == side:
                    yield raised

    def _of_all(self, collection: Collection) -> Iterator[RaisedFinding]:
        """Yield the findings in one whole set."""
        kinds = collection.kinds
        kinds |= {(pod.api_version.rpartition("/")[0], pod.kind) for pod in collection.pods}
        for loaded in self._shown.a_set(kinds):
            for finding in loaded.check(collection, self._context):
                if finding.object is None:
                    raise ValueError(f"{loaded.rule.code} does not say which object it found")
                finding_and_site = self._placed(loaded.rule, finding, self.sites[finding.object])
                if finding_and_site is not None:
                    yield RaisedFinding(loaded.rule, *finding_and_site)

    def _raised(
        self, rule: Rule, findings: Iterable[RawFinding], site: Site
    ) -> Iterator[RaisedFinding]:
        for finding in findings:
            finding_and_site = self._placed(
                rule, finding, site if finding.object is None else self.sites[finding.object]
            )
            if finding_and_site is None:
                continue
            placed_finding, where = finding_and_site
            value = None if where.document is None else where.document.value
            # Of a document that was let go of nobody knows any more.
            missing = value is not None and not is_written(value, placed_finding.path)
            if (
                where.document is not None
                and value is not None
                and not missing
                and is_unfinished(rule.code, where.document, placed_finding.path)
            ):
                placed_finding = replace(placed_finding, severity="info", confidence="possible")
            raised = RaisedFinding(rule, placed_finding, where, missing)
            if placed_finding.unless is None:
                yield raised
            else:
                self._held.append(raised)

    def _placed(
        self, rule: Rule, finding: RawFinding, site: Site
    ) -> tuple[RawFinding, Site] | None:
        """Return the finding and the site at which it is reported: for a chart's object, that of
        its release."""
        if site.charted is None:
            return finding, site
        moved_finding = moved(rule, finding, site.charted)
        owner = site.charted.owner.number
        if (
            moved_finding is None
            or (owner, rule.code, moved_finding.path, moved_finding.inside, moved_finding.message)
            in self._moved
        ):
            # What several objects have from one value is said once.
            return None
        self._moved.add(
            (owner, rule.code, moved_finding.path, moved_finding.inside, moved_finding.message)
        )
        return moved_finding, self.sites[owner]

    @property
    def annotations(self) -> list[Annotation]:
        """The annotations of all objects so far that suppress findings."""
        return [
            annotation
            for number in sorted(self.sites)
            for annotation in self.sites[number].annotations
        ]

    @property
    def unvalidated(self) -> dict[tuple[str, str], int]:
        """The number of objects without a schema, by apiVersion and kind."""
        return self._context.unvalidated

    def related(self, raised: RaisedFinding) -> tuple[Also, ...]:
        """Return the related places of a finding."""
        alsos: list[Also] = []
        for related_place in raised.found.related:
            place = self.sites[related_place.object].where.span(related_place.path)[0]
            alsos.append(Also(place.file, place.line, place.column, related_place.message))
        return tuple(alsos)
