"""Several profiles: what is so on all of them is said once, and all else for which it is."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec import Finding, Folder, Profile
from gpuspec.report.lint import FORMATS, lint_report

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: %s, labels: {env: %s}}
spec:
  kubernetes: "1.36"
  pools:
    - name: pool
      gpu: {model: %s, count: 4}
      allocatable: {cpu: 60, memory: 240Gi, ephemeralStorage: 800Gi, pods: 110}
"""
# Its requests are not its limits, and it may ask for more than a node has.
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources:
        requests: {nvidia.com/gpu: 1, cpu: %s}
        limits: {nvidia.com/gpu: 2}
"""
SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: train, namespace: ml}
spec:
  image: ghcr.io/example/train:1.4.0
  gpu: {models: [%s]}
  clusters: %s
"""
SOME = ("GPU102", "GPU205")


def cluster(folder: Path, name: str, model: str = "T4", cpu: str = "60") -> Profile:
    path = folder / f"{name}.profile.yaml"
    path.write_text((PROFILE % (name, name, model)).replace("cpu: 60", f"cpu: {cpu}"))
    (profile,) = gpuspec.load_profiles(str(path))
    path.unlink()
    return profile


def said(findings: Iterable[Finding]) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.rule, one.profiles) for one in findings]


def test_what_a_profile_has_nothing_to_do_with_is_said_once(tmp_path: Path) -> None:
    profiles = [cluster(tmp_path, "eu"), cluster(tmp_path, "us")]
    (tmp_path / "pod.yaml").write_text(POD % 1)
    found = gpuspec.lint(str(tmp_path), profile=profiles, select=["GPU102"])
    assert said(found.findings) == [("GPU102", ())]


def test_what_one_profile_alone_refuses_names_it(tmp_path: Path) -> None:
    profiles = [
        cluster(tmp_path, "eu"),
        cluster(tmp_path, "us", "L4"),
        cluster(tmp_path, "ap", "L4"),
    ]
    (tmp_path / "spec.yaml").write_text(SPEC % ("T4", "{}"))
    result = gpuspec.lint(str(tmp_path), profile=profiles, select=["GPU003"])
    assert {one.profiles for one in result.findings} == {("us", "ap")}
    (finding,) = result.findings
    assert finding.said == f"{finding.message} (on us, ap)"
    for format in FORMATS:
        assert "us" in lint_report(result, format) and "ap" in lint_report(result, format)
    made = json.loads(lint_report(result, "sarif"))["runs"][0]["results"][0]
    assert made["properties"]["profiles"] == ["us", "ap"]
    assert json.loads(lint_report(result, "json"))[0]["profiles"] == ["us", "ap"]


@pytest.mark.parametrize(
    ("clusters", "rules"), [("{names: [eu]}", []), ("{labels: {env: us}}", ["GPU003"])]
)
def test_a_spec_is_rendered_for_its_own_clusters_alone(
    tmp_path: Path, clusters: str, rules: list[str]
) -> None:
    profiles = [cluster(tmp_path, "eu"), cluster(tmp_path, "us", "L4")]
    (tmp_path / "spec.yaml").write_text(SPEC % ("T4", clusters))
    found = gpuspec.lint(str(tmp_path), profile=profiles, select=["GPU003"])
    assert [one.rule for one in found.findings] == rules
    assert found.notes == ()


def test_a_spec_for_none_of_them_is_told_of_once(tmp_path: Path) -> None:
    profiles = [cluster(tmp_path, "eu"), cluster(tmp_path, "us")]
    (tmp_path / "spec.yaml").write_text(SPEC % ("T4", "{names: [ap]}"))
    (note,) = gpuspec.lint(str(tmp_path), profile=profiles).notes
    assert note.text == "train is not linted as rendered: `clusters` names others than eu, us"


def placed(folder: Path, *profiles: Profile, **cpus: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is said of pods that were rendered for clusters: their folder, the rule, the profiles."""
    for name, cpu in cpus.items():
        objects: list[Any] = [one.value for one in gpuspec.read_text(POD % cpu, "")]
        gpuspec.write_folders([Folder(folder / name, objects, ["specs"], profile=name)])
    found = gpuspec.lint(str(folder), profile=profiles, select=SOME).findings
    return [(Path(one.file).parent.name, one.rule, one.profiles) for one in found]


def test_a_rendered_folder_is_linted_for_its_own_cluster(tmp_path: Path) -> None:
    eu, us = cluster(tmp_path, "eu", cpu="30"), cluster(tmp_path, "us")
    found = placed(tmp_path, eu, us, eu=40, us=40)
    assert [one for one in found if one[1] != "GPU102"] == [("eu", "GPU205", ())]
    assert [one for one in found if one[1] == "GPU102"] == [
        ("eu", "GPU102", ()),
        ("us", "GPU102", ()),
    ]


def test_of_a_cluster_without_a_profile_no_other_has_a_say(tmp_path: Path) -> None:
    eu = cluster(tmp_path, "eu", cpu="30")
    found = placed(tmp_path, eu, eu=40, us=40)
    assert [one for one in found if one[1] != "GPU102"] == [("eu", "GPU205", ())]
    assert [one[0] for one in found if one[1] == "GPU102"] == ["eu", "us"]


def test_who_names_another_cluster_alone_asks_what_it_would_be_there(tmp_path: Path) -> None:
    found = placed(tmp_path, cluster(tmp_path, "ap", cpu="30"), eu=40)
    assert ("eu", "GPU205", ()) in found


def test_a_suppression_that_one_profile_needs_is_used(tmp_path: Path) -> None:
    profiles = [cluster(tmp_path, "eu", cpu="30"), cluster(tmp_path, "us")]
    text = (POD % 40).replace("cpu: 40}", "cpu: 40} # gpuspec: ignore[GPU205] eu grows")
    (tmp_path / "pod.yaml").write_text(text)
    result = gpuspec.lint(str(tmp_path), profile=profiles, select=["GPU205", "GPU091"])
    assert said(result.findings) == []
    (waved,) = result.suppressed
    assert waved.finding.profiles == ("eu",)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20, deadline=None
)
@given(
    cpus=st.lists(st.sampled_from(["30", "50", "60"]), min_size=1, max_size=3),
    asks=st.integers(25, 55),
)
def test_several_say_what_each_says_by_itself(tmp_path: Path, cpus: list[str], asks: int) -> None:
    profiles = [cluster(tmp_path, f"c{at}", cpu=cpu) for at, cpu in enumerate(cpus)]
    (tmp_path / "pod.yaml").write_text(POD % asks)
    (tmp_path / "spec.yaml").write_text(SPEC % ("T4", "{names: [c0, c1]}"))
    together = gpuspec.lint(str(tmp_path), profile=profiles).findings
    alone = {
        (one.rule, one.path, one.message, profile.name)
        for profile in profiles
        for one in gpuspec.lint(str(tmp_path), profile=profile).findings
    }
    names = tuple(profile.name for profile in profiles)
    assert alone == {
        (one.rule, one.path, one.message, name)
        for one in together
        for name in one.profiles or names
    }
