"""No word of an untrusted change steers a terminal, a CI's log or a format: each command and format.

Commands and formats are asked of the command line itself: a new one has no row in the tables here, and
fails until it has.
"""

import csv
import io
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer
import yaml
from hypothesis import HealthCheck, Phase, example, given, settings

from gpuspec.cli.app import app
from gpuspec.cli.krm import main as krm
from gpuspec.report.lint import FORMATS
from tests.escaping import foreign
from tests.escaping.foreign import MARK, WORDS, WORST, Word, file_name, put, sanitized, turns
from tests.escaping.program import Case, Done, Terminal, run
from tests.escaping.watch import obeyed, raw

few = settings(
    max_examples=8,
    derandomize=True,
    # A run takes its time: what fails is not made smaller by hundreds more.
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
COMMAND = re.compile(r"::(error|warning|notice) ([a-zA-Z]+=[^,:\r\n]*(,[a-zA-Z]+=[^,:\r\n]*)*)::.*")

# --- what must hold of each format's text


def is_lines(text: str) -> None:
    assert not raw(text)
    assert not obeyed(text)


def is_markdown(text: str) -> None:
    is_lines(text.replace("@\u200b", "@"))
    assert not re.search(r"^\s*/", text, re.MULTILINE)


def is_json(text: str) -> None:
    json.loads(text)
    is_lines(text)


def is_xml(text: str) -> None:
    ElementTree.fromstring(text.encode())
    is_lines(text)


def is_page(text: str) -> None:
    """XML that people read: what it says does not turn or hide anything either."""
    is_xml(text)
    for one in ElementTree.fromstring(text.encode()).iter():
        if not one.tag.endswith("style"):
            assert not any(raw(word, kept="") for word in (one.text or "", *one.attrib.values()))


def is_csv(text: str) -> None:
    is_lines(text)
    for sep in ",;":
        rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=sep)]
        assert len(rows) == text.count("\n")
        cells = [cell for row in rows for cell in row]
        assert not any(re.match(r"\s*[=+@-]", cell) for cell in cells)
        assert sep == ";" or len({len(row) for row in rows}) == 1


def is_annotations(text: str) -> None:
    assert not raw(text)
    assert all(COMMAND.fullmatch(line) for line in text.split("\n")[:-1])


def is_yaml(text: str) -> None:
    """Objects, whose blocks hold lines as they are; no comment and no word of them leaves its place."""
    assert not raw(text, kept="\n\t")
    for one in yaml.safe_load_all(text):
        assert one is None or isinstance(one, dict)


def is_anything(text: str) -> None:
    """What comes in goes out."""


CHECKS: dict[str, Callable[[str], None]] = {
    **dict.fromkeys(("text", "full", "concise"), is_lines),
    "markdown": is_markdown,
    **dict.fromkeys(("json", "sarif", "gitlab"), is_json),
    "junit": is_xml,
    **dict.fromkeys(("html", "svg"), is_page),
    "csv": is_csv,
    "github": is_annotations,
    "yaml": is_yaml,
}

PLAIN: dict[str, Callable[[str], None]] = {
    "init": is_lines,
    "schema": is_json,
    "cluster discover": is_yaml,
    "argocd generate": is_yaml,
    "argocd discover": is_lines,
    "argocd parameters": is_json,
    "helm postrender": is_anything,
}
"""Of commands without formats."""

# --- what each command is given


def manifests(w: Word, folder: Path) -> str:
    """A folder of manifests whose name is as odd as theirs."""
    name = file_name(w())
    objects = [foreign.workload(w), foreign.workload(w, w()), foreign.stranger(w), foreign.spec(w)]
    put(folder / name, file_name(f"{w()}.yaml"), *objects)
    put(folder / name, file_name(f"{w()}.yml"), text=f"a: [{sanitized(w())}\n---\n{{ {w()}")
    return f"./{name}"


def sound(w: Word, folder: Path) -> str:
    return f"./{put(folder, file_name(f'{w()}.yaml'), foreign.workload(w), foreign.stranger(w))}"


def specs(w: Word, folder: Path) -> str:
    return f"./{put(folder, file_name(f'{w()}.yaml'), foreign.spec(w))}"


def cluster(w: Word, folder: Path) -> str:
    return f"./{put(folder, file_name(f'{w()}.yaml'), foreign.profile(w))}"


def live(w: Word, folder: Path) -> str:
    return f"./{put(folder, file_name(f'{w()}.json'), foreign.dump(w))}"


def shapes(w: Word, folder: Path) -> str:
    rows = io.StringIO()
    csv.writer(rows).writerows([("name", "count", "gpus"), (w(), 3, 1), (w(), 2, 2)])
    return f"./{put(folder, file_name(f'{w()}.csv'), text=rows.getvalue())}"


def fitted(w: Word, folder: Path) -> Case:
    return Case((sound(w, folder), "--live", live(w, folder), "--seeds", "1"))


