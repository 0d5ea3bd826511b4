"""Good manifests are silent: no finding of any severity, and nothing that was not looked into."""

import re
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.kinds import kinds
from gpuspec.lint.result import LintResult
from gpuspec.manifests import read
from gpuspec.spec import Profile
from gpuspec.validation import newest, validate
from tests.lint.borrowed import borrowed

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CLUSTERS = sorted((EXAMPLES / "clusters").glob("*.yaml"))
RENDERED = sorted((EXAMPLES / "rendered").glob("*/*.yaml"))
BASES = sorted((Path(__file__).parent / "bases").glob("*.yaml"))
LIMIT = re.compile(r"(limits: \{.*nvidia\.com/gpu: )\d+")
WITH_GPUS = [base for base in BASES if LIMIT.search(base.read_text())]
BLOCK = re.compile(r"(limits:\n(?: +.*\n)*? +nvidia\.com/gpu: )\d+")
BORROWED = borrowed()
GENERIC = "generic"
"""The profile that is meant where none is given: what is rendered with it is linted without one."""
UNTOLD = "GPU622"
"""What generic nodes leave open: which groups may open device files. Rendering says it too, loudly."""
UNLISTED = {("GPU719", "ddp-train.yaml"), ("GPU719", "tf-train.yaml")}
"""What no profile says: whether Kueue's configuration lists kinds of Kubeflow. Rendering says it too, loudly."""


def profile_of(name: str) -> Profile | None:
    """The profile of a folder of `examples/rendered`."""
    if name == GENERIC:
        return None
    return gpuspec.load_profiles(str(EXAMPLES / "clusters" / f"{name}.yaml"))[0]


def said(result: LintResult, cluster: str = "") -> list[str]:
    """All that a run has to say, in words that a failing test can show."""
    lines = [
        f"{one.file}:{one.line}: {one.severity} {one.rule} {one.path}: {one.message}"
        for one in result.findings
        if (one.rule, Path(one.file).name) not in UNLISTED
        and (cluster != GENERIC or one.rule != UNTOLD)
    ]
    lines += [f"suppressed {one}" for one in result.suppressed]
    return lines + [f"{one.file}: {one.text}" for one in result.notes]


@pytest.mark.parametrize("file", RENDERED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_rendered_example_is_silent_on_its_profile(file: Path) -> None:
    result = gpuspec.lint(str(file), profile=profile_of(file.parent.name))
    assert said(result, file.parent.name) == []
    assert result.documents > 0


@pytest.mark.parametrize("cluster", [GENERIC, *(path.stem for path in CLUSTERS)])
def test_what_one_cluster_runs_is_silent_together(cluster: str, tmp_path: Path) -> None:
    """Rules that see the whole set: every example beside the others and the platform's own objects."""
    profile = profile_of(cluster)
    for file in RENDERED:
        if file.parent.name == cluster:
            (tmp_path / file.name).write_text(file.read_text())
    if profile is not None:
        made = gpuspec.platform(profile).objects
        (tmp_path / "platform.yaml").write_text(gpuspec.dump(made))
    assert said(gpuspec.lint(str(tmp_path), profile=profile), cluster) == []


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: path.stem)
def test_a_platform_is_silent_on_its_profile(cluster: Path, tmp_path: Path) -> None:
    profile = profile_of(cluster.stem)
    assert profile is not None
    made = gpuspec.platform(profile).objects
    (tmp_path / "platform.yaml").write_text(gpuspec.dump(made))
    result = gpuspec.lint(str(tmp_path), profile=profile)
    assert said(result) == []
    assert result.documents == len(made)


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.stem)
def test_a_clean_manifest_is_silent_and_valid(base: Path) -> None:
    result = gpuspec.lint(str(base))
    # Of some projects no schema is bundled, which is said.
    assert [line for line in said(result) if "because no schema is known" not in line] == []
    wrong = [
        found
        for one in read(base.read_text(), base.name)
        for found in validate(one.value, newest())
        if found.reason != "no-schema"
    ]
    assert wrong == []


@pytest.mark.parametrize("base", WITH_GPUS, ids=lambda base: base.stem)
def test_a_clean_manifest_is_looked_into(base: Path, tmp_path: Path) -> None:
    """Silence is worth something where a fault would be found: here a limit that is no request."""
    (tmp_path / base.name).write_text(LIMIT.sub(r"\g<1>16", base.read_text()))
    assert "GPU102" in {one.rule for one in gpuspec.lint(str(tmp_path)).findings}


@pytest.mark.parametrize("value", BORROWED, ids=lambda value: value["kind"])
def test_a_kind_is_silent_with_the_pod_of_another(value: dict[str, Any]) -> None:
    text = gpuspec.dump([value])
    result = gpuspec.lint_text(text.encode(), "kinds.yaml")
    assert [line for line in said(result) if "because no schema is known" not in line] == []
    if "limits" not in text:
        return
    more = gpuspec.lint_text(BLOCK.sub(r"\g<1>16", text).encode(), "kinds.yaml")
    assert "GPU102" in {one.rule for one in more.findings}


def test_there_is_a_clean_manifest_of_each_kind_with_pods() -> None:
    values: list[Any] = [one.value for base in BASES for one in read(base.read_text(), base.name)]
    values += BORROWED
    there = {(value["apiVersion"].rpartition("/")[0], value["kind"]) for value in values}
    # KFServing's group is gone, and no manifest of it is clean.
    wanted = {
        (kind.group, kind.name)
        for kind in kinds()
        if kind.holds_pods and kind.group != "serving.kubeflow.org"
    }
    assert sorted(wanted - there) == []


@pytest.mark.parametrize("cluster", [GENERIC, *(path.stem for path in CLUSTERS)])
def test_the_examples_are_silent_as_specs(cluster: str) -> None:
    """Each on a profile that carries it; a profile that cannot is a finding, or a note without one."""
    kept = EXAMPLES / "rendered" / cluster
    carried = [str(path) for path in sorted(EXAMPLES.glob("*.yaml")) if (kept / path.name).exists()]
    result = gpuspec.lint(*carried, profile=profile_of(cluster))
    assert said(result, cluster) == []
    assert result.documents == len(carried)
