"""Suppressions: what they hide, and what is said of those that hide nothing, no more, or wrongly."""

from datetime import date
from typing import Any

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.lint.fixing import fixed
from gpuspec.lint.model import Finding
from gpuspec.lint.result import SuppressedFinding
from gpuspec.lint.suppressions.suppress import OWN, apply
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile, format_path, read
from tests.lint.pages import page

TODAY = date(2026, 12, 1)
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
spec:
  template:
    metadata:
      labels: {app: chat}
    spec:
      containers:
        - name: one
          command:
            - sh
            - |
              # gpuspec: ignore[GPU1] in a text
              serve
          resources:
            limits:
              nvidia.com/gpu: 2
            requests: {nvidia.com/gpu: 1}
        - name: two
          args: ["# gpuspec: ignore[GPU1] quoted",
                 plain]
          resources: {}
"""
WHY = "the queue sets it"


def found(text: str, *path: Any, rule: str = "GPU102", name: str = "a.yaml") -> Finding:
    """A finding as the engine places it."""
    document = read(text, name)[0]
    start, end = document.span(path)
    span = (start.line, start.column, end.line, end.column)
    written = format_path(path)
    return Finding(rule, "x", "error", "certain", "wrong", name, *span, path=written)


CONTAINERS = ("spec", "template", "spec", "containers")
REQUEST = (*CONTAINERS, 0, "resources", "requests", "nvidia.com/gpu")
RESOURCES = (*CONTAINERS, 0, "resources")
ARGS = (*CONTAINERS, 1, "args")


def run(
    text: str, *paths: tuple[Any, ...], rule: str = "GPU102", **more: Any
) -> tuple[list[Finding], list[SuppressedFinding], list[Finding]]:
    findings = [found(text, *path, rule=rule) for path in paths]
    return apply(findings, [SourceFile("a.yaml", text)], (), TODAY, **more)


def said(own: list[Finding]) -> list[tuple[str, int, int]]:
    return [(one.rule, one.line, one.column) for one in own]


def with_line(before: str, line: str) -> str:
    """The pod with a line in front of another one, indented like it."""
    assert POD.count(before) == 1
    lead = " " * (len(before) - len(before.lstrip(" ")))
    return POD.replace(before, f"{lead}{line}\n{before}")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    "code", ["GPU102", "GPU1", "gpu102", "GPU501, GPU102", "request-differs-from-limit"]
)
def test_a_comment_behind_a_line_is_for_the_line(code: str, mark: str, newline: str) -> None:
    comment = f"            requests: {{nvidia.com/gpu: 1}}  # gpuspec: ignore[{code}] {WHY}\n"
    text = POD.replace("            requests: {nvidia.com/gpu: 1}\n", comment)
    text = mark + text.replace("\n", newline)
    kept, suppressed, own = run(text, REQUEST, RESOURCES)
    assert [one.path for one in kept] == [format_path(RESOURCES)]
    assert [(one.finding.path, one.reason) for one in suppressed] == [(format_path(REQUEST), WHY)]
    assert said(own) == ([("GPU091", 20, 44)] if "GPU501" in code else [])


def test_another_rule_on_the_line_is_said() -> None:
    text = POD.replace("gpu: 1}\n", f"gpu: 1}}  # gpuspec: ignore[GPU501] {WHY}\n")
    kept, suppressed, own = run(text, REQUEST)
    assert (len(kept), suppressed, said(own)) == (1, [], [("GPU091", 20, 44)])


@pytest.mark.parametrize(
    ("before", "hidden"),
    [
        ("            requests: {", {REQUEST}),
        ("          resources:\n", {REQUEST, RESOURCES}),
        ("        - name: one\n", {REQUEST, RESOURCES}),
        ("      containers:\n", {REQUEST, RESOURCES, ARGS}),
        ("        - name: two\n", {ARGS}),
        ("spec:\n  template:\n", {REQUEST, RESOURCES, ARGS}),
        ("      labels: {", set()),
        # The first line of a document: all of it.
        ("apiVersion: apps/v1\n", {REQUEST, RESOURCES, ARGS}),
    ],
)
def test_a_comment_on_its_own_line_is_for_what_begins_below(before: str, hidden: set[Any]) -> None:
    text = with_line(before, f"# gpuspec: ignore[GPU102] {WHY}")
    kept, suppressed, own = run(text, REQUEST, RESOURCES, ARGS)
    assert {one.finding.path for one in suppressed} == {format_path(path) for path in hidden}
    assert len(kept) == 3 - len(hidden)
    assert [one.rule for one in own] == ([] if hidden else ["GPU091"])


def test_other_comments_and_blank_lines_may_stand_between() -> None:
    text = with_line(
        "            requests: {", f"# gpuspec: ignore[GPU102] {WHY}\n\n     # as agreed"
    )
    assert run(text, REQUEST)[::2] == ([], [])


def test_a_comment_behind_a_key_is_for_the_block_below_it() -> None:
    comment = f"            limits:  # gpuspec: ignore[GPU102] {WHY}\n"
    text = POD.replace("            limits:\n", comment)
    limits = (*RESOURCES, "limits")
    kept, suppressed, own = run(text, limits, (*limits, "nvidia.com/gpu"))
    assert [one.finding.path for one in suppressed] == [format_path(limits)]
    assert len(kept) == 1
    assert own == []


def test_a_comment_behind_a_text_of_several_lines_is_for_where_it_begins() -> None:
    text = POD.replace("          resources: {}\n", f"""\
          image: "a
            b"  # gpuspec: ignore[GPU102] {WHY}
          workingDir: |  # gpuspec: ignore[GPU102] {WHY}
            /x
