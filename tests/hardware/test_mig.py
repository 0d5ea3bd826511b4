import re
from itertools import combinations, product
from pathlib import Path

import pytest

from gpuspec.hardware import GpuModel, MigProfile, Placement, find, mig_resource, model, models

WITH_MIG = [candidate for candidate in models() if candidate.mig]
PROFILES = [(candidate, profile) for candidate in WITH_MIG for profile in candidate.mig]
NOTES = Path(__file__).parent / "mig_notes.md"


def by_name(value: object) -> str | None:
    return getattr(value, "name", None)


def profile_of(name: str, profile: str) -> MigProfile:
    found = model(name).profile(profile)
    assert found is not None, (name, profile)
    return found


def takes_media_engines(profile: MigProfile) -> bool:
    return "+me" in profile.name


def packed(placements: tuple[Placement, ...]) -> bool:
    return not any(one.overlaps(other) for one, other in combinations(placements, 2))


def can_hold(wanted: list[MigProfile]) -> bool:
    return any(packed(choice) for choice in product(*(profile.placements for profile in wanted)))


def most_that_fit(profile: MigProfile) -> int:
    places = profile.placements
    return max(
        count
        for count in range(len(places) + 1)
        if any(packed(choice) for choice in combinations(places, count))
    )


@pytest.mark.parametrize(("candidate", "profile"), PROFILES, ids=by_name)
def test_placements_lie_on_the_memory_axis(candidate: GpuModel, profile: MigProfile) -> None:
    axis = max(each.memory_slices for each in candidate.mig)
    assert profile.placements
    for placement in profile.placements:
        assert placement.size == profile.memory_slices
        assert 0 <= placement.start <= axis - placement.size


@pytest.mark.parametrize(("candidate", "profile"), PROFILES, ids=by_name)
def test_the_most_per_gpu_is_what_packing_allows(candidate: GpuModel, profile: MigProfile) -> None:
    compute = max(each.compute_slices for each in candidate.mig)
    if takes_media_engines(profile):
        # One instance takes the engines, so that the placements are not what limits it.
        assert profile.max_per_gpu == 1 <= most_that_fit(profile)
    else:
        assert profile.max_per_gpu == most_that_fit(profile)
    assert profile.max_per_gpu * profile.compute_slices <= compute


@pytest.mark.parametrize("candidate", WITH_MIG, ids=by_name)
def test_names_and_resources_are_unique_and_found(candidate: GpuModel) -> None:
    names = [profile.name for profile in candidate.mig]
    assert len(set(names)) == len(names) == len({profile.resource for profile in candidate.mig})
    for profile in candidate.mig:
        assert candidate.profile(profile.name) is candidate.profile(profile.resource) is profile
    assert candidate.profile("9g.1gb") is None


@pytest.mark.parametrize("candidate", WITH_MIG, ids=by_name)
def test_memory_is_less_than_the_name_says_and_fits_the_gpu(candidate: GpuModel) -> None:
    for profile in candidate.mig:
        match = re.search(r"\.(\d+)gb", profile.name)
        assert match is not None
        named = int(match[1])
        assert 0.85 * named * 1e9 <= profile.memory <= named * 2**30
        if not takes_media_engines(profile):
            assert profile.memory * profile.max_per_gpu <= candidate.memory


@pytest.mark.parametrize("candidate", WITH_MIG, ids=by_name)
def test_the_balanced_layout_of_the_gpu_operator_fits(candidate: GpuModel) -> None:
    plain = {
        (profile.compute_slices, profile.max_per_gpu): profile
        for profile in candidate.mig
        if re.fullmatch(r"\d+g\.\d+gb", profile.name)
    }
    seven = max(profile.compute_slices for profile in candidate.mig) == 7
    layout = [(1, 7), (1, 7), (2, 3), (3, 2)] if seven else [(1, 4), (1, 4), (2, 2)]
    assert can_hold([plain[kind] for kind in layout])


