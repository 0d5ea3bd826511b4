"""The drift between a cluster and its profile, specs and manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from gpuspec.drift import Drift, ExpectedObject
    from gpuspec.facade.reading import ReadPaths
    from gpuspec.spec import Profile


def fleet_drift(
    *paths: str,
    live: str | BinaryIO,
    profile: Profile | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> Drift:
    """Return the differences between a cluster and its profile, specs and manifests.

    `live` names what `kubectl get … -A -o json` printed (`-` for standard input), or is an open
    file with that output. The default profile is that of the configuration. Pools are compared with
    nodes; the objects of `cluster render` and of `paths` are compared with live ones. With `paths`,
    live workloads with accelerators that no path creates are reported too. Kinds that the dump does
    not contain are reported as not seen, never as missing. `tell` is called with the number of
    texts read, and of all.

    Raises `InputError` for unreadable input, for a spec that the profile rejects, and if no profile
    is named.
    """
    from gpuspec.drift import drift, read_dump
    from gpuspec.facade.configuration import configuration_of, configured
    from gpuspec.manifests import InputError, Problem
    from gpuspec.manifests.files import dump_of

    fleet_profile = profile or configured(configuration_of(paths))
    if fleet_profile is None:
        hint = "name the profile of the cluster: -c FILE"
        raise InputError([Problem("no profile to compare the cluster with", hint=hint)])
    name, printed = dump_of(live)
    dump = read_dump(printed, name)
    return drift(fleet_profile, _said(paths, fleet_profile, tell) if paths else None, dump)


def _said(
    paths: Sequence[str], profile: Profile, tell: Callable[[int, int], None] | None
) -> list[ExpectedObject]:
    """Return the rendered objects of specs and the objects of manifests. Raises `InputError`."""
    from gpuspec.facade.reading import read_all
    from gpuspec.manifests import InputError, Problem

    read_paths = read_all(paths, profile, tell)
    objects = [*_objects(read_paths)]
    problems = [*read_paths.problems(), *read_paths.specs.refusals()]
    if not (problems or objects):
        where = ", ".join("standard input" if path == "-" else path for path in paths)
        hint = "give specs, or manifests"
        problems.append(Problem(f"nothing to compare in {where}", hint=hint))
    if problems:
        raise InputError(problems)
    return objects


def _objects(read_paths: ReadPaths) -> Iterator[ExpectedObject]:
    from gpuspec.drift import ExpectedObject

    for unit in (*read_paths.loader.plain(), *read_paths.loader.podded(), *read_paths.specs.units):
        # What an object wraps is compared with it; an item of a List is not wrapped.
        if unit.object.base[:1] in ((), ("items",)):
            yield ExpectedObject(
                unit.object.value, "spec", unit.file or unit.where.span(())[0].file
            )
