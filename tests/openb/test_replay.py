"""A whole replay against one that scores every node for every task, and the command around it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from benchmarks.openb import __main__ as command
from benchmarks.openb import ablation, runs, ties
from benchmarks.openb.arrivals import drawn
from benchmarks.openb.doubles import Doubles
from benchmarks.openb.fleet import Fleet
from benchmarks.openb.gradient import Fragments, Gradient, by_demand
from benchmarks.openb.policies import PLAIN, Policy
from benchmarks.openb.replay import replay
from benchmarks.openb.trace import FULL, Machine, Task, machines, tasks
from gpuspec.fleet.fragments import Metric

POLICIES = [*command.POLICIES, "FGD by demand", "MostAllocated", "DefaultScheduler"]


def holds(fleet: Fleet, node: int, task: Task) -> bool:
    left = fleet.left[node]
    return (
        fleet.cpu[node] >= task.cpu
        and fleet.memory[node] >= task.memory
        and sum(free >= task.milli for free in left) >= task.gpus
        and (not task.models or fleet.machines[node].model in task.models)
    )


def plain_policy(name: str, known: Sequence[Task]) -> Policy:
    if name == "FGD":
        return Gradient(Doubles(known))
    if name == "FGD by demand":
        return Gradient(Fragments(Metric(by_demand(known))))
    return PLAIN[name]()


def plainly(
    known: Sequence[Task], fleet_of: Sequence[Machine], policy_name: str, seed: int
) -> float:
    """Allocation at full load, the protocol word for word."""
    line, order, random = drawn(known, fleet_of, seed)
    fleet = Fleet(order)
    policy = plain_policy(policy_name, known)
    total = sum(one.gpus for one in fleet_of) * FULL
    arrived = used = 0
    seen: dict[int, list[int]] = {}
    for task in line:
        arrived += task.demand
        able = [node for node in range(len(order)) if holds(fleet, node, task)]
        if able:
            node = max(able, key=lambda node: (policy.score(task, fleet, node), -node))
            part = 0 < task.milli < FULL
            fleet.place(node, task, policy.gpu(task, fleet, node, random) if part else -1)
            used += task.demand
        seen.setdefault(round(arrived * 100 / total), []).append(used)
    full = seen[min(seen, key=lambda load: abs(load - 100))]
    return sum(full) / len(full) * 100 / total


@pytest.mark.parametrize("policy", [one for one in POLICIES if one != "Random"])
@pytest.mark.parametrize("workload", ["default", "multigpu20"])
def test_what_is_remembered_changes_nothing(trace: Path, policy: str, workload: str) -> None:
    """Boards, states and fragments that are remembered; names of nodes break ties."""
    known, fleet = tasks(trace, workload), machines(trace)
    for seed in (42, 43):
        quick = replay(known, fleet, policy, "first", seed)
        assert quick.allocated == pytest.approx(plainly(known, fleet, policy, seed))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_seed_gives_the_same_outcome_again(trace: Path, policy: str) -> None:
    known, fleet = tasks(trace, "default"), machines(trace)
    for way in ("first", "random"):
        assert replay(known, fleet, policy, way, 42) == replay(known, fleet, policy, way, 42)


def test_no_more_is_allocated_than_arrives_or_there_is(trace: Path) -> None:
    known, fleet = tasks(trace, "default"), machines(trace)
    for policy in POLICIES:
        found = replay(known, fleet, policy, "random", 1)
        assert 30 < found.allocated <= 100
        assert 0 <= found.fragment <= 100 and 0 <= found.whole <= 3


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Two workloads, three seeds, and a folder for the results."""
    for module in (command, ties):
        monkeypatch.setattr(module, "WORKLOADS", ("default", "multigpu20"))
    monkeypatch.setattr(command, "SEEDS", (42, 43))
    monkeypatch.setattr(ties, "_SEEDS", (42, 43))
    monkeypatch.setattr(ablation, "_SEEDS", (42, 43))
    for module in (command, ties, ablation):
        monkeypatch.setattr(module, "BUILD", tmp_path / "build")
    return tmp_path / "build"


def test_the_command_prints_a_table_and_writes_the_cells(
    trace: Path, short: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main([str(trace)])
    out, err = capsys.readouterr()
    assert "| workload " in out and "nothing to compare with" in err
    cells = json.loads((short / "openb.json").read_text())
    assert len(cells) == 2 * 6
    assert set(cells[0]) == {"workload", "policy", "mean", "sd", "fragment"}
    assert f"{cells[0]['mean']:.2f}" in out


def test_published_results_stand_beside_ours(
    trace: Path, short: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home = tmp_path / "data"
    home.mkdir()
    (home / "csv").symlink_to(trace)
    results = home / "fgd_expected_results"
    results.mkdir()
    rows = ["workload,sc_policy,tune,seed,100"]
    rows += [
        f"openb_pod_list_{workload},0{index}-{policy},1.3,{seed},{80 + index + seed % 2}"
        for workload in ("default", "multigpu20")
        for index, policy in enumerate(command.POLICIES)
        for seed in (42, 43)
    ]
    for name in ("analysis_allo_discrete.csv", "analysis_frag_discrete.csv"):
        (results / name).write_text("\n".join(rows) + "\n")
    with pytest.raises(SystemExit, match="1"):  # invented, so not to be met
        command.main([str(home)])
    cells = json.loads((short / "openb.json").read_text())
    assert cells[5]["published_mean"] == 85.5 and cells[5]["published_sd"] == 0.707
    assert (cells[5]["runs"], cells[5]["equal"]) == (2, 0)
    out = capsys.readouterr().out
    assert re.search(r"\(\+|\(-", out) and "allocation: 12 cells" in out


def test_random_ties_have_a_table_of_their_own(
    trace: Path, short: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ties.main([str(trace)])
    cells = json.loads((short / "openb-ties.json").read_text())
    assert len(cells) == 2 * len(ties.METHODS)
    assert "FGD by demand, random" in capsys.readouterr().out


def test_shapes_have_a_table_of_their_own(
    trace: Path, short: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablation, "SHAPES", ablation.SHAPES[:9])
    ablation.main([str(trace)])
    cells = json.loads((short / "openb-ablation.json").read_text())
    assert {one["filled"] for one in cells} == {True, False}
    assert "| 3 GPUs " in capsys.readouterr().out


def test_a_shape_takes_its_part_of_the_demand(trace: Path) -> None:
    known = tasks(trace, "default")
    shape = next(one for one in ablation.SHAPES if one.name == "1 GPU")
    made = ablation.mixed(known, shape, Random(1))
    total = sum(one.demand for one in known)
    new = sum(one.demand for one in made if one == shape.task)
    assert abs(new - total / 5) <= FULL
    assert abs(sum(one.demand for one in made) - total) <= 9 * FULL


@pytest.mark.parametrize("given", [[], ["a", "b"], ["nowhere"]])
def test_no_trace_is_a_message(given: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"trace|openb_node_list"):
        runs.data(given)