def test_two_thirds_leave_no_room_though_a_compute_slice_is_left() -> None:
    third, one = (profile_of("H100-80GB", name) for name in ("3g.40gb", "1g.10gb"))
    assert can_hold([third, third])
    assert not can_hold([third, third, one])
    assert can_hold([profile_of("H100-80GB", "4g.40gb"), third])


def test_one_profile_name_means_different_things() -> None:
    assert profile_of("A100-40GB", "1g.10gb").max_per_gpu == 4
    assert profile_of("A100-80GB", "1g.10gb").max_per_gpu == 7
    assert profile_of("H200-141GB", "1g.35gb").max_per_gpu == 4
    assert profile_of("GB300", "1g.35gb").max_per_gpu == 7


def test_listed_memory_is_exact_and_the_rest_is_marked_as_estimated() -> None:
    assert profile_of("A100-40GB", "1g.5gb").memory == 4864 << 20
    assert not profile_of("A100-40GB", "1g.5gb").memory_estimated
    assert profile_of("B200", "1g.23gb").memory_estimated


@pytest.mark.parametrize(
    ("profile", "resource"),
    [
        ("1g.10gb", "nvidia.com/mig-1g.10gb"),
        ("1g.10gb+me", "nvidia.com/mig-1g.10gb.me"),
        ("1g.24gb+me.all", "nvidia.com/mig-1g.24gb.me.all"),
        ("1g.24gb-me", "nvidia.com/mig-1g.24gb-me"),
    ],
)
def test_resource_names(profile: str, resource: str) -> None:
    assert mig_resource(profile) == resource


@pytest.mark.parametrize(
    "name", ["T4", "V100-32GB", "A10G", "L4", "L40S", "RTX-6000-Ada", "MI300X"]
)
def test_models_without_mig(name: str) -> None:
    assert model(name).mig == ()


def noted() -> list[list[str]]:
    rows = re.findall(r"^\| (.+?) \|$", NOTES.read_text(encoding="utf-8"), re.MULTILINE)
    return [row.split(" | ") for row in rows[1:]]


def test_the_table_agrees_with_the_notes_it_came_from() -> None:
    models_of = {
        "A30": "A30",
        "A100-40GB / A800-40GB": "A100-40GB A800-40GB",
        "A100-80GB / A800-80GB": "A100-80GB A800-80GB",
        "H100-80GB / H800-80GB": "H100-80GB H800-80GB",
        "H100-94GB (H100 NVL / H800 NVL / SXM 94GB)": "H100-94GB H800-94GB",
        "H100-96GB on GH200 / H20": "H100-96GB GH200-96GB H20-96GB",
        "H200-141GB / H200 NVL": "H200-141GB",
        "GH200-144GB HBM3e": "GH200-144GB",
        "B200": "B200",
        "GB200": "GB200",
        "B300 (extra)": "B300",
        "GB300 (extra)": "GB300",
        "RTX PRO 6000 Blackwell": "RTX-PRO-6000",
    }
    seen: dict[str, set[str]] = {}
    for part, _, name, resource, compute, memory, most, slots, evidence in noted():
        for canonical in models_of[part].split():
            profile = profile_of(canonical, name)
            assert f"`{profile.resource}`" == resource
            assert (profile.compute_slices, profile.max_per_gpu) == (int(compute), int(most))
            seen.setdefault(canonical, set()).add(name)
            # Placements that the notes only inferred have been seen on the part since.
            if not evidence.startswith("inferred"):
                match = re.fullmatch(r"\{([\d,]+)\}:(\d+)", slots)
                assert match is not None, slots
                starts, size = match.groups()
                assert profile.memory_slices == int(memory)
                assert profile.placements == tuple(
                    (int(start), int(size)) for start in starts.split(",")
                )
    assert len(seen) == 19
    for canonical, names in seen.items():
        assert {profile.name for profile in model(canonical).mig} == names


def test_a_mig_label_names_the_model_and_one_of_its_profiles() -> None:
    (a100,) = find("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb")
    assert a100.profile("1g.5gb")
