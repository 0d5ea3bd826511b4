"""Who else would use the fleet: fragmentation by class, and a CSV of shapes (C-11, C-12)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuspec
from gpuspec import FleetReport, InputError
from gpuspec.report.fit import fit_text
from tests.fleet.fit.objects import PROFILE, Fit, deployment


def report(tmp_path: Path, table: str) -> FleetReport:
    (tmp_path / "eu.yaml").write_text(PROFILE)
    (tmp_path / "mix.csv").write_text(table)
    (profile,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    return gpuspec.fleet_report(profile=profile, mix=[str(tmp_path / "mix.csv")])


def wrong(tmp_path: Path, table: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        report(tmp_path, table)
    return [
        f"{p.place.line if p.place else '?'}: {p.message}" + (f" ({p.hint})" if p.hint else "")
        for p in caught.value.problems
    ]


def test_classes_are_weighted_by_the_gpus_that_they_ask_for(tmp_path: Path) -> None:
    found = report(tmp_path, "name,count,gpus,cpu,memory\nsmall,80,1,8,32Gi\nlarge,5,8,64,256Gi\n")
    assert [(one.name, round(one.weight, 3)) for one in found.classes] == [
        ("small", 0.667),
        ("large", 0.333),
    ]
    small, large = found.classes
    assert small.slots.before == 4 * 8 + 2 * 4
    assert large.slots.before == 4
    # T4 nodes have four GPUs: they are not for pods of eight, and nothing of theirs is lost to these.
    assert large.fragment.before == 0
    assert found.figures.fragment == 0


def test_a_model_keeps_a_class_to_its_nodes(tmp_path: Path) -> None:
    found = report(tmp_path, "name,count,gpus,model\na,1,1,T4\nb,1,1,H100-80GB\n")
    assert {one.name: one.slots.before for one in found.classes} == {"a": 8, "b": 32}


def test_what_a_mix_makes_of_idle_gpus(fit: Fit, tmp_path: Path) -> None:
    """Three of eight left on each node: nothing to those who need four, all to those who need one."""
    (tmp_path / "four.csv").write_text("count,gpus\n10,4\n")
    (tmp_path / "one.csv").write_text("count,gpus\n10,1\n")
    shape = deployment(gpus=5, replicas=4)
    four, one = (fit(shape, mix=[str(tmp_path / f"{n}.csv")]) for n in ("four", "one"))
    assert four.after.stranded == 12_000
    assert dict(four.after.stranded_by) == {"nvidia.com/gpu": 12_000}
    assert one.after.stranded == 0


def test_gpus_are_short_before_what_else_is(fit: Fit, tmp_path: Path) -> None:
    """Three of eight and 88 of 128 CPUs are left: with more CPU alone no pod of four starts."""
    (tmp_path / "mix.csv").write_text("count,gpus,cpu\n10,4,90\n")
    shape = deployment(gpus=5, cpu="40", replicas=4)
    report = fit(shape, mix=[str(tmp_path / "mix.csv")])
    assert dict(report.after.stranded_by) == {"nvidia.com/gpu": 12_000}
    text = fit_text(report)
    assert "12 GPUs on h100: not enough GPUs left on the node for another pod" in text


def test_what_is_wrong_with_a_table_is_said_by_row(tmp_path: Path) -> None:
    assert wrong(tmp_path, "name,cuont,gpus\n") == [
        "1: no such column: `cuont` (did you mean `count`?)",
        "1: the column `count` is missing (begin with name,count,gpus,cpu,memory)",
    ]
    assert wrong(
        tmp_path, "count,gpus,cpu,memory,model\n-1,x,1Q,5Gi,H100-80GBB\n2,1,1,-5,T4\n"
    ) == [
        "2: count: `-1` is not a whole number above 0",
        "2: gpus: `x` is not a whole number above 0",
        "2: cpu: '1Q' is not a quantity: the suffixes are m, k, M, G, T, P, E and Ki, Mi, Gi, Ti, "
        "Pi, Ei",
        "2: model: no GPU is called `H100-80GBB` (did you mean `H100-80GB`?)",
        "3: memory: `-5` is negative",
    ]
    assert wrong(tmp_path, "count,gpus\n")[0].startswith("1: no shape here")
    assert wrong(tmp_path, "")[0].startswith("1: no shape here")
    assert wrong(tmp_path, "\n\ncount,gpus\n1,0\n")[0].startswith("4: gpus")
    assert wrong(tmp_path, "name;count;gpus\na;1;1\n") == [
        "1: its cells are separated by semicolons (separate them by commas: name,count,gpus,cpu,memory)"
    ]
    assert "tabs" in wrong(tmp_path, "count\tgpus\n1\t1\n")[0]
    assert wrong(tmp_path, f"count,gpus\n1,{'9' * 5000}\n")[0].startswith("2: gpus")
    assert wrong(tmp_path, "count,gpus\n1,1,1\n") == ["2: 3 cells, but 2 columns"]
    assert wrong(tmp_path, "count,gpus,resource\n1,1,nvidia.com/gqu\n") == [
        "2: resource: no node has `nvidia.com/gqu` (did you mean `nvidia.com/gpu`?)"
    ]


def test_a_table_is_known_by_its_name_in_capitals_too(fit: Fit, tmp_path: Path) -> None:
    (tmp_path / "MIX.CSV").write_text("name,count,gpus\nsmall,1,1\n")
    report = fit(deployment(), mix=[str(tmp_path / "MIX.CSV")])
    assert [one.name for one in report.classes] == ["small"]


def test_a_shape_for_which_no_node_is_large_enough_is_told_of(tmp_path: Path) -> None:
    found = report(tmp_path, "name,count,gpus\nlarge,1,16\nsmall,1,1\n")
    text = "no node takes large of the mix, even an empty one: idle GPUs do not count as stranded for it"
    assert found.notes == (text,)
    assert report(tmp_path, "name,count,gpus\nsmall,1,1\n").notes == ()


def test_without_a_mix_nothing_is_said_to_be_lost(tmp_path: Path) -> None:
    (tmp_path / "eu.yaml").write_text(PROFILE)
    (profile,) = gpuspec.load_profiles(str(tmp_path / "eu.yaml"))
    assert gpuspec.fleet_report(profile=profile).mix.startswith("no mix of workloads")


@given(table=st.text(max_size=200) | st.text("count,gps0123456789\n-.Gi", max_size=80))
def test_no_table_is_too_odd(tmp_path_factory: pytest.TempPathFactory, table: str) -> None:
    folder = tmp_path_factory.mktemp("odd")
    text = table.encode("utf-8", "replace").decode()
    try:
        report(folder, text)
    except InputError as error:
        assert error.problems
