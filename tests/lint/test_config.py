"""The configuration: where it is found, what it does, and what is said of a wrong one."""

from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import gpuspec
from gpuspec.lint import rule_names
from gpuspec.loading.globs import matches
from gpuspec.settings.config import FoundConfig
from gpuspec.settings.find import find
from gpuspec.settings.selection import RuleSelection
from gpuspec.settings.versions import allows
from tests.lint.plain import POD


@pytest.fixture
def here(here: Path) -> Path:
    (here / "k8s/prod").mkdir(parents=True)
    (here / "k8s/prod/a.yaml").write_text(POD)
    return here


def configure(here: Path, text: str, folder: str = ".") -> None:
    (here / folder / ".gpuspec.yaml").write_text(text)


def severities(*paths: str) -> list[str]:
    found = gpuspec.lint(*(paths or ("k8s",))).findings
    return [one.severity for one in found if one.rule == "GPU102"]


def problems(*paths: str) -> list[str]:
    with pytest.raises(gpuspec.InputError) as error:
        gpuspec.lint(*(paths or ("k8s",)))
    return str(error.value).splitlines()


def test_without_a_configuration_all_rules_are_wanted(here: Path) -> None:
    assert find("k8s", "1.0", lambda: rule_names) == FoundConfig()
    assert severities() == ["error"]


@pytest.mark.parametrize("word", ["GPU102", "GPU1", "gpu102", "request-differs-from-limit"])
def test_rules_are_ignored_by_code_beginning_and_name(here: Path, word: str) -> None:
    configure(here, f"ignore: [{word}]\n")
    assert severities() == []


def test_the_longer_of_two_words_counts(here: Path) -> None:
    configure(here, "select: [GPU102]\nignore: [GPU1]\n")
    assert severities() == ["error"]
    configure(here, "select: [GPU1]\nignore: [GPU102]\n")
    assert severities() == []


def test_the_nearest_configuration_counts_up_to_the_repository(here: Path) -> None:
    configure(here, "ignore: [GPU102]\n")
    assert severities("k8s/prod/a.yaml") == []
    configure(here, "severities: {GPU102: info}\n", "k8s")
    assert severities("k8s/prod/a.yaml") == ["info"]
    (here / "k8s/prod/.git").mkdir()
    assert severities("k8s/prod/a.yaml") == ["error"]


def test_pyproject_is_read_where_it_has_our_table(here: Path) -> None:
    (here / "pyproject.toml").write_text('[tool.gpuspec]\nignore = ["GPU102"]\n')
    assert severities() == []
    (here / "k8s/pyproject.toml").write_text("[tool.other]\nignore = []\n")
    assert severities() == []
    configure(here, "severities: {GPU102: warning}\n")
    assert severities() == ["warning"], "our own file counts before the shared one"


def test_some_files_have_settings_of_their_own(here: Path) -> None:
    (here / "b.yaml").write_text(POD)
    configure(
        here, "per-path: {'k8s/**': {ignore: [GPU102]}, b.yaml: {severities: {GPU102: info}}}"
    )
    assert severities(".") == ["info"]
    configure(here, "ignore: [GPU102]\nper-path: {prod: {select: [GPU102]}}\n")
    assert severities(".") == [], "of two equal words `ignore` counts"
    configure(here, "ignore: [GPU1]\nper-path: {prod: {select: [GPU102]}}\n")
    found = [one.file for one in gpuspec.lint(".").findings if one.rule == "GPU102"]
    assert found == ["k8s/prod/a.yaml"]


