"""Every check of a profile: what it says and where, and what a careful engineer hears nothing of.

The cases lie in `cases.yaml`. A case's wrong profile has one finding and no other.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuspec.cluster.check import CLUSTER_CHECKS, POOL_CHECKS, check_profile
from gpuspec.cluster.presets import preset, preset_names
from gpuspec.manifests import InputError, read
from gpuspec.spec import load_profiles, parse_profile
from tests.cluster.conftest import MakeProfile

ROOT = Path(__file__).parents[3]
CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8"))
MARKED = [pytest.param(case, id=f"{case['check']}: {case['message']}"[:80]) for case in CASES]
MARK = "‹"
LINES_BEFORE = 5  # of the profile's head, in tests/cluster/conftest.py
GOLD = sorted((ROOT / "examples/clusters").glob("*.yaml")) + sorted(
    (ROOT / "gpuspec/spec/starters").glob("cluster-*.yaml")
)
DISCOVERED = sorted((ROOT / "tests/cluster/discover/golden").glob("*.yaml"))


@pytest.mark.parametrize("case", MARKED)
def test_it_is_said_once_and_where_it_stands(profile: MakeProfile, case: dict[str, Any]) -> None:
    before, mark, after = case["wrong"].partition(MARK)
    assert mark, "the case marks no place"
    (found,) = check_profile(profile(before + after))
    assert (found.check, found.severity, found.message) == (
        case["check"],
        case["severity"],
        case["message"],
    )
    line = before.count("\n") + 1 + LINES_BEFORE
    column = len(before) - before.rfind("\n") + 2  # the fields are indented by two
    assert str(found.place) == f"eu.yaml:{line}:{column}"
    assert found.why
    assert found.fix


@pytest.mark.parametrize("case", MARKED)
def test_nothing_is_said_of_what_is_right(profile: MakeProfile, case: dict[str, Any]) -> None:
    assert [one.message for one in check_profile(profile(case["right"]))] == []


def test_every_check_has_a_case() -> None:
    assert {case["check"] for case in CASES} == {*POOL_CHECKS, *CLUSTER_CHECKS}


def test_every_check_is_documented_with_its_severities() -> None:
    page = (ROOT / "docs/platform.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| ([\w, ]+) \|", page, re.MULTILINE)
    said = {name: set(severities.split(", ")) for name, severities in rows}
    real: dict[str, set[str]] = {}
    for case in CASES:
        real.setdefault(case["check"], set()).add(case["severity"])
    assert {name: said.get(name) for name in real} == real
    assert {name for name, severities in said.items() if severities <= {"error", "note"}} == set(
        real
    )


def test_checks_are_in_order_and_have_one_name() -> None:
    for table in (POOL_CHECKS, CLUSTER_CHECKS):
        assert list(table) == sorted(table)
    assert not POOL_CHECKS.keys() & CLUSTER_CHECKS.keys()


@pytest.mark.parametrize("file", GOLD, ids=lambda file: file.stem)
def test_nothing_is_said_of_the_shipped_profiles(file: Path) -> None:
    for one in load_profiles([str(file)]):
        assert [found.message for found in check_profile(one)] == []


@pytest.mark.parametrize("name", preset_names())
def test_nothing_is_said_of_the_built_in_profiles(name: str) -> None:
    assert check_profile(preset(name)) == ()


@pytest.mark.parametrize("file", DISCOVERED, ids=lambda file: file.stem)
def test_what_was_discovered_contradicts_itself_only_where_the_nodes_do(file: Path) -> None:
    """One cluster's nodes name one configuration of the device plugin and are shared by two."""
    (one,) = load_profiles([str(file)])
    errors = [found.check for found in check_profile(one) if found.severity == "error"]
    assert errors == (["config-names"] if file.stem == "shared" else [])


def test_findings_come_in_the_order_of_the_text(profile: MakeProfile) -> None:
    found = check_profile(
        profile(
            """
namespaces: [{name: a, podSecurity: baseline}]
pools:
- {name: a, gpu: {model: T4, count: 6}, nodes: 0, labels: {nvidia.com/gpu.count: "7"}}
"""
        )
    )
    assert [one.check for one in found] == ["pod-security", "tiling", "no-nodes", "count-label"]
    assert found[1].written_path == "spec.pools[0].gpu.count"


def test_what_the_rules_refuse_is_not_the_checks_affair() -> None:
    """A profile that is wrong by itself is never checked: it does not load."""
    text = (
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: w}\n"
        'spec: {kubernetes: "1.36", pools: [{name: a, gpu: {model: A100, count: 8}}]}\n'
    )
    (document,) = read(text, "w.yaml")
    with pytest.raises(InputError):
        parse_profile(document)


def test_openshift_runs_on_the_machines_of_any_cloud(profile: MakeProfile) -> None:
    """So fabric, recipe and notice are those of the cloud, which the profile does not name."""
    found = check_profile(
        profile(
            """
extends: openshift
pools:
- {name: efa, gpu: {model: H100-80GB, count: 8}, nodes: 2, rdma: {resource: vpc.amazonaws.com/efa, count: 32, memlock: unlimited}}
- {name: spot, gpu: {model: L4, count: 1}, nodes: 2, capacity: spot, notice: 2m}
- {name: aro, gpu: {model: H100-80GB, count: 8}, nodes: 2, rdma: {recipe: aks-shared-ib, memlock: unlimited}}
"""
        )
    )
    assert [one.message for one in found if one.severity == "error"] == []
