"""The baseline: findings that a repository has already, known by all but their line."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.model import Finding
from gpuspec.lint.suppressions.baseline import BaselineEntry, apply, note, read, written
from gpuspec.lint.suppressions.fingerprint import fingerprint, fingerprints
from gpuspec.manifests import InputError

CHAT = ObjectIdentity("apps/v1", "Deployment", "serving", "chat")


def finding(line: int = 1, **other: Any) -> Finding:
    known: dict[str, Any] = {
        "rule": "GPU102",
        "name": "request-differs-from-limit",
        "severity": "error",
        "confidence": "certain",
        "message": f"said of line {line}",
        "file": "/repo/k8s/a.yaml",
        "line": line,
        "column": 3,
        "end_line": line,
        "end_column": 9,
        "path": 'spec.limits["nvidia.com/gpu"]',
        "object": CHAT,
    }
    return Finding(**known | other)


OTHERS = (
    finding(rule="GPU501"),
    finding(file="/repo/k8s/b.yaml"),
    finding(path="spec"),
    finding(object=None),
    finding(object=ObjectIdentity("apps/v1", "Deployment", "serving", "other")),
)
FILES = ("/repo/k8s/a.yaml", "/repo/k8s/b.yaml")


def test_a_baseline_is_one_finding_a_line_sorted_without_lines() -> None:
    text = written([finding(7), finding(path="a"), finding(3), *OTHERS[1:2]], "/repo")
    assert text == written([finding(9, path="a"), OTHERS[1], finding(2), finding(1)], "/repo")
    assert text.splitlines() == [
        '{"version": 1, "findings": [',
        '{"file": "k8s/a.yaml", "rule": "GPU102", "object": "Deployment serving/chat", "path": "a"},',
        '{"file": "k8s/a.yaml", "rule": "GPU102", "object": "Deployment serving/chat", '
        '"path": "spec.limits[\\"nvidia.com/gpu\\"]", "count": 2},',
        '{"file": "k8s/b.yaml", "rule": "GPU102", "object": "Deployment serving/chat", '
        '"path": "spec.limits[\\"nvidia.com/gpu\\"]"}',
        "]}",
    ]
    assert text.endswith("]}\n")
    assert len(json.loads(text)["findings"]) == 3


def test_an_empty_one_knows_nothing() -> None:
    assert read(written([], "/repo"), "b.json") == ()


def test_what_it_knows_is_hidden_wherever_it_has_moved() -> None:
    entries = read(written([finding(3)], "/repo"), "b.json")
    moved = finding(99, message="in other words", severity="warning")
    known = apply([moved, *OTHERS], entries, "/repo", FILES)
    assert (known.kept, known.hidden, known.stale) == (OTHERS, (moved,), ())


def test_of_equal_ones_only_so_many_are_hidden() -> None:
    entries = read(written([finding(1), finding(2)], "/repo"), "b.json")
    known = apply([finding(5), finding(6), finding(7)], entries, "/repo", FILES)
    assert known.hidden == (finding(5), finding(6))
    assert known.kept == (finding(7),)


def test_what_is_no_more_is_stale() -> None:
    entries = read(written([finding(1), finding(2), *OTHERS], "/repo"), "b.json")
    known = apply([finding(1), *OTHERS[1:]], entries, "/repo", FILES)
    path = 'spec.limits["nvidia.com/gpu"]'
    one, other = known.stale
    assert one == BaselineEntry("k8s/a.yaml", "GPU102", "Deployment serving/chat", path, 1)
    assert other.rule == "GPU501"
    said = note(known.stale, ".gpuspec-baseline.json")
    assert said is not None
    assert str(said) == (
        ".gpuspec-baseline.json: knows 2 findings that no longer exist (GPU102 in "
        "k8s/a.yaml, …): update the baseline with --write-baseline"
    )
    assert note((), "b.json") is None


def test_of_files_and_rules_that_were_not_looked_at_nothing_is_stale() -> None:
    entries = read(written([finding(1), *OTHERS], "/repo"), "b.json")
    known = apply([], entries, "/repo", ["/repo/k8s/b.yaml"], lambda code: code == "GPU102")
    assert [one.file for one in known.stale] == ["k8s/b.yaml"]
    assert apply([], entries, "/repo", FILES, lambda code: False).stale == ()


def test_names_lie_to_the_baselines_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "k8s").mkdir()
    monkeypatch.chdir(tmp_path)
    text = written([finding(file="k8s/a.yaml"), finding(file="<stdin>")], str(tmp_path))
    assert [one.file for one in read(text, "b.json")] == ["<stdin>", "k8s/a.yaml"]
    monkeypatch.chdir(tmp_path / "k8s")
    known = apply([finding(file="./a.yaml")], read(text, "b.json"), str(tmp_path), ["a.yaml"])
    assert (len(known.hidden), known.stale) == (1, ())


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "nothing", '{"version": 2, "findings": []}', '{"version": 1}'),
        '{"version": 1, "findings": [{"file": "a", "rule": "GPU1", "object": "", "path": 1}]}',
        '{"version": 1, "findings": [], "more": 1}',
    ],
)
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"b\.json:1:1: .*baseline(.|\n)*--write-baseline"):
        read(text, "b.json")


marks = st.builds(
    finding,
    line=st.integers(1, 5),
    path=st.sampled_from(("a", "b", 'c["é\\"\n"]')),
    file=st.sampled_from(FILES),
    object=st.sampled_from((None, CHAT)),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(marks), st.lists(marks))
def test_a_run_is_quiet_on_its_own_baseline(some: list[Finding], more: list[Finding]) -> None:
    entries = read(written(some, "/repo"), "b.json")
    own = apply(some, entries, "/repo", FILES)
    assert (own.kept, own.hidden, own.stale) == ((), tuple(some), ())
    both = apply([*some, *more], entries, "/repo", FILES)
    assert (both.kept, both.stale) == (tuple(more), ())


def test_fingerprints_leave_out_lines_and_tell_all_else_apart() -> None:
    assert fingerprint(finding(1)) == fingerprint(finding(2, message="x", severity="info"))
    assert fingerprint(finding(file="./k8s/a.yaml")) == fingerprint(finding(file="k8s\\a.yaml"))
    assert fingerprint(
        finding(object=ObjectIdentity("apps/v1beta1", "Deployment", "serving", "chat"))
    ) == (fingerprint(finding()))
    every = [fingerprint(one) for one in (finding(), *OTHERS)]
    assert len(set(every)) == len(every)
    assert all(len(one) == 32 and int(one, 16) >= 0 for one in every)


def test_equal_findings_get_fingerprints_of_their_own() -> None:
    some = [finding(1), OTHERS[0], finding(2), finding(3)]
    marks = fingerprints(some)
    assert len(set(marks)) == 4
    assert marks[:2] == [fingerprint(one) for one in some[:2]]
    assert marks == fingerprints([finding(8), OTHERS[0], finding(9), finding(10)])
