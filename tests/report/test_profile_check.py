"""Findings about a profile, as people and programs read them."""

import json

from gpuspec.cluster.check import ProfileFinding
from gpuspec.manifests import Place
from gpuspec.report.profile_check import profile_json, profile_summary, profile_text

ERROR = ProfileFinding(
    check="count-label",
    severity="error",
    message="pool a: label x counts 8 GPUs, gpu.count 4",
    why="slots are counted with gpu.count",
    fix="write count: 8",
    path=("spec", "pools", 0, "labels", "nvidia.com/gpu.count"),
    place=Place("eu.yaml", 7, 3),
)
NOTE = ProfileFinding("tiling", "note", "a\x1b[31m", "b", "c", ("spec",), None)


def test_a_finding_says_where_what_why_and_what_to_write() -> None:
    assert profile_text("eu", [ERROR]) == (
        "eu.yaml:7:3: error: pool a: label x counts 8 GPUs, gpu.count 4 [count-label]\n"
        "  why: slots are counted with gpu.count\n"
        "  fix: write count: 8\n"
    )


def test_a_built_in_profile_has_a_name_for_a_place_and_nothing_steers_a_terminal() -> None:
    assert profile_text("gke", [NOTE]).startswith("gke: note: a\\x1b[31m [tiling]\n")


def test_lines_are_folded_and_coloured_for_a_terminal() -> None:
    lines = profile_text("eu", [ERROR], width=40, color=True).splitlines()
    assert lines[0].startswith("\x1b[1meu.yaml:7:3: \x1b[0m\x1b[1;31merror:\x1b[0m pool a:")
    assert lines[1].startswith("  ")
    assert len(lines) > 3


def test_programs_get_one_list_for_all_profiles() -> None:
    found = json.loads(profile_json([("eu", [ERROR]), ("gke", [NOTE])]))
    assert found[0] == {
        "profile": "eu",
        "check": "count-label",
        "severity": "error",
        "message": ERROR.message,
        "why": ERROR.why,
        "hint": ERROR.fix,
        "file": "eu.yaml",
        "line": 7,
        "column": 3,
        "path": 'spec.pools[0].labels["nvidia.com/gpu.count"]',
    }
    assert (found[1]["profile"], found[1]["file"]) == ("gke", None)
    assert json.loads(profile_json([("eu", [])])) == []


def test_the_summary_counts() -> None:
    assert profile_summary("eu", [ERROR, NOTE, NOTE]) == "eu: 1 error, 2 notes\n"
    assert profile_summary("eu", []) == "eu: nothing found\n"