""")  # fmt: skip
    kept, suppressed, own = run(text, (*CONTAINERS, 1, "image"), (*CONTAINERS, 1, "workingDir"))
    assert (kept, len(suppressed), own) == ([], 2, [])


def test_a_file_is_ignored_from_anywhere_in_it() -> None:
    text = f"{POD}---\n# gpuspec: ignore-file[GPU5, GPU102] {WHY}\n"
    kept, suppressed, own = run(text, REQUEST, RESOURCES)
    assert (kept, len(suppressed)) == ([], 2)
    assert said(own) == [("GPU091", 26, 1)]
    assert "`GPU5`" in own[0].message
    assert "GPU102" not in own[0].message


def test_other_files_are_not() -> None:
    sources = [
        SourceFile("a.yaml", f"# gpuspec: ignore-file[GPU102] {WHY}\n"),
        SourceFile("b.yaml", POD),
    ]
    finding = found(POD, *REQUEST, name="b.yaml")
    kept, _, own = apply([finding], sources, (), TODAY)
    assert kept == [finding]
    assert said(own) == [("GPU091", 1, 1)]


def test_what_looks_like_one_in_a_text_is_none() -> None:
    kept, suppressed, own = run(POD, REQUEST, ARGS, (*CONTAINERS, 0, "command", 1))
    assert (len(kept), suppressed, own) == (3, [], [])


@pytest.mark.parametrize(
    "prose",
    [
        "# gpuspec: rendered from chat.yaml",
        "# gpuspec render ignores[this]",
        "# see gpuspec: ignore[GPU102] there",
        "a#gpuspec: ignore[GPU102]",
    ],
)
def test_prose_is_no_suppression(prose: str) -> None:
    text = (
        f"a: b\nc: {prose.partition('#')[0] or 'x'} {prose}\n"
        if prose[0] == "#"
        else f"b: {prose}\n"
    )
    assert apply([], [SourceFile("a.yaml", text)], (), TODAY) == ([], [], [])


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("ignore[GPU102]", "gives no reason"),
        ("ignore[GPU102]   ", "gives no reason"),
        ("ignore[GPU102]: -", "gives no reason"),
        ("ignore[GPU102] until=2027-01-01", "gives no reason"),
        ("ignore[GPU102] until=2027-13-01 why", "is not a date"),
        ("ignore[GPU102] until=soon why", "is not a date"),
        ("ignore[GPU102] until= why", "is not a date"),
        ("ignore[GPU999] why", "GPU999"),
        ("ignore[] why", "names no rule"),
        ("ignore[GPU102,,GPU501] why", None),
        ("ignore GPU102 why", "in brackets"),
        ("ignore-file why", "in brackets"),
        ("ignore[GPU102 why", "in brackets"),
        ("disable[GPU102] why", "`disable` is not a suppression"),
        ("ignore-line[GPU102] why", "`ignore-line` is not a suppression"),
    ],
)
def test_a_mistake_hides_nothing_and_is_said(comment: str, message: str | None) -> None:
    text = POD.replace("gpu: 1}\n", f"gpu: 1}}  # gpuspec: {comment}\n")
    kept, suppressed, own = run(text, REQUEST, ran=lambda code: code == "GPU102")
    if message is None:
        assert (kept, len(suppressed), own) == ([], 1, [])
        return
    assert (len(kept), suppressed) == (1, [])
    assert said(own) == [("GPU093", 20, 44)]
    assert message in own[0].message
    assert own[0].note


@pytest.mark.parametrize(
    ("until", "holds"),
    [("2026-12-01", True), ("2026-12-02", True), ("2026-11-30", False), ("2020-01-01", False)],
)
def test_the_last_day_is_one_on_which_it_holds(until: str, holds: bool) -> None:
    text = POD.replace("gpu: 1}\n", f"gpu: 1}}  # gpuspec: ignore[GPU102] until={until} {WHY}\n")
    kept, suppressed, own = run(text, REQUEST)
    assert len(suppressed) == holds
    assert len(kept) == 1 - holds
    assert [one.rule for one in own] == ([] if holds else ["GPU092"])
    if holds:
        assert suppressed[0].reason == WHY
    else:
        assert until in own[0].message


def test_a_rule_that_did_not_run_is_not_called_unused() -> None:
    text = f"# gpuspec: ignore-file[GPU102] {WHY}\n# gpuspec: ignore-file[GPU5] {WHY}\n"
    source = SourceFile("a.yaml", text)
    assert apply([], [source], (), TODAY, lambda code: code == "GPU501")[2] == []
    own = apply([], [source], (), TODAY, lambda code: code == "GPU102")[2]
    assert said(own) == [("GPU091", 1, 1)]


def test_a_comment_with_nothing_below_says_so() -> None:
    text = f"{POD}# gpuspec: ignore[GPU102] {WHY}\n---\n{POD}"
    _, _, own = run(text)
    assert "nothing follows the suppression of `GPU102`" in own[0].message


def test_a_document_that_cannot_be_read_can_be_waved_through() -> None:
    text = f"# gpuspec: ignore-file[GPU102] {WHY}\na: [\n  b: {{{{ .Values.x }}}}\n"
    finding = Finding("GPU102", "x", "error", "certain", "", "a.yaml", 3, 1, 3, 2, path="")
    assert len(apply([finding], [SourceFile("a.yaml", text)], (), TODAY)[1]) == 1


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: b  # gpuspec: ignore[GPU102] x\nc: d\n", "a: b\nc: d\n"),
        ("a: b\n# gpuspec: ignore[GPU102] x\nc: d\n", "a: b\nc: d\n"),
        ("\ufeff# gpuspec: ignore[GPU102] x\r\nc: d\r\n", "\ufeffc: d\r\n"),
        ("a: b\n# gpuspec: ignore[GPU102] x", "a: b\n"),
        ("a: b # gpuspec: ignore[GPU501,GPU102] x", "a: b # gpuspec: ignore[GPU501] x"),
    ],
)
def test_an_unused_one_can_be_removed(text: str, after: str) -> None:
    used = Finding("GPU501", "x", "error", "certain", "", "a.yaml", 1, 1, 1, 2, path="")
    own = apply([used], [SourceFile("a.yaml", text)], (), TODAY)[2]
    assert [one.rule for one in own] == ["GPU091"]
    fix = own[0].fix
    assert fix is not None
    assert not fix.safe, "a run with a profile may find more"
    assert fixed(text, [fix]) == after


def engine(text: str) -> tuple[list[Finding], Engine]:
    run = Engine(lambda code: code == "GPU102")
    return [one.finding() for one in run.run(TextLoader([SourceFile("a.yaml", text)]))], run


def annotated(text: str, pod: bool) -> str:
    if pod:
        return POD.replace(
            "      labels:", f"      annotations: {{gpuspec.dev/ignore: '{text}'}}\n      labels:"
        )
    return POD.replace(
        "  name: chat\n", f"  name: chat\n  annotations:\n    gpuspec.dev/ignore: '{text}'\n"
    )


@pytest.mark.parametrize("pod", [False, True])
@pytest.mark.parametrize(
    "text",
    [f"GPU102: {WHY}", f"GPU501: other; GPU102 until=2027-03-01: {WHY}", f"GPU501,GPU102: {WHY};"],
)
def test_an_annotation_is_for_its_object_or_pod(text: str, pod: bool) -> None:
    findings, run = engine(f"{annotated(text, pod)}---\n{POD.replace('name: chat', 'name: other')}")
    assert len(findings) == 2
    ran = "GPU102".__eq__
    kept, suppressed, own = apply(findings, (), run.annotations, TODAY, ran)
    assert [one.object.name for one in kept if one.object] == ["other"]
    assert [one.reason for one in suppressed] == [WHY]
    assert own == []


def test_an_annotation_of_a_pod_is_not_for_its_object() -> None:
    text = annotated(f"GPU102: {WHY}", pod=True)
    findings, run = engine(text)
    whole = Finding(
        "GPU102",
        "x",
        "error",
        "certain",
        "",
        "a.yaml",
        5,
        1,
        5,
        2,
        path="spec",
        object=findings[0].object,
    )
    kept, suppressed, _ = apply([whole, *findings], (), run.annotations, TODAY)
    assert (kept, len(suppressed)) == ([whole], 1)


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        (f"GPU501: {WHY}", "GPU091", "`GPU501`"),
        (f"GPU102 until=2026-03-01: {WHY}", "GPU092", "2026-03-01"),
        ("GPU102", "GPU093", "gives no reason"),
        ("GPU102:", "GPU093", "gives no reason"),
        ("GPU102 until=x: why", "GPU093", "not a date"),
        ("GPU999: why", "GPU093", "GPU999"),
        ("it is fine", "GPU093", "no rule"),
    ],
)
def test_what_is_wrong_with_an_annotation_is_said_once_where_it_stands(
    text: str, rule: str, message: str
) -> None:
    for pod in (False, True):
        findings, run = engine(annotated(text, pod))
        kept, suppressed, own = apply(findings, (), run.annotations, TODAY)
        assert (kept, suppressed) == (findings, [])
        assert [one.rule for one in own] == [rule]
        assert message in own[0].message
        assert own[0].path.endswith('annotations["gpuspec.dev/ignore"]')
        assert own[0].object == findings[0].object
        assert (own[0].line, own[0].column) == ((8, 41) if pod else (6, 25))


@pytest.mark.parametrize(
    "module", ["unused_suppression", "expired_suppression", "malformed_suppression"]
)
def test_the_pages_are_true(module: str) -> None:
    """C-lint: the pages of rules that are found where the text is read."""
    one = page(f"reading.{module}")
    code = OWN[["unused_suppression", "expired_suppression", "malformed_suppression"].index(module)]

    def own(text: str) -> list[Finding]:
        # Whether the suppression is needed is the matter of one page alone.
        return apply(
            [],
            [SourceFile("a.yaml", text)],
            (),
            TODAY,
            lambda code: code[:3] == "GPU" and module[0] == "u",
        )[2]

    wrong, right = one.blocks("Wrong"), one.blocks("Right")
    assert len(wrong) == len(right) == 1
    found = own(wrong[0].text)
    assert [each.rule for each in found] == [code]
    assert own(right[0].text) == []
    if found[0].fix is not None:
        assert fixed(wrong[0].text, [found[0].fix]) == right[0].text
