"""MIG on one GPU: what still fits next to the existing slices, and the best place of a slice.

All of it is geometry: a profile may begin at few places of the GPU's memory axis, and two slices
may not overlap there (`MigProfile.placements`). Functions take the profiles of one model
(`GpuModel.mig`) and a layout, the slices that exist. Profile names that a model does not have raise
KeyError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpuspec.hardware import MigProfile, Placement

    Profiles = tuple[MigProfile, ...]

_ALL_ENGINES, _ENGINES, _NO_ENGINES = "+me.all", "+me", "-me"


class MigSlice(NamedTuple):
    """One slice on a GPU."""

    profile: str
    at: Placement


Layout = tuple[MigSlice, ...]


def starts(profiles: Profiles, layout: Layout, name: str) -> tuple[Placement, ...]:
    """Return where one more slice of a profile may lie, lowest first."""
    profile = _named(profiles, name)
    if sum(mig_slice.profile == name for mig_slice in layout) >= profile.max_per_gpu:
        return ()
    if any(_engines_clash(name, mig_slice.profile) for mig_slice in layout):
        return ()
    return tuple(
        at
        for at in profile.placements
        if not any(at.overlaps(mig_slice.at) for mig_slice in layout)
    )


def most(profiles: Profiles, layout: Layout, name: str) -> int:
    """Return how many more slices of one profile fit together."""
    profile = _named(profiles, name)
    limit = profile.max_per_gpu - sum(mig_slice.profile == name for mig_slice in layout)
    count, end = 0, 0
    for at in sorted(starts(profiles, layout, name)):
        if at.start >= end and count < limit:
            count, end = count + 1, at.start + at.size
    return count


def lost(profiles: Profiles, layout: Layout, mig_slice: MigSlice) -> dict[str, int]:
    """Return, by profile, how many fewer slices fit once a slice is there; profiles that lose
    none are left out."""
    after = (*layout, mig_slice)
    counts = {
        profile.name: most(profiles, layout, profile.name) - most(profiles, after, profile.name)
        for profile in profiles
    }
    return {name: number for name, number in counts.items() if number}


def best(profiles: Profiles, layout: Layout, name: str) -> Placement | None:
    """Return the place where one more slice takes the fewest places from others; None if it does
    not fit.

    Of equal places the last: the largest slices begin at the low end.
    """
    return next(iter(_preferred(profiles, layout, name)), None)


def arrange(profiles: Profiles, layout: Layout, profile_counts: Mapping[str, int]) -> Layout | None:
    """Return a layout with further slices, so many of each profile; None if there is none.

    Existing slices keep their places and come first. Of several layouts it is one that leaves the
    most places to others, chosen slice by slice.
    """
    rest = [
        (len(profile.placements), -profile.memory_slices, name, number)
        for name, number in profile_counts.items()
        for profile in (_named(profiles, name),)
    ]
    # What has the fewest places goes first; nothing is found later than it must be.
    queue = tuple(name for _, _, name, number in sorted(rest) for _ in range(number))
    return _arranged(profiles, layout, queue, set())


def wasteful(profiles: Profiles) -> tuple[Layout, ...]:
    """Return full layouts with unused compute slices, those with the most first.

    One for each mix of profiles and number of compute slices left.
    """
    whole = max((profile.compute_slices for profile in profiles), default=0)
    compute = {profile.name: profile.compute_slices for profile in profiles}
    wasteful_layouts: dict[tuple[int, tuple[str, ...]], Layout] = {}
    for layout in layouts(profiles):
        unused_compute = whole - sum(compute[mig_slice.profile] for mig_slice in layout)
        if unused_compute and not any(
            starts(profiles, layout, profile.name) for profile in profiles
        ):
            mix = tuple(sorted(mig_slice.profile for mig_slice in layout))
            wasteful_layouts.setdefault((-unused_compute, mix), layout)
    return tuple(wasteful_layouts[key] for key in sorted(wasteful_layouts))


def layouts(profiles: Profiles) -> Iterator[Layout]:
    """Return every layout that can exist, the empty one first, each with its slices by place."""

    def grow(layout: Layout, begin: int) -> Iterator[Layout]:
        yield layout
        for profile in profiles:
            for at in starts(profiles, layout, profile.name):
                if at.start >= begin:
                    yield from grow((*layout, MigSlice(profile.name, at)), at.start + at.size)

    return grow((), 0)


def _arranged(
    profiles: Profiles, layout: Layout, queue: tuple[str, ...], dead: set[object]
) -> Layout | None:
    """Return a layout. `dead` has the combinations without a solution: occupied slots, and the
    number of remaining slices."""
    if not queue:
        return layout
    slots_taken = frozenset(slot for mig_slice in layout for slot in range(*_span(mig_slice.at)))
    if (slots_taken, len(queue)) in dead:
        return None
    name = queue[0]
    for at in _preferred(profiles, layout, name):
        arranged = _arranged(profiles, (*layout, MigSlice(name, at)), queue[1:], dead)
        if arranged is not None:
            return arranged
    dead.add((slots_taken, len(queue)))
    return None


def _preferred(profiles: Profiles, layout: Layout, name: str) -> list[Placement]:
    """Return where one more slice may lie, what takes the fewest places from others first."""
    return sorted(
        starts(profiles, layout, name),
        key=lambda at: (-_places(profiles, (*layout, MigSlice(name, at))), -at.start),
    )


def _span(at: Placement) -> tuple[int, int]:
    return at.start, at.start + at.size


def _places(profiles: Profiles, layout: Layout) -> int:
    """Return the possible places of a slice."""
    return sum(len(starts(profiles, layout, profile.name)) for profile in profiles)


def _engines_clash(profile_name: str, other_name: str) -> bool:
    """Return whether both want media engines that a GPU has once.

    Slices with `+me` take those of which there is one; `+me.all` takes all, and leaves room only
    for slices that want none.
    """
    if _ENGINES in profile_name and _ENGINES in other_name:
        return True
    pair = (profile_name, other_name)
    return any(name.endswith(_ALL_ENGINES) for name in pair) and not any(
        name.endswith(_NO_ENGINES) for name in pair
    )


def _named(profiles: Profiles, name: str) -> MigProfile:
    for profile in profiles:
        if profile.name == name:
            return profile
    raise KeyError(name)
