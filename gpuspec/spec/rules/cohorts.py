"""Rules for the cohorts of a profile: they form a tree, with limits between a cohort and its
parent."""

from collections.abc import Iterator, Mapping

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import Path
from gpuspec.numbers import read_version
from gpuspec.spec.profile import ClusterProfileSpec
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules import queue_pools
from gpuspec.spec.rules.violation import SpecViolation

COHORTS: Path = ("spec", "cohorts")
# Before it, Cohort is an alpha of Kueue's, with other fields.
SINCE = (0, 13)


def problems(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    """Yield violations of the rules for cohorts."""
    yield from _version(spec)
    names: set[str] = set()
    above = {cohort.name: cohort.parent for cohort in spec.cohorts}
    for index, cohort in enumerate(spec.cohorts):
        path: Path = (*COHORTS, index)
        needs = ((*path, "parent"),)
        if cohort.name in names:
            message = f"a second cohort {shown(cohort.name)}"
            yield SpecViolation(message, (*path, "name"), "give each its own name")
        names.add(cohort.name)
        yield from queue_pools.problems(cohort.pools, spec, (*path, "pools"))
        if cohort.parent is None:
            hint = "name the `parent`, or delete it"
            alone = "the cohort has no parent"
            yield from queue_pools.limits(cohort.pools, path, alone, hint, needs)
            if cohort.weight is not None:
                message = "`weight` counts within a parent, but the cohort has none"
                yield SpecViolation(message, (*path, "weight"), hint, key=True, needs=needs)
        elif cohort.parent not in above:
            hint = did_you_mean(cohort.parent, above) or f"add it: {{name: {cohort.parent}}}"
            message = f"no cohort {shown(cohort.parent)}"
            yield SpecViolation(message, (*path, "parent"), hint, needs=(COHORTS,))
        elif (circle := _circle(cohort.name, above)) and not circle & names - {cohort.name}:
            message = (
                f"cohort {cohort.name} is its own ancestor, and Kueue admits nothing in such a tree"
            )
            yield SpecViolation(
                message, (*path, "parent"), "leave one of them without a parent", needs=(COHORTS,)
            )


def _version(spec: ClusterProfileSpec) -> Iterator[SpecViolation]:
    version = spec.installed.get("kueue")
    if spec.cohorts and version is not None and read_version(version)[:2] < SINCE:
        least = ".".join(map(str, SINCE))
        message = f"Kueue {version} does not support such cohorts; {least} and later do"
        hint = "name the cohort only in `queues`"
        yield SpecViolation(message, COHORTS, hint, key=True, needs=(("spec", "installed"),))


def _circle(name: str, above: Mapping[str, str | None]) -> set[str]:
    """Return the ancestors of a cohort if they form a cycle with it; otherwise none."""
    parent, ancestors = above.get(name), set[str]()
    while parent is not None and parent not in ancestors:
        ancestors.add(parent)
        parent = above.get(parent)
    return ancestors if name in ancestors else set()