def compared(w: Word, folder: Path) -> Case:
    return Case((sound(w, folder), sound(w, folder)))


def application(w: Word, folder: Path) -> Case:
    specs(w, folder)
    parameters = [
        {"name": "train:env.A", "string": json.dumps(w())},
        {"name": "lint", "string": "annotate"},
    ]
    return Case((), env=(("ARGOCD_APP_PARAMETERS", json.dumps(parameters)),))


def release(w: Word, folder: Path) -> Case:
    source = f"# Source: {sanitized(w())}\n"
    return Case(
        (), source + "\n---\n".join(map(json.dumps, (foreign.workload(w), foreign.stranger(w))))
    )


GIVEN: dict[str, Callable[[Word, Path], Case]] = {
    "init": lambda w, _: Case((sanitized(w()),)),
    "render": lambda w, folder: Case((specs(w, folder), "-c", cluster(w, folder))),
    "explain": lambda w, folder: Case((specs(w, folder), "-c", cluster(w, folder))),
    "lint": lambda w, folder: Case((manifests(w, folder), "--exit-zero")),
    "fit": fitted,
    "diff": compared,
    "table": lambda w, folder: Case((sound(w, folder),)),
    "rule": lambda w, _: Case(("GPU102",)),
    "rules": lambda w, _: Case(()),
    "schema": lambda w, _: Case(("inference",)),
    "cluster discover": lambda w, folder: Case((live(w, folder),)),
    "cluster check": lambda w, folder: Case((cluster(w, folder),)),
    "cluster render": lambda w, folder: Case((cluster(w, folder),)),
    "fleet drift": lambda w, folder: Case(
        (sound(w, folder), "-c", cluster(w, folder), "--live", live(w, folder))
    ),
    "fleet report": lambda w, folder: Case(("--live", live(w, folder), "--mix", shapes(w, folder))),
    "argocd generate": application,
    "argocd discover": application,
    "argocd parameters": application,
    "helm postrender": release,
}
OURS = ("init", "rule", "rules", "schema", "cluster check", "cluster render")
"""Commands that print nothing foreign."""


@cache
def commands() -> dict[str, Any]:
    """Every command of the program."""

    def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
        if not hasattr(command, "commands"):
            yield " ".join(path), command
            return
        for name, inner in command.commands.items():
            yield from leaves(inner, (*path, name))

    return dict(leaves(typer.main.get_command(app)))


def formats(command: Any) -> tuple[str | None, ...]:
    """The formats of a command; None where it has but one."""
    found = [param for param in command.params if "--format" in param.opts]
    return tuple(getattr(found[0].type, "choices", FORMATS)) if found else (None,)


OUTPUTS = [(name, format) for name, one in commands().items() for format in formats(one)]


def is_harmless(done: Done, check: Callable[[str], None]) -> None:
    assert done.code in (0, 1, 2, 3)
    is_lines(done.err)
    if done.out:
        check(done.out)


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    """Folders, each of them new."""
    return (tmp_path / str(number) for number in range(1 << 20))


def within(folders: Iterator[Path]) -> Path:
    folder = next(folders)
    folder.mkdir()
    return folder


@pytest.mark.parametrize(("name", "format"), OUTPUTS)
def test_a_document_cannot_leave_its_place(
    name: str, format: str | None, folders: Iterator[Path]
) -> None:
    told: list[str] = []

    @few
    @given(WORDS)
    @example(WORST)
    def holds(words: list[str]) -> None:
        folder = within(folders)
        case = GIVEN[name](turns(words), folder)
        asked = ("--format", format) if format else ()
        done = run(folder, Case((*name.split(), *case.arguments, *asked), case.stdin, case.env))
        is_harmless(done, CHECKS[format] if format else PLAIN[name])
        told.append(done.out + done.err)

    holds()
    assert name in OURS or any(MARK in one for one in told), "nothing foreign was said"


@pytest.mark.parametrize("name", [name for name, format in OUTPUTS if format == "text"])
def test_a_terminal_gets_no_colour_but_ours(name: str, folders: Iterator[Path]) -> None:
    @few
    @given(WORDS)
    @example(WORST)
    def holds(words: list[str]) -> None:
        folder = within(folders)
        case = GIVEN[name](turns(words), folder)
        asked = Case((*name.split(), *case.arguments), env=(("COLUMNS", "60"), ("TERM", "xterm")))
        done = run(folder, asked, stream=Terminal)
        for text in (done.out, done.err):
            is_lines(re.sub(r"\x1b\[(0|[127]|(1;)?3[1-6](;7)?)m", "", text))

    holds()


