"""How much is read for fixes and places: what changed, and not the document for each finding."""

import difflib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.cli.codes import Stop
from gpuspec.cli.linting import LintOptions, lint_paths
from gpuspec.lint import drafts, fixing
from gpuspec.lint.fixing import applying, diff, fixed, text_fix
from gpuspec.lint.model import Finding, Fix, Put, Rename
from gpuspec.manifests import Document, graph, read, syntax, write, yaml_loading


class Counted:
    """How much text was given to the parser."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.characters = 0
        parser = syntax.CParser

        def counted(text: str) -> Any:
            self.characters += len(text)
            return parser(text)

        for module in (graph, yaml_loading):
            patch.setattr(module, "CParser", counted)


def container(index: int) -> dict[str, Any]:
    return {
        "name": f"c{index}",
        "image": "nvcr.io/nvidia/tritonserver:latest",
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}],
        "resources": {"requests": {"nvidia.com/gpu": 1}},
    }


def pod(index: int, containers: int = 1) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{index}", "namespace": "serving"},
        "spec": {"containers": [container(number) for number in range(containers)]},
    }


def of_pods(count: int) -> dict[str, Any]:
    """What `kubectl get pods -o json` prints."""
    return {"apiVersion": "v1", "kind": "List", "items": [pod(index) for index in range(count)]}


def of_containers(count: int) -> dict[str, Any]:
    return pod(0, count)


def as_yaml(value: dict[str, Any]) -> str:
    return write([value])


def as_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=4) + "\n"


def with_an_anchor(value: dict[str, Any]) -> str:
    """Whose labels are named in the one place and meant in another, far from what is mended."""
    marks = "metadata:\n  labels: &marks {a: b}\n  annotations: *marks\n"
    return write([value]).replace("metadata:\n", marks, 1)


FORMS = [
    pytest.param(of_pods, as_yaml, id="list.yaml"),
    pytest.param(of_pods, as_json, id="list.json"),
    pytest.param(of_containers, as_yaml, id="pod.yaml"),
    pytest.param(of_containers, as_json, id="pod.json"),
    pytest.param(of_containers, with_an_anchor, id="anchor.yaml"),
]


def linted(text: str, file: Path) -> tuple[Finding, ...]:
    file.write_text(text)
    return gpuspec.lint(str(file)).findings


@pytest.mark.parametrize(("value", "form"), FORMS)
def test_a_finding_costs_as_much_in_a_large_document_as_in_a_small_one(
    value: Any, form: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    costs = []
    for size in (10, 40):
        counted.characters = 0
        text = form(value(size))
        found = linted(text, tmp_path / "a.yaml")
        assert sum(one.fix is not None for one in found) >= 2 * size
        costs.append(counted.characters / len(text))
    # Once for the places of all of it, and each part as often as there are fixes in it.
    assert costs[1] <= costs[0] * 1.1


@pytest.mark.parametrize("form", [as_yaml, as_json])
def test_an_object_of_a_list_is_found_as_it_would_be_by_itself(form: Any, tmp_path: Path) -> None:
    alone = linted(form(pod(0)), tmp_path / "alone")
    many = linted(form(of_pods(3)), tmp_path / "many")
    for index in range(3):
        inside = [one for one in many if one.path.startswith(f"items[{index}]")]
        assert [size(one) for one in inside] == [size(one) for one in alone]


def counted_proofs(patch: pytest.MonkeyPatch) -> list[Fix]:
    """The fixes that were looked for in a text."""
    asked: list[Fix] = []

    def counted(document: Document, fix: Fix) -> Any:
        asked.append(fix)
        return text_fix(document, fix)

    patch.setattr(fixing, "text_fix", counted)
    return asked


def test_what_the_baseline_knows_has_no_fix_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, known = tmp_path / "a.yaml", str(tmp_path / "known.json")
    file.write_text(as_yaml(of_containers(3)))
    first = gpuspec.lint(str(file))
    gpuspec.write_baseline(first, known)
    asked = counted_proofs(monkeypatch)
    assert len(gpuspec.lint(str(file), baseline=known).baselined) == len(first.findings)
    assert asked == []
    # One more that the baseline does not know, and one more of those that share a mark.
    file.write_text(as_yaml(of_containers(4)) + "---\n" + as_yaml(of_containers(3)))
    new = gpuspec.lint(str(file), baseline=known).findings
    every = gpuspec.lint(str(file)).findings
    assert any(one.fix is not None for one in new)
    assert set(new) <= set(every)


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (["--format", "concise"], False),
        (["--format", "gitlab"], False),
        (["--format", "gitlab", "-o", "a.json", "--format", "concise"], False),
        (["--write-baseline", "--baseline", "known.json"], False),
        ([], True),
        (["--format", "json"], True),
        (["--format", "concise", "--format", "text", "-o", "a.txt"], True),
        (["--diff"], True),
    ],
)
def test_fixes_are_made_where_they_are_shown(
    options: list[str], made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(as_yaml(of_containers(3)))
    asked = counted_proofs(monkeypatch)
    with suppress(Stop):
        lint_paths(
            LintOptions(
                ["a.yaml"],
                options,
                diff="--diff" in options,
                baseline="known.json" if "--baseline" in options else None,
                write_baseline="--write-baseline" in options,
            )
        )
    assert bool(asked) == made


def test_without_fixes_a_run_finds_the_same_and_tells_how_many_there_may_be(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("# gpuspec: ignore[GPU999] nothing\n" + as_yaml(of_containers(3)))
    whole, bare = (gpuspec.lint(str(file), fixes=fixes) for fixes in (True, False))
    assert bare.findings == tuple(replace(one, fix=None) for one in whole.findings)
    fixes = [one.fix for one in whole.findings if one.fix is not None]
    safe = sum(fix.safe for fix in fixes)
    assert bare.offered == (safe, len(fixes) - safe)
    assert whole.offered == (0, 0)


def test_what_is_suppressed_has_no_fix_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = counted_proofs(monkeypatch)
    file = tmp_path / "a.yaml"
    file.write_text("# gpuspec: ignore-file[GPU] ours to know\n" + as_yaml(of_containers(3)))
    done = gpuspec.lint(str(file))
    assert (done.findings, len(done.suppressed) > 3, asked) == ((), True, [])
    note = {"gpuspec.dev/ignore": "GPU: ours to know"}
    value = of_containers(3)
    value["metadata"]["annotations"] = note
    file.write_text(as_yaml(value))
    done = gpuspec.lint(str(file))
    assert (done.findings, len(done.suppressed) > 3, asked) == ((), True, [])


def test_places_that_are_let_go_of_are_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "---\n".join([as_yaml(of_containers(2))] * 5)
    kept = linted(text, tmp_path / "a.yaml")
    monkeypatch.setattr(drafts, "OPEN", 1)
    assert linted(text, tmp_path / "a.yaml") == kept


@pytest.mark.parametrize("form", [as_yaml, as_json])
def test_fixes_that_meet_in_every_object_cost_the_same_for_each(
    form: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    costs = []
    for size in (10, 40):
        text = form(of_pods(size))
        document = read(text, "a.yaml")[0]
        fixes = []
        for index in range(size):
            labels = ("items", index, "metadata")
            for change in (Rename((*labels, "name"), "x"), Put((*labels, "x"), "y")):
                made = text_fix(document, Fix("mend it", (change,)))
                assert made is not None
                fixes.append(made)
        counted.characters = 0
        new = fixed(text, fixes)
        costs.append(counted.characters / len(text))
        items = read(new, "a.yaml")[0].value["items"]  # type: ignore[index]
        # Of the two in each the first is made.
        assert [one["metadata"]["x"] for one in items] == [f"p{index}" for index in range(size)]
    assert costs[1] <= costs[0] * 1.1


def test_each_fix_is_held_against_its_neighbours_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"k{index}: 1\n" for index in range(200))
    document = read(text, "a.yaml")[0]
    fixes = [text_fix(document, Fix("", (Put((f"k{index}",), 2),))) for index in range(200)]
    asked = []
    touch = applying._touch

    def counted(*given: Any) -> bool:
        asked.append(given)
        return touch(*given)

    monkeypatch.setattr(applying, "_touch", counted)
    assert fixed(text, [fix for fix in fixes if fix is not None]) == text.replace(": 1", ": 2")
    assert len(asked) <= 2 * len(fixes)


def test_a_patch_of_many_changes_compares_what_lies_around_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = []

    class Matcher(difflib.SequenceMatcher[str]):
        def __init__(self, junk: None, old: list[str], new: list[str]) -> None:
            compared.append(len(old) + len(new))
            super().__init__(junk, old, new)

    monkeypatch.setattr(difflib, "SequenceMatcher", Matcher)
    part = "".join(f"line {number}\n" for number in range(300))
    old = part * 20
    new = old.replace("line 7\n", "line seven\nand more\n").replace("line 250\n", "")
    lines = diff("a.yaml", old, new).splitlines()
    assert [line for line in lines[2:] if line[0] in "+-"] == [
        "-line 7", "+line seven", "+and more", "-line 250"
    ] * 20  # fmt: skip
    assert max(compared) <= 250


def size(one: Finding) -> tuple[Any, ...]:
    """What a finding says, how many lines it is long and what its fix puts in."""
    edits = one.fix.edits if one.fix is not None else ()
    said = one.message.replace("p1", "p0").replace("p2", "p0")
    return one.rule, said, one.end_line - one.line, tuple(edit.text.split() for edit in edits)
