"""A rule that became part of another answers to the code and the name that it had."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.lint.model import Finding
from gpuspec.lint.rows import ROWS
from gpuspec.manifests import InputError
from gpuspec.settings.codes import FORMER, Former

OLD, NAME = "GPU899", "limit-without-request"
WORDS = (OLD, "gpu899", "GPU89", NAME, "GPU102")
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, annotations: {%s}}
spec:
  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
  containers:
    - name: a
      image: example.com/a:1
      resources:
        requests: {nvidia.com/gpu: 2, memory: 8Gi}%s
        limits: {nvidia.com/gpu: 1, memory: 8Gi}
"""


@pytest.fixture(autouse=True)
def merged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(FORMER, OLD, Former(NAME, "GPU102"))
    monkeypatch.chdir(tmp_path)


def said(annotation: str = "", comment: str = "", **how: list[str]) -> list[Finding]:
    """What is said of the rule, and of suppressions."""
    Path("a.yaml").write_text(POD % (annotation, comment))
    found = gpuspec.lint("a.yaml", **how).findings  # type: ignore[arg-type]
    return [one for one in found if one.rule in ("GPU102", "GPU091", "GPU093")]


def test_former_codes_are_given_to_no_rule_and_lead_to_one() -> None:
    codes = {row.code for row in ROWS}
    assert not FORMER.keys() & codes
    assert {former.into for former in FORMER.values()} <= codes


@pytest.mark.parametrize("word", WORDS)
def test_select_and_ignore(word: str) -> None:
    assert [one.rule for one in said()] == ["GPU102"]
    assert [one.rule for one in said(select=[word])] == ["GPU102"]
    assert said(ignore=[word]) == []


@pytest.mark.parametrize("word", WORDS)
def test_suppressions(word: str) -> None:
    assert said(comment=f"  # gpuspec: ignore[{word}] tried") == []
    assert said(annotation=f"gpuspec.dev/ignore: '{word}: tried'") == []


@pytest.mark.parametrize("word", WORDS)
def test_configuration(word: str) -> None:
    Path(".gpuspec.yaml").write_text(f"ignore: [{word}]\n")
    assert said() == []
    Path(".gpuspec.yaml").write_text(
        f"select: [{word}]\nper-path: {{b.yaml: {{ignore: [{word}]}}}}\n"
    )
    assert [one.rule for one in said()] == ["GPU102"]


@pytest.mark.parametrize("word", [OLD, NAME])
def test_how_loud_it_is(word: str) -> None:
    Path(".gpuspec.yaml").write_text(f"severities: {{{word}: info}}\n")
    assert [one.severity for one in said()] == ["info"]


def test_a_baseline() -> None:
    said()
    gpuspec.write_baseline(gpuspec.lint("a.yaml"), "known.json")
    known = Path("known.json")
    known.write_text(known.read_text().replace("GPU102", OLD))
    result = gpuspec.lint("a.yaml", baseline="known.json")
    assert "GPU102" in [one.rule for one in result.baselined]
    assert (result.findings, result.notes) == ((), ())
    Path("a.yaml").write_text((POD % ("", "")).replace("gpu: 2", "gpu: 1"))
    (note,) = gpuspec.lint("a.yaml", baseline="known.json").notes
    assert "1 finding that no longer exists (GPU102 in a.yaml)" in str(note)


def test_its_page() -> None:
    assert gpuspec.rule(OLD) == gpuspec.rule(NAME) == gpuspec.rule("GPU102")
    with pytest.raises(InputError):
        gpuspec.rule("GPU89")