@few
@given(words=WORDS)
@example(words=WORST)
def test_a_patch_is_whole_for_programs_and_harmless_for_people(
    words: list[str], folders: Iterator[Path]
) -> None:
    folder = within(folders)
    w = turns(words)
    pod = {"containers": [{"name": w(), "resources": {"requests": {"nvidia.com/gpu": 1}}}]}
    one = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": w(), w(): w()}, "spec": pod}
    path = put(folder, file_name(f"{w()}.yaml"), one)
    told = Case(("lint", f"./{path}", "--diff"))
    done = run(folder, told)
    assert done.code == 1
    is_lines(run(folder, told, stream=Terminal).out)
    before = (folder / path).read_bytes()
    applied = subprocess.run(
        ["git", "apply"],
        cwd=folder,
        input=done.out.encode(errors="surrogateescape"),
        check=False,
        capture_output=True,
    )
    assert applied.returncode == 0, (applied.stderr, done.out)
    assert (folder / path).read_bytes() != before


@pytest.mark.parametrize("name", commands())
def test_an_argument_cannot_leave_its_place(name: str, folders: Iterator[Path]) -> None:
    """Each option of each command, and each argument, is such a word."""

    @few
    @given(WORDS)
    @example(WORST)
    def holds(words: list[str]) -> None:
        folder = within(folders)
        w = turns([*map(sanitized, words)])
        params = [
            param for param in commands()[name].params if not getattr(param, "is_flag", False)
        ]
        given = [(param.opts[-1],) if param.param_type_name == "option" else () for param in params]
        for option in (*given, (f"-{w()}",), (f"--{w()}",)):
            known = GIVEN[name](w, folder)
            arguments = (*known.arguments, *option, w())
            done = run(folder, Case((*name.split(), *arguments), known.stdin, known.env))
            is_harmless(done, is_anything)

    holds()


@few
@given(words=WORDS)
@example(words=WORST)
def test_a_command_cannot_leave_its_place(words: list[str], folders: Iterator[Path]) -> None:
    folder = within(folders)
    for arguments in ((words[0],), ("cluster", words[1]), (words[2], "--help"), ("--", words[3])):
        is_harmless(run(folder, Case(tuple(map(sanitized, arguments)))), is_lines)


@few
@given(words=WORDS)
@example(words=WORST)
def test_the_text_of_a_run_in_github_ends_with_its_annotations(
    words: list[str], folders: Iterator[Path]
) -> None:
    folder = within(folders)
    path = manifests(turns(words), folder)
    done = run(folder, Case(("lint", path), env=(("GITHUB_ACTIONS", "true"),)))
    plain = run(folder, Case(("lint", path)))
    is_lines(plain.out)
    assert done.out.startswith(plain.out)
    is_annotations(done.out.removeprefix(plain.out))


@few
@given(words=WORDS)
@example(words=WORST)
def test_what_is_wrong_with_a_document_cannot_leave_its_place(
    words: list[str], folders: Iterator[Path]
) -> None:
    folder = within(folders)
    w = turns(words)
    wrong = put(folder, file_name(f"{w()}.yaml"), foreign.spec(w, w()) | {w(): w()})
    other = put(folder, file_name(f"{w()}.yml"), foreign.profile(w, w(), w()))
    put(folder, ".gpuspec.yaml", {w(): w(), "lint": {"ignore": [w()]}})
    for arguments in (
        ("render", f"./{wrong}", "-c", f"./{other}"),
        ("explain", f"./{wrong}"),
        ("lint", "."),
        ("cluster", "check", f"./{other}"),
        ("cluster", "render", f"./{other}", "-o", f"./{file_name(w())}"),
        ("render", "."),
    ):
        is_harmless(run(folder, Case(arguments)), is_lines)


@few
@given(words=WORDS)
@example(words=WORST)
def test_a_folder_that_is_written_is_told_in_one_line(
    words: list[str], folders: Iterator[Path]
) -> None:
    folder = within(folders)
    w = turns(words)
    path, to = specs(w, folder), f"./{file_name(w())}/out"
    for check in ((), ("--check",)):
        done = run(folder, Case(("render", path, "-c", "generic", "-o", to, *check)))
        is_harmless(done, is_lines)
    assert f"{MARK}" in done.err or not done.code


@few
@given(words=WORDS)
@example(words=WORST)
def test_a_function_of_kustomize_cannot_leave_its_place(
    words: list[str], folders: Iterator[Path]
) -> None:
    folder = within(folders)
    w = turns(words)
    for config in (
        {"apiVersion": "krm.gpuspec.dev/v1alpha1", "kind": "Lint", "metadata": {"name": w()}},
        {"apiVersion": w(), "kind": w(), w(): w()},
        foreign.spec(w),
        foreign.spec(w, w()),
    ):
        items = [foreign.workload(w), foreign.stranger(w)]
        asked = {
            "apiVersion": "config.kubernetes.io/v1",
            "kind": "ResourceList",
            "functionConfig": config,
            "items": items,
        }
        done = run(folder, Case((), json.dumps(asked)), krm)
        is_harmless(done, is_anything)
        if done.out:
            made = yaml.safe_load(done.out)
            assert not any(raw(one["message"], kept="") for one in made.get("results", ()))
