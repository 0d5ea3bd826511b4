"""Manifests and specs read together; specs count as the objects that they render to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpuspec.loading.counted import ReleaseObjects
    from gpuspec.loading.inputs import Inputs
    from gpuspec.loading.specs import Specs, Together, WorkloadResult
    from gpuspec.loading.text_loader import TextLoader
    from gpuspec.manifests import Problem
    from gpuspec.settings.config import FoundConfig
    from gpuspec.spec import Profile, Workload

    Tell = Callable[[int, int], None]
    """Hears how much of how much is done."""


class ReadPaths(msgspec.Struct):
    """The contents of some paths."""

    loader: TextLoader
    specs: Specs
    inputs: Inputs
    releases: ReleaseObjects

    @property
    def together(self) -> Together:
        """All objects: from manifests, rendered from specs, and of releases whose objects are all
        known."""
        from gpuspec.loading.specs import Together

        units = (*self.specs.units, *self.releases.units)
        return Together(self.loader, units, self.specs.clusters)

    def notes(self) -> list[str]:
        """Return notes on what was not read; they are complete only after all objects were read."""
        left_out = (note.text for note in self.inputs.notes if not note.file)
        skipped = (*self.loader.notes(), *self.releases.notes, *self.specs.notes())
        return [*left_out, *skipped]

    def problems(self) -> list[Problem]:
        """Return the problems; they are complete only after all objects were read."""
        from gpuspec.manifests import Problem

        unread = (*self.inputs.unread, *self.loader.unread)
        problems = [
            Problem(unread_part.message, unread_part.place, unread_part.hint)
            for unread_part in unread
        ]
        return [*problems, *self.specs.wrong]


def read_all(paths: Sequence[str], profile: Profile | None, tell: Tell | None = None) -> ReadPaths:
    """Return the objects of manifests, and the specs rendered.

    Files that the linter skips are left out. `tell` is called with the number of texts read, and of
    all. The configuration above the first path gives the pod paths of custom kinds. Raises
    `InputError` for a missing path.
    """
    from gpuspec.facade.clusters import with_clusters
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.loading.inputs import gather

    inputs = with_clusters(gather(paths))
    return read_inputs(inputs, configuration_of(paths), profile, tell)


def walked(
    paths: Sequence[str], configuration: FoundConfig, forced: bool = False, stdin: str | None = None
) -> Inputs:
    """Read files and folders, without files that Git ignores or the configuration excludes. Charts
    are rendered with the values of the releases that name them.

    With `forced`, the exclusions apply to named files too; `stdin` is the file name of standard
    input. Raises `InputError` for a missing path, and for a chart that helm cannot render.
    """
    from gpuspec.facade.clusters import with_clusters
    from gpuspec.loading.helm import charts
    from gpuspec.loading.inputs import STDIN_NAME, gather
    from gpuspec.loading.left_out import LeftOutFiles
    from gpuspec.loading.tree_releases import with_releases

    left_out = LeftOutFiles(configuration.excludes(forced))
    inputs = gather(paths, left_out, charts(paths), stdin or STDIN_NAME)
    return with_releases(with_clusters(inputs))


def read_inputs(
    inputs: Inputs, configuration: FoundConfig, profile: Profile | None, tell: Tell | None = None
) -> ReadPaths:
    """Return the objects of the inputs, specs rendered; with a profile, only those for its cluster.

    `tell` is called with the number of texts read, and of all.
    """
    from gpuspec.facade.clusters import for_cluster
    from gpuspec.loading.counted import counted
    from gpuspec.loading.custom import Custom
    from gpuspec.loading.specs import Specs
    from gpuspec.loading.text_loader import TextLoader

    if profile is not None:
        inputs = for_cluster(inputs, profile.name)
    custom = Custom(configuration.config.pod_paths)
    loader = TextLoader(inputs.sources, custom, inputs.clusters, inputs.fillings, tell)
    specs = Specs()
    for document in loader.ours:
        specs.read(document, lambda workload: made(workload, profile))
    return ReadPaths(
        loader, specs, inputs, counted(inputs.named, tuple(loader.plain()), inputs.rendered)
    )


def made(workload: Workload, profile: Profile | None) -> WorkloadResult:
    """Return a workload as the linter sees it: its objects, or the reasons why it was refused."""
    from gpuspec.facade.workloads import render
    from gpuspec.loading.specs import WorkloadResult
    from gpuspec.manifests import InputError, Problem
    from gpuspec.plan import Refusal

    if profile is not None and not workload.is_for(profile):
        return WorkloadResult(cluster=profile.name, elsewhere=True)
    try:
        rendering = render(workload, profile)
    except InputError as error:
        return WorkloadResult(problems=error.problems)
    except Refusal as refusal:
        reasons = [Problem(reason.text, reason.place, reason.hint) for reason in refusal.reasons]
        return WorkloadResult(refused=tuple(reasons))
    doubts = tuple(
        Problem(fault, rendering.resolution.place(note.origin), advice)
        for note in rendering.notes
        if note.doubt
        for fault, _, advice in (note.text.rpartition("; "),)
    )
    cluster = "" if profile is None else profile.name
    return WorkloadResult(rendering.rendered, rendering.resolution.profile, cluster, doubts=doubts)
