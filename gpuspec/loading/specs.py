"""Specs as they are rendered: a finding in an object is reported at the line that caused it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from gpuspec.loading.text_loader import name_of, objects
from gpuspec.loading.units import Unit, span_in
from gpuspec.manifests import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gpuspec.loading.alternatives import Name
    from gpuspec.loading.units import Feed
    from gpuspec.manifests import Document, Path, Problem
    from gpuspec.spec import Profile, Workload
    from gpuspec.spec.text import SpecText

    Compile = Callable[[Workload], "WorkloadResult"]


class TracedOrigin(Protocol):
    """The source of a value."""

    @property
    def kind(self) -> str:
        """`spec`, `override` or `profile`: a path of that document. Other origins have no place."""

    @property
    def path(self) -> Path:
        """The path in the document."""


class TracedValue(Protocol):
    """A value of a rendered object."""

    @property
    def origin(self) -> TracedOrigin:
        """The origin of the value."""


class TracedObject(Protocol):
    """A rendered object."""

    @property
    def value(self) -> dict[str, Any]:
        """The object."""

    @property
    def provenance(self) -> Mapping[Path, TracedValue]:
        """The decision behind each of its paths."""


class WorkloadResult(msgspec.Struct, frozen=True):
    """The outcome of a workload."""

    rendered: Sequence[TracedObject] = ()
    profile: Profile | None = None
    """The profile that it was rendered on."""
    cluster: str = ""
    """That profile's name, if the user named one."""
    elsewhere: bool = False
    """Whether it is for other clusters."""
    problems: tuple[Problem, ...] = ()
    """Why it cannot be rendered for any profile."""
    refused: tuple[Problem, ...] = ()
    """Why it cannot run on the profile."""
    doubts: tuple[Problem, ...] = ()
    """Contradictions of a rendered spec, with itself or with known facts."""


class Cause:
    """The places of the fields of a rendered object: in the spec, or in the profile."""

    def __init__(
        self, traced_object: TracedObject, workload: Workload, profile: Profile | None
    ) -> None:
        self._leaves = traced_object.provenance
        self._workload = workload
        self._texts: dict[str, SpecText | None] = {
            "spec": workload.document,
            "override": workload.document,
            "profile": profile.document if profile else None,
        }

    def span(self, path: Path, *, key: bool = False) -> tuple[Place, Place]:
        """Return the span of the value that caused a path, or its nearest parent with a written
        cause.

        Without such a parent, return the span of a written value inside the path, or at last of the
        name.
        """
        for end in range(len(path), 0, -1):
            if (span := self._written(self._leaves.get(path[:end]))) is not None:
                return span
        for inner, decision in self._leaves.items():
            if inner[: len(path)] == path and (span := self._written(decision)) is not None:
                return span
        return span_in(self._workload.document, ("metadata", "name"))

    def _written(self, decision: TracedValue | None) -> tuple[Place, Place] | None:
        text = self._texts.get(decision.origin.kind) if decision is not None else None
        if decision is None or text is None:
            return None
        value_span = span_in(text, decision.origin.path)
        # What a profile has from a preset is written in no file.
        return (
            None
            if decision.origin.kind == "profile" and type(value_span[0]) is not Place
            else value_span
        )


class Specs:
    """The documents of gpuspec: the valid ones rendered, and the faults of the others."""

    def __init__(self) -> None:
        self.workloads: list[Workload] = []
        self.units: list[Unit] = []
        """The objects of all workloads, as rules see them."""
        self.wrong: list[Problem] = []
        """The faults of specs and profiles."""
        self.refused: list[tuple[Workload, tuple[Problem, ...]]] = []
        """Why workloads cannot run on the profile."""
        self.doubts: list[Problem] = []
        """The contradictions of rendered specs."""
        self.clusters: dict[str, str] = {}
        """The cluster that the specs of each file are rendered for, if the user named one."""
        self.elsewhere: list[Workload] = []
        """Workloads that are for other clusters."""

    def read(self, document: Document, compile: Compile) -> None:
        """Read a document with an API version of gpuspec."""
        from gpuspec.manifests import InputError
        from gpuspec.spec import PROFILE_KIND, parse_profile, parse_workload

        value = document.value
        try:
            if isinstance(value, dict) and value.get("kind") == PROFILE_KIND:
                parse_profile(document)
                return
            workload = parse_workload(document)
        except InputError as error:
            self.wrong += error.problems
            return
        self.add(workload, compile(workload))

    def refusals(self) -> list[Problem]:
        """Return why workloads cannot run on the profile, for commands that treat this as an error."""
        return [problem for _, reasons in self.refused for problem in why_refused(reasons)]

    def notes(self) -> list[str]:
        """Return a sentence for each workload that was not rendered because it is for another
        cluster.
        """
        return [f"{workload.name} is for other clusters: `clusters`" for workload in self.elsewhere]

    def add(self, workload: Workload, workload_result: WorkloadResult) -> None:
        """Collect a workload and its outcome."""
        self.workloads.append(workload)
        self.wrong += workload_result.problems
        self.doubts += workload_result.doubts
        if workload_result.refused:
            self.refused.append((workload, workload_result.refused))
        if workload_result.elsewhere:
            self.elsewhere.append(workload)
        file = workload.place(("kind",)).file
        if workload_result.cluster:
            self.clusters[file] = workload_result.cluster
        for traced_object in workload_result.rendered:
            cause = Cause(traced_object, workload, workload_result.profile)
            self.units += (Unit(inner, cause, file=file) for inner in objects(traced_object.value))


def why_refused(reasons: Iterable[Problem]) -> list[Problem]:
    """Return why a workload cannot run on a profile. The reasons of all pools are one problem: no
    single pool is at fault.
    """
    from gpuspec.manifests import Problem

    problems = list(reasons)
    pools = [problem for problem in problems if problem.message.startswith("pool ")]
    others = [problem for problem in problems if problem not in pools]
    if pools:
        message = "; ".join(pool.message for pool in pools)
        others.append(Problem(f"no pool can run it: {message}", pools[0].place))
    return others


class Together:
    """The objects that were read and those that were rendered, as one set."""

    def __init__(
        self, feed: Feed, rendered: Iterable[Unit], clusters: Mapping[str, str] | None = None
    ) -> None:
        """Take in `clusters` those that the specs of files are rendered for."""
        self._read = feed
        self._rendered = tuple(rendered)
        self._clusters = clusters or {}

    def plain(self) -> Iterator[Unit]:
        """Yield the objects without pods."""
        yield from self._read.plain()
        yield from (unit for unit in self._rendered if not unit.object.has_pods)

    def names(self) -> Iterator[tuple[str, Name]]:
        """Yield the file and name of each object."""
        yield from self._read.names()
        yield from ((unit.file, name_of(unit.object)) for unit in self._rendered)

    def files(self) -> set[str]:
        """Return the files that hold objects, and the specs that objects were rendered from."""
        return self._read.files() | {unit.file for unit in self._rendered}

    def clusters(self) -> Mapping[str, str]:
        """Return the cluster of each file whose cluster is known."""
        return {**self._read.clusters(), **self._clusters}

    def podded(self) -> Iterator[Unit]:
        """Yield the objects with pods."""
        yield from self._read.podded()
        yield from self.rendered()

    def rendered(self) -> Iterator[Unit]:
        """Return the objects with pods that were rendered."""
        return (unit for unit in self._rendered if unit.object.has_pods)