def test_patterns_are_seen_from_the_configuration(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(here, "per-path: {'k8s/prod/*.yaml': {ignore: [GPU102]}}\n")
    monkeypatch.chdir(here / "k8s/prod")
    assert severities("a.yaml") == []


def test_a_selection_on_the_command_line_takes_its_place(here: Path) -> None:
    configure(here, "select: [GPU102]\n")
    assert [one.rule for one in gpuspec.lint("k8s", ignore=["GPU102"]).findings] == []
    configure(here, "ignore: [GPU1]\n")
    assert [one.rule for one in gpuspec.lint("k8s", select=["GPU102"]).findings] == ["GPU102"]


def test_the_profile_is_seen_from_the_configuration(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(here, "profile: clusters/none.yaml\n")
    monkeypatch.chdir(here / "k8s")
    assert "clusters/none.yaml: no such file" in problems("prod")[0]
    configure(here, "profile: gke\n")
    assert severities("prod") == ["error"]


def test_all_that_is_wrong_is_said_at_its_line(here: Path) -> None:
    text = """\
selct: [GPU1]
ignore: [GPU102, GPU9999]
severities:
  GPU102: loud
  no-such-rule: info
per-path:
  a/**: {ignor: [GPU1]}
  b/**: none
models: {org/model: lots}
pod-paths: {"not a kind": [spec]}
"""
    configure(here, text)
    said = problems()
    heads = [line for line in said if not line.startswith("  ")]
    assert sorted(heads, key=lambda line: int(line.split(":")[1])) == [
        ".gpuspec.yaml:1:1: unknown setting `selct`",
        '.gpuspec.yaml:2:18: no rule "GPU9999"',
        ".gpuspec.yaml:4:11: `severities`: 'loud' is none of its values",
        '.gpuspec.yaml:5:3: no rule "no-such-rule"',
        ".gpuspec.yaml:7:10: unknown setting `ignor`",
        '.gpuspec.yaml:8:9: "none" is not a mapping of settings',
        '.gpuspec.yaml:9:21: "lots" is not a quantity',
        '.gpuspec.yaml:10:13: "not a kind" is not a kind',
    ]
    assert "  did you mean `select`?" in said
    assert "  did you mean `ignore`?" in said


def test_toml_is_refused_at_its_line(here: Path) -> None:
    (here / "pyproject.toml").write_text(
        '[project]\nname = "x"\n\n[tool.gpuspec]\nselct = ["GPU1"]\n'
        '\n[tool.gpuspec.per-path."a/**"]\n  ignore = ["GPU9999"]\n'
    )
    assert [line for line in problems() if not line.startswith("  ")] == [
        "pyproject.toml:5:1: unknown setting `selct`",
        'pyproject.toml:8:3: no rule "GPU9999"',
    ]
    (here / "pyproject.toml").write_text("[tool.gpuspec\n")
    (said,) = problems()
    assert said.startswith("pyproject.toml:1:14: not TOML: ")


@pytest.mark.parametrize("text", ["- GPU1\n", "GPU1\n"])
def test_a_configuration_is_a_mapping(here: Path, text: str) -> None:
    configure(here, text)
    assert problems()[0].startswith(".gpuspec.yaml:1:1: a configuration is a mapping")


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_an_empty_configuration_is_one(here: Path, text: str) -> None:
    configure(here, "ignore: [GPU102]\n")
    configure(here, text, "k8s")
    assert severities() == ["error"]


def test_two_documents_are_no_configuration(here: Path) -> None:
    configure(here, "select: [GPU1]\n---\nselect: [GPU1]\n")
    assert problems() == [".gpuspec.yaml:3:1: a configuration must be one document"]


def test_another_version_may_be_required(here: Path) -> None:
    configure(here, "required-version: '>=99'\n")
    assert "gpuspec >=99 is required" in problems()[0]
    configure(here, "required-version: newest\n")
    assert "'newest' is not a version" in problems()[0]
    configure(here, "required-version: '>=0.0.1,<99'\n")
    assert severities() == ["error"]


@pytest.mark.parametrize(
    ("required", "version", "allowed"),
    [
        (">=1.2", "1.2.0", True),
        (">=1.2", "1.10", True),
        (">=1.2", "1.1.9", False),
        ("<2", "2.0", False),
        (">1, !=1.3", "1.3.0", False),
        ("1.2.3", "1.2.3", True),
        ("==1.2", "1.2.1", False),
        ("<=1.2", "1.2", True),
    ],
)
def test_versions_compare_by_their_numbers(required: str, version: str, allowed: bool) -> None:
    assert allows(required, version) is allowed


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("charts/**", "charts/a/b.yaml", True),
        ("charts", "charts/a/b.yaml", True),
        ("charts", "other/charts/a.yaml", True),
        ("./charts/", "charts/a.yaml", True),
        ("charts/*", "charts/a/b.yaml", True),
        ("charts/*.yaml", "charts/a/b.yaml", False),
        ("a/**/b.yaml", "a/b.yaml", True),
        ("a/**/b.yaml", "a/x/y/b.yaml", True),
        ("*.gen.yaml", "deep/x.gen.yaml", True),
        ("*.gen.yaml", "deep/xgen.yaml", False),
        ("a/b", "x/a/b", False),
        ("?.yaml", "a.yaml", True),
        ("?.yaml", "ab.yaml", False),
    ],
)
def test_patterns(pattern: str, path: str, meant: bool) -> None:
    assert matches(pattern, path) is meant


NAMES = st.text("ab.*?[(+", min_size=1, max_size=5)


@given(st.lists(NAMES, min_size=1, max_size=3).map("/".join))
def test_a_path_without_signs_means_itself_and_what_lies_in_it(path: str) -> None:
    if not set(path) & set("*?") and not path.startswith("./"):
        assert matches(path, path)
        assert matches(path, f"{path}/below")
        assert not matches(path, f"{path}x")


CODES = st.sampled_from(["GPU", "GPU1", "GPU10", "GPU102", "GPU2", "GPU201"])


@given(st.lists(CODES, max_size=3), st.lists(CODES, max_size=3))
def test_what_is_ignored_by_its_code_is_never_wanted(select: list[str], ignore: list[str]) -> None:
    selection = RuleSelection(tuple(select), (*ignore, "GPU102"))
    assert not selection.wants("GPU102")
    assert selection.wants("GPU001"), "what cannot be read is always said"
    assert not RuleSelection(tuple(select), ("GPU001",)).wants("GPU001")


def test_types_are_said_in_words_of_yaml(here: Path) -> None:
    configure(here, "ignore: 5\n")
    assert problems("pod.yaml") == [".gpuspec.yaml:1:9: `ignore`: expected a list, not a number"]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("ignore: [GPU102]\nper-path: {'k8s/**': {severities: {GPU102: info}}}\n", True),
        ("exclude: [legacy]\nforce-exclude: true\nprofile: eu.yaml\n", True),
        ("ignor: [GPU102]\n", False),
        ("severities: {GPU102: loud}\n", False),
        ("per-path: {'k8s/**': {selct: [GPU1]}}\n", False),
        ("exclude: legacy\n", False),
    ],
)
def test_the_schema_for_editors_takes_what_is_read(here: Path, text: str, right: bool) -> None:
    validator = jsonschema.Draft202012Validator(gpuspec.schema("Configuration"))
    assert validator.is_valid(yaml.safe_load(text)) == right
    configure(here, text)
    if right:
        assert gpuspec.lint_settings("k8s")
    else:
        assert problems()
