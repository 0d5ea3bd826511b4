"""The differences between two sets of specs and manifests, and their effect on running pods."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpuspec.diff import Checkout, Diff, OwnedField, PodUse, Side, SideObject
    from gpuspec.loading.inputs import Inputs
    from gpuspec.loading.sets import Sets
    from gpuspec.loading.units import Unit
    from gpuspec.manifests import Problem
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.settings.config import FoundConfig
    from gpuspec.spec import Profile


def diff(
    old: str,
    new: str,
    *,
    profile: Profile | None = None,
    old_profile: Profile | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Diff:
    """Return what differs between two files, folders or git revisions (`main:k8s`) of specs and
    manifests.

    Specs are compared as written and as rendered: on `profile`, the old ones on `old_profile` if it
    is given; by default on the configuration's profile, or else on `generic`. The configuration is
    the nearest one above the new side if it is on disk, or else above the old one. `-` is standard
    input, once. Files that the linter skips are left out. `tell` is called with the progress: done
    and total.

    Raises `InputError` for a missing or unreadable file, for a new spec that cannot be rendered,
    and if both sides are empty.
    """
    from tempfile import TemporaryDirectory

    from gpuspec.diff import compare
    from gpuspec.facade.configuration import configured
    from gpuspec.manifests import InputError, Problem

    with ExitStack() as stack:
        folders = [stack.enter_context(TemporaryDirectory(prefix="gpuspec-")) for _ in range(2)]
        configuration = _configuration(old, new)
        is_given = profile is not None
        profile = profile or configured(configuration)
        problems: list[Problem] = []
        sides: list[Side] = []
        readings: list[_Reading] = []
        for path, folder, side_profile, is_new in (
            (old, folders[0], old_profile or profile, False),
            (new, folders[1], profile, True),
        ):
            cluster = side_profile.name if side_profile is not None and is_given else ""
            try:
                reading = _Reading(path, folder, configuration, side_profile, cluster)
                readings.append(reading)
                sides.append(reading.side(_third(tell, 1 if is_new else 0), is_new=is_new))
            except InputError as error:
                problems += error.problems
        # One mistake keeps no other from being told.
        problems += _unread(readings, forgiving=not problems)
        notes = _notes(readings) if len(readings) == 2 else []
    if not problems and not any(side.things or side.specs for side in sides):
        hint = "give specs, or manifests"
        problems.append(Problem(f"nothing to compare in {old} and {new}", hint=hint))
    if problems:
        raise InputError(problems)
    before, after = sides
    return compare(before, after, _third(tell, 2), tuple(notes))


def _unread(readings: Sequence[_Reading], *, forgiving: bool) -> list[Problem]:
    """Return the problems of files that could not be read; `forgiving` leaves out files that are
    equal on both sides."""
    return [
        _as_asked(problem, reading.there)
        for reading in readings
        for problem in reading.unread
        if not (forgiving and _is_on_both(problem, reading, readings))
    ]


def _is_on_both(problem: Problem, own_reading: _Reading, readings: Sequence[_Reading]) -> bool:
    from gpuspec.diff.uncompared import is_same

    if (
        problem.place is None
        or len(readings) < 2
        or not all(reading.is_folder for reading in readings)
    ):
        return False
    place = own_reading.at(problem.place.file)
    old, new = (reading.files().get(place) for reading in readings)
    return is_same(old, new)


def _notes(readings: Sequence[_Reading]) -> list[str]:
    """Return notes on files, beside the objects in them."""
    from gpuspec.diff import uncompared

    old, new = readings
    before, after = old.uncompared(), new.uncompared()
    are_folders = old.is_folder and new.is_folder
    places = uncompared.differing(before, after) if are_folders else []
    names = [
        new.shown(after[place]) if place in after else old.shown(before[place]) for place in places
    ]
    notes = [*uncompared.notes(names)]
    for side, opposite in ((old, new), (new, old)):
        if opposite.there is not None:
            notes += uncompared.ignored(side.ignored(), side.name)
    unread = [
        f"{_as_asked(problem, new.there)}: not compared; the file is the same on both sides"
        for problem in new.unread
        if _is_on_both(problem, new, readings)
    ]
    return [*notes, *unread]


def _third(
    tell: Callable[[int, int], None] | None, number: int
) -> Callable[[int, int], None] | None:
    """Return a function that takes the progress of one of the three parts, counted from 0, and
    reports the progress of the whole."""
    if tell is None:
        return None
    return lambda done, total: tell(number * total + done, 3 * total)


def names_revision(word: str) -> bool:
    """Return whether a word begins with a revision that git knows."""
    from gpuspec.diff import git

    return bool(git.run("rev-parse", "--git-dir").code == 0 and git.verified(f"{word}^{{tree}}"))


def cluster_profile(name: str) -> Profile:
    """Return the profile in a file, with a built-in name, or in a file of a git revision
    (`main:eu.yaml`).

    Raises `InputError` as `load_profiles` does, and for several profiles.
    """
    from tempfile import TemporaryDirectory

    from gpuspec.diff import checkout, is_revision
    from gpuspec.facade.profiles import load_profiles
    from gpuspec.manifests import InputError, Problem

    with TemporaryDirectory(prefix="gpuspec-") as folder:
        checkout_folder = checkout(name, folder) if is_revision(name) else None
        try:
            profiles = load_profiles(name if checkout_folder is None else checkout_folder.path)
        except InputError as error:
            raise InputError(
                _as_asked(problem, checkout_folder) for problem in error.problems
            ) from None
    if len(profiles) > 1:
        names = ", ".join(profile.name for profile in profiles)
        hint = "name files with one profile each: -c OLD -c NEW"
        raise InputError([Problem(f"{name}: {len(profiles)} profiles ({names})", hint=hint)])
    return profiles[0]


class _Reading:
    """One side of the comparison, read from disk, from standard input or from git."""

    def __init__(
        self,
        path: str,
        folder: str,
        configuration: FoundConfig,
        profile: Profile | None,
        cluster: str,
    ) -> None:
        """Read one side. `cluster` restricts it to the files of one cluster; empty means all."""
        from gpuspec.diff import checkout, is_revision
        from gpuspec.facade.clusters import for_cluster, with_clusters
        from gpuspec.loading.inputs import gather

        self.name = path
        self.there = checkout(path, folder) if is_revision(path) else None
        self._root = path if self.there is None else self.there.path
        self._configuration = configuration
        self._profile = profile
        self.unread: list[Problem] = []
        """The problems of files that `side` could not read."""
        self._inputs: Inputs = for_cluster(with_clusters(gather([self._root])), cluster)

    def side(self, tell: Callable[[int, int], None] | None, *, is_new: bool) -> Side:
        """Return the whole side; `tell` is called with the progress. A spec that the profile
        rejects has no objects on the old side, and is an error on the new one."""
        from gpuspec.diff import Side, WrittenSpec
        from gpuspec.loading.custom import Custom
        from gpuspec.loading.sets import Sets
        from gpuspec.loading.specs import Together, why_refused
        from gpuspec.loading.text_loader import TextLoader
        from gpuspec.loading.units import UnreadPart
        from gpuspec.manifests import InputError, Problem

        custom = Custom(self._configuration.config.pod_paths)
        inputs = self._inputs
        loader = TextLoader(inputs.sources, custom, inputs.clusters, inputs.fillings, tell)
        units = [(unit, "") for unit in (*loader.plain(), *loader.podded())]
        unread: list[UnreadPart] = [*self._inputs.unread, *loader.unread]
        self.unread = [
            Problem(unread_part.message, unread_part.place, unread_part.hint)
            for unread_part in unread
        ]
        problems: list[Problem] = []
        notes: list[str] = [*self.there.notes] if self.there else []
        specs: list[WrittenSpec] = []
        rendered: list[Unit] = []
        clusters: dict[str, str] = {}
        for document in loader.ours:
            rendered_document = self._rendered(document)
            rendered += rendered_document.units
            clusters |= rendered_document.clusters
            problems += rendered_document.wrong
            for workload in rendered_document.workloads:
                name = f"{workload.kind} {workload.namespace}/{workload.name}"
                file = workload.place(("kind",)).file
                value: Any = workload.document.value
                specs.append(WrittenSpec(value, self.shown(file), self.at(file), name))
                units += ((unit, name) for unit in rendered_document.units)
            for workload, reasons in rendered_document.refused:
                if is_new:
                    problems += why_refused(reasons)
                else:
                    message = "; ".join(reason.message for reason in reasons)
                    notes.append(f"before, {workload.name} could not run on the profile: {message}")
        if problems:
            raise InputError(_as_asked(problem, self.there) for problem in problems)
        notes += (self._told(note) for note in loader.notes())
        notes += (note.text for note in self._inputs.notes if not note.file)
        sets = Sets(Together(loader, rendered, clusters))
        things = tuple(self._thing(unit, name, sets) for unit, name in units)
        return Side(self.name, things, tuple(specs), tuple(notes))

    def _rendered(self, document: Any) -> Any:
        from gpuspec.facade.reading import made
        from gpuspec.loading.specs import Specs

        specs = Specs()
        specs.read(document, lambda workload: made(workload, self._profile))
        return specs

    def _thing(self, unit: Unit, spec: str, sets: Sets) -> SideObject:
        from gpuspec.charts.release import releases
        from gpuspec.diff import SideObject

        obj, collection = unit.object, sets.beside(unit)
        file = unit.file or unit.where.span(())[0].file
        return SideObject(
            value=_outer(obj.value),
            file=self.shown(file),
            at=self.at(file),
            spec=spec,
            pods=tuple(_pods(unit, collection)),
            serves=any(pod.life == "service" for pod in obj.pods),
            owned=tuple(_owned(obj, collection)),
            cluster=self._inputs.clusters.get(unit.file, ""),
            is_release=any(release.chart or release.values for release in releases(obj)),
        )

    @property
    def is_folder(self) -> bool:
        """Whether a folder was given, whose files can be found on the other side."""
        return os.path.isdir(self._root)

    def files(self) -> dict[str, str]:
        """Return all files on disk, by their places in what was given."""
        return {self.at(file): file for file in self._inputs.named}

    def uncompared(self) -> dict[str, str]:
        """Return the files without objects and specs, by their places; JSON files only if they are
        patches."""
        names = {source.name for source in self._inputs.sources}
        noted = {note.file for note in self._inputs.notes}
        return {
            place: file
            for place, file in self.files().items()
            if file in noted or (file not in names and not file.endswith(".json"))
        }

    def ignored(self) -> list[str]:
        """Return the files of a folder on disk that Git ignores."""
        from gpuspec.loading.left_out import LeftOutFiles
        from gpuspec.manifests.files import files

        if self.there is not None or not self.is_folder:
            return []
        not_ignored = {
            file.removeprefix("./") for file in files(self._root, LeftOutFiles().below(self._root))
        }
        return [file for file in self._inputs.named if file not in not_ignored]

    def _told(self, note: str) -> str:
        return note if self.there is None else self.there.told(note)

    def shown(self, file: str) -> str:
        """Return the name of a file as the user knows it."""
        return file if self.there is None else self.there.shown(file)

    def at(self, file: str) -> str:
        """Return a file's path relative to the given path; empty for the given path itself, so that
        two single files are compared with each other."""
        if not os.path.isdir(self._root):
            return ""
        return os.path.relpath(file, self._root)


def _pods(unit: Unit, collection: Collection) -> Iterator[PodUse]:
    from gpuspec.diff import PodUse
    from gpuspec.kinds.scale import Scale
    from gpuspec.objects.claims import together
    from gpuspec.objects.scale import scale_of

    base = len(unit.object.base)
    for pod in unit.object.pods:
        if pod.role.overlay:
            continue
        scale_value = scale_of(pod, collection)
        scale = scale_value if isinstance(scale_value, Scale) else None
        yield PodUse(
            role=pod.role.name,
            spec=pod.spec,
            path=pod.base[base:],
            containers=tuple((container.stage, container.value) for container in pod.every),
            each=together(pod, collection)[0],
            least=scale.least if scale else None,
            most=scale.most if scale else None,
            by=scale.by if scale else None,
        )


def _owned(obj: Object, collection: Collection) -> Iterator[OwnedField]:
    from gpuspec.diff import OwnedField
    from gpuspec.objects.owned import held, written

    for controlled_field in held(obj, collection):
        scaler = controlled_field.scaler
        by = f"{scaler.object.kind} {scaler.object.name}" if scaler else controlled_field.owned.by
        is_written = any(value is not None for _, value in written(obj, controlled_field.owned))
        yield OwnedField(controlled_field.owned.field, by, scaler is not None, is_written)


def _outer(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object without the objects that it wraps, which are compared by themselves; only
    their names remain."""
    from gpuspec.kinds import inner_objects

    inner = inner_objects(value)
    if not inner:
        return value
    from copy import deepcopy

    outer = deepcopy(value)
    for path, inner_object in inner:
        holder: Any = outer
        for step in path[:-1]:
            holder = holder[step]
        metadata = inner_object.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        holder[path[-1]] = {"kind": inner_object.get("kind"), "metadata": {"name": name}}
    return outer


def _configuration(*paths: str) -> FoundConfig:
    """Return the nearest configuration above the new side, the old side or the working directory,
    whichever is on disk."""
    from gpuspec.diff import is_revision
    from gpuspec.facade.configuration import configuration_of

    on_disk = [path for path in reversed(paths) if path != "-" and not is_revision(path)]
    return configuration_of(on_disk)


def _as_asked(problem: Problem, checkout: Checkout | None) -> Problem:
    """Return a problem of a checked-out file under its name in git."""
    from gpuspec.manifests import Place, Problem

    if checkout is None:
        return problem
    at = problem.place
    place = None if at is None else Place(checkout.shown(at.file), at.line, at.column)
    return Problem(
        checkout.told(problem.message), place, problem.hint and checkout.told(problem.hint)
    )
