"""MIG's geometry against every layout there is, written out without the code under test."""

from collections import Counter
from functools import cache

import pytest

from gpuspec import hardware
from gpuspec.fleet.fragments import mig
from gpuspec.fleet.fragments.mig import MigSlice
from gpuspec.hardware import MigProfile, Placement

MODELS = ("A30", "A100-80GB", "RTX-PRO-6000")


def profiles(model: str) -> tuple[MigProfile, ...]:
    return hardware.model(model).mig


def allowed(one: MigSlice, others: frozenset[MigSlice], limits: dict[str, int]) -> bool:
    """Whether a slice can stand beside others."""
    names = [each.profile for each in others]
    used = {slot for each in others for slot in range(each.at.start, each.at.start + each.at.size)}
    engines = [name for name in (*names, one.profile) if "+me" in name]
    hungry = any(name.endswith("+me.all") for name in (*names, one.profile))
    fed = [name for name in (*names, one.profile) if not name.endswith("-me")]
    return (
        used.isdisjoint(range(one.at.start, one.at.start + one.at.size))
        and names.count(one.profile) < limits[one.profile]
        and len(engines) <= 1
        and not (hungry and len(fed) > 1)
    )


@cache
def everything(model: str) -> set[frozenset[MigSlice]]:
    """All layouts of a model as sets of slices."""
    known = profiles(model)
    limits = {one.name: one.max_per_gpu for one in known}
    every = [MigSlice(one.name, at) for one in known for at in one.placements]
    found: set[frozenset[MigSlice]] = {frozenset()}
    edge = found
    while edge:
        edge = {
            layout | {one} for layout in edge for one in every if allowed(one, layout, limits)
        } - found
        found = found | edge
    return found


def larger(model: str, layout: frozenset[MigSlice]) -> list[frozenset[MigSlice]]:
    return [other for other in everything(model) if layout <= other]


@pytest.mark.parametrize("model", MODELS)
def test_every_layout_is_found_once(model: str) -> None:
    made = list(mig.layouts(profiles(model)))
    assert len(made) == len({frozenset(one) for one in made})
    assert {frozenset(one) for one in made} == everything(model)


@pytest.mark.parametrize("model", MODELS)
def test_no_layout_has_more_compute_or_memory_than_the_gpu(model: str) -> None:
    known = {one.name: one for one in profiles(model)}
    compute = max(one.compute_slices for one in known.values())
    memory = max(one.memory_slices for one in known.values())
    for layout in everything(model):
        assert sum(known[one.profile].compute_slices for one in layout) <= compute
        assert sum(one.at.size for one in layout) <= memory


@pytest.mark.parametrize("model", MODELS)
def test_what_fits_beside_a_layout(model: str) -> None:
    """C-39: starts and numbers, on every half-partitioned GPU."""
    known = profiles(model)
    for layout in sorted(everything(model), key=sorted)[:: 7 if model == "A100-80GB" else 1]:
        above = larger(model, layout)
        for profile in known:
            places = {
                one.at
                for other in above
                for one in other - layout
                if len(other) == len(layout) + 1 and one.profile == profile.name
            }
            assert set(mig.starts(known, tuple(layout), profile.name)) == places
            most = max(sum(one.profile == profile.name for one in other) for other in above)
            before = sum(one.profile == profile.name for one in layout)
            assert mig.most(known, tuple(layout), profile.name) == most - before


@pytest.mark.parametrize("model", MODELS)
def test_the_best_place_costs_the_others_least(model: str) -> None:
    known = profiles(model)
    for layout in sorted(everything(model), key=sorted)[::11]:
        for profile in known:
            open_to = {
                at: len(
                    {
                        one
                        for other in everything(model)
                        if len(other) == len(layout) + 2
                        and layout | {MigSlice(profile.name, at)} <= other
                        for one in other - layout - {MigSlice(profile.name, at)}
                    }
                )
                for at in mig.starts(known, tuple(layout), profile.name)
            }
            best = mig.best(known, tuple(layout), profile.name)
            if not open_to:
                assert best is None
                continue
            most = max(open_to.values())
            assert best == max(at for at, number in open_to.items() if number == most)


@pytest.mark.parametrize("model", MODELS)
def test_a_mix_is_arranged_exactly_where_some_layout_has_it(model: str) -> None:
    known = profiles(model)
    mixes = {
        frozenset(Counter(one.profile for one in layout).items()) for layout in everything(model)
    }
    for mix in sorted(mixes, key=sorted):
        wanted = dict(mix)
        layout = mig.arrange(known, (), wanted)
        assert layout is not None and frozenset(layout) in everything(model)
        assert Counter(one.profile for one in layout) == wanted
        for profile in known:
            more = {**wanted, profile.name: wanted.get(profile.name, 0) + 1}
            possible = frozenset(more.items()) in mixes
            assert (mig.arrange(known, (), more) is not None) == possible


def test_slices_that_exist_stay_where_they_are() -> None:
    known = profiles("A100-80GB")
    low = (MigSlice("1g.10gb", Placement(0, 1)),)
    assert mig.arrange(known, low, {"4g.40gb": 1}) is None
    made = mig.arrange(known, low, {"3g.40gb": 1, "2g.20gb": 1})
    assert made == (
        *low,
        MigSlice("3g.40gb", Placement(4, 4)),
        MigSlice("2g.20gb", Placement(2, 2)),
    )


@pytest.mark.parametrize(
    ("profile", "start"), [("1g.10gb", 6), ("1g.20gb", 6), ("2g.20gb", 4), ("3g.40gb", 4)]
)
def test_small_slices_belong_at_the_high_end(profile: str, start: int) -> None:
    """One at the low end would take the only place of a slice of four."""
    known = profiles("H100-80GB")
    name = next(one.name for one in known if one.name.startswith(profile))
    place = mig.best(known, (), name)
    assert place is not None and place.start == start
    assert "4g.40gb" not in mig.lost(known, (), MigSlice(name, place))
    low = MigSlice(name, known[[one.name for one in known].index(name)].placements[0])
    assert mig.lost(known, (), low)["4g.40gb"] == 1


def test_three_mixes_of_plain_slices_waste_compute() -> None:
    plain = tuple(one for one in profiles("A100-80GB") if one.name not in ("1g.10gb+me", "1g.20gb"))
    found = [[(one.profile, one.at.start) for one in each] for each in mig.wasteful(plain)]
    assert found == [
        [("3g.40gb", 0), ("1g.10gb", 4), ("1g.10gb", 5), ("1g.10gb", 6)],
        [("3g.40gb", 0), ("2g.20gb", 4), ("1g.10gb", 6)],
        [("3g.40gb", 0), ("3g.40gb", 4)],
    ]


def test_models_whose_slices_always_fill_them_waste_none() -> None:
    assert mig.wasteful(profiles("A30")) == ()
    assert mig.wasteful(()) == ()


def test_engines_that_a_gpu_has_once_are_given_once() -> None:
    known = profiles("A100-80GB")
    engines = (MigSlice("1g.10gb+me", Placement(6, 1)),)
    assert mig.most(known, engines, "1g.10gb+me") == 0
    assert mig.most(known, engines, "1g.10gb") == 6
    card = profiles("RTX-PRO-6000")
    greedy = (MigSlice("1g.24gb+me.all", Placement(0, 3)),)
    assert mig.most(card, greedy, "1g.24gb") == 0
    assert mig.most(card, greedy, "1g.24gb-me") == 3


def test_an_unknown_profile_is_an_error() -> None:
    with pytest.raises(KeyError):
        mig.starts(profiles("A30"), (), "3g.40gb")
