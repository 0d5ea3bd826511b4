"""The requests of workloads, added up by cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpuspec.demand.totals import Table
    from gpuspec.loading.inputs import Inputs
    from gpuspec.manifests import Problem
    from gpuspec.settings.config import FoundConfig
    from gpuspec.spec import Profile

    Tell = Callable[[int, int], None]


def table(
    *paths: str,
    profile: Profile | Sequence[Profile] | None = None,
    config: str | None = None,
    force_exclude: bool = False,
    tell: Tell | None = None,
) -> Table:
    """Return the requests of workloads: devices, CPU, memory, replicas. Specs count as rendered.

    With several profiles, each spec counts once for each of its clusters, and manifests that were
    rendered for none of them count for all. Files that the linter skips are not counted. `tell` is
    called with the progress in texts. Raises `InputError` for a missing path, and for input that
    cannot be read or rendered, because a sum without it would be wrong.
    """
    from collections.abc import Sequence

    from gpuspec.demand.totals import merged
    from gpuspec.facade.clusters import without_clusters
    from gpuspec.facade.configuration import configuration_of
    from gpuspec.facade.reading import walked
    from gpuspec.manifests import InputError, Problem

    configuration = configuration_of(paths, config)
    inputs = walked(paths, configuration, force_exclude)
    profiles = list(profile) if isinstance(profile, Sequence) else []
    if len(profiles) < 2:
        alone = profile if not isinstance(profile, Sequence) else profiles[0] if profiles else None
        return _table(inputs, configuration, alone, tell)
    names = {cluster_profile.name for cluster_profile in profiles}
    tables: dict[str, Table] = {}
    problems: dict[Problem, None] = {}
    for cluster_profile in profiles:
        cluster_inputs = without_clusters(inputs, names - {cluster_profile.name})
        try:
            tables[cluster_profile.name] = _table(
                cluster_inputs, configuration, cluster_profile, tell
            )
        except InputError as error:
            cluster_problems = (
                Problem(
                    f"on {cluster_profile.name}: {problem.message}", problem.place, problem.hint
                )
                for problem in error.problems
            )
            problems |= dict.fromkeys(cluster_problems)
    if problems:
        raise InputError(problems)
    return merged(tables)


def _table(
    inputs: Inputs, configuration: FoundConfig, profile: Profile | None, tell: Tell | None
) -> Table:
    from msgspec.structs import replace

    from gpuspec.demand.totals import table as table_of
    from gpuspec.facade.reading import read_inputs
    from gpuspec.manifests import InputError

    read_paths = read_inputs(inputs, configuration, profile, tell)
    request_table = table_of(read_paths.together)
    problems = read_paths.problems()
    problems += read_paths.specs.refusals()
    if problems:
        raise InputError(problems)
    documents = read_paths.loader.objects + len(read_paths.loader.ours)
    return replace(
        request_table,
        notes=(*read_paths.notes(), *request_table.notes),
        elsewhere=tuple(read_paths.specs.notes()),
        documents=documents,
    )
