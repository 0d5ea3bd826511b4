"""Write the page of targets: `python docs/make_targets.py`, by rendering small specs with each of them.

The texts of refusals and notes are the plan's own. A target is tested with an operator of `tests/control_plane` if a
story there uses it.
"""

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

import gpuspec
from docs.target_questions import BASES, KINDS, QUESTIONS, Question
from gpuspec.plan import Resolution
from gpuspec.plan.target import Intent
from gpuspec.spec import Profile
from gpuspec.targets import DEFAULTS, intent_of, names, target_of
from tests.control_plane import binaries
from tests.control_plane.operators import OPERATORS
from tests.targets.carried import equipped

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).parent / "target-matrix.md"
STORIES = ROOT / "tests" / "control_plane"

HEAD = """# What each target supports

<!-- Made by docs/make_targets.py from gpuspec/targets. Do not edit. -->

This page shows which workloads each [target](targets.md) supports. Each row is a small spec that was rendered with every
target.

- **default**: the target that gpuspec uses if the profile and the spec choose none.
- *yes*: supported.
- *note*: supported, with a note that the default target does not have. The notes are below each table.
- *no*: refused. The reasons are below each table.
"""


JUDGES = {"kubeflow-trainer": "trainer"}
"""Programs of the control plane, where they are not called as the component in profiles."""
CALLED = {"knative": "Knative Serving"}
"""Programs that tests call, but that do not run with the control plane."""


class Answer(NamedTuple):
    """The result of a spec with a target: reasons of a refusal, or prominent notes."""

    refused: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


def profile_of(question: Question) -> Profile:
    """Return the profile for a question, with everything that any target needs, and Kueue."""
    path = ROOT / "examples" / "clusters" / f"{question.profile}.yaml"
    return equipped(str(path) if path.exists() else question.profile, kueue="0.19")


@cache
def loaded(kind: str, fields: str) -> gpuspec.Workload:
    """A spec of a kind, of fields as JSON."""
    given = {**BASES[kind], **json.loads(fields)}
    spec = {key: value for key, value in given.items() if value is not None}
    document = {"apiVersion": "gpuspec.dev/v1alpha1", "kind": kind,
                "metadata": {"name": "work", "namespace": "team"}, "spec": spec}  # fmt: skip
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        json.dump(document, file)
        file.flush()
        (workload,) = gpuspec.load(file.name)
    return workload


def spec_of(kind: str, question: Question) -> gpuspec.Workload:
    """The spec that asks a question."""
    return loaded(kind, json.dumps(question.fields))


@cache
def answers(kind: str, number: int) -> dict[str, Answer]:
    """What each target makes of a question, of those that carry such workloads at all."""
    question = QUESTIONS[kind][number]
    workload, profile = spec_of(kind, question), profile_of(question)
    able = [one for one in names() if intent(kind, question) in target_of(one).intents]
    return {target: _answer(workload, profile, target) for target in able}


def _answer(workload: gpuspec.Workload, profile: Profile, target: str) -> Answer:
    try:
        made = gpuspec.render(workload, profile, target=target)
    except gpuspec.Refusal as refusal:
        return Answer(refused=tuple(dict.fromkeys(one.text for one in refusal.reasons)))
    return Answer(said=tuple(dict.fromkeys(note.text for note in made.notes if note.loud)))


def intent(kind: str, question: Question) -> Intent:
    """What the pods that a question asks for are to each other."""
    return intent_of(Resolution(spec_of(kind, question), profile_of(question), (), ()))


def usual(kind: str, question: Question) -> str:
    """The target that is taken when nobody chooses."""
    return DEFAULTS[intent(kind, question)][0]


def text() -> str:
    """The page."""
    parts = (_targets(), *(_questions(kind) for kind in QUESTIONS))
    return HEAD + "\n".join(line for part in parts for line in part) + "\n"


def _targets() -> Iterator[str]:
    """What each is, what it needs, and who judged it."""
    yield "\n## Targets\n"
    yield f"| target | object | {' | '.join(KINDS)} | needs | code read | tested with |"
    yield "|---" * (len(KINDS) + 5) + "|"
    for name in names():
        target = target_of(name)
        cells = [_carries(target.name, *asked) for asked in KINDS.values()]
        needs = target.needs
        first = ("–", "–") if needs is None else (f"{needs.component} {needs.since}", needs.checked)
        row = (_linked(name), target.kind, *cells, *first, _judge(name))
        yield f"| {' | '.join(row)} |"


def _linked(name: str) -> str:
    """The name, and where it is told of, if it is: on the page of all, or on its family's."""
    folder = PAGE.parent
    for page in (folder / "targets.md", *sorted(folder.glob("*.md"))):
        if page not in (PAGE, folder / "derivations.md") and f"\n## {name}\n" in page.read_text(
            "utf-8"
        ):
            return f"[`{name}`]({page.name}#{name})"
    return f"`{name}`"


def _carries(target: str, kind: str, question: Question) -> str:
    if intent(kind, question) not in target_of(target).intents:
        return "no"
    return "**default**" if usual(kind, question) == target else "yes"


def _judge(name: str) -> str:
    """The program that stories of the control plane hold its objects to, if there are any."""
    needs = target_of(name).needs
    if needs is None:
        oldest = binaries.version("kube-apiserver", binaries.OLDEST)
        return f"Kubernetes {binaries.version('kube-apiserver')} and {oldest}"
    program = JUDGES.get(needs.component, needs.component)
    told = any(f'"{name}"' in file.read_text("utf-8") for file in STORIES.glob("test_*.py"))
    title = OPERATORS[program].title if program in OPERATORS else CALLED.get(program)
    if title is None or not told:
        return "no program: only its CRD and source were read"
    return f"{title} {binaries.version(program)}"


def _questions(kind: str) -> Iterator[str]:
    """A row for each question, a column for each target that carries any of them; then the words."""
    rows = [answers(kind, number) for number in range(len(QUESTIONS[kind]))]
    columns = [name for name in names() if any(name in row for row in rows)]
    yield f"\n## {kind}\n"
    yield f"| | {' | '.join(f'`{name}`' for name in columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for question, row in zip(QUESTIONS[kind], rows, strict=True):
        first = usual(kind, question)
        cells = (_cell(kind, row, name, first, _always(rows, name)) for name in columns)
        yield f"| {question.title} | {' | '.join(cells)} |"
    for name in columns:
        yield from _words(kind, rows, name)


def _cell(kind: str, row: dict[str, Answer], name: str, first: str, always: set[str]) -> str:
    if name not in row or row[name].refused:
        return "no"
    if name == first:
        return "**default**"
    return "note" if _own(kind, row, name) - always else "yes"


def _own(kind: str, row: dict[str, Answer], name: str) -> set[str]:
    """What is said of it and not of what a usual target carries, but for the names of their kinds."""
    called = target_of(name).kind
    usual_ones = {one for one in row if one in {default for default, _ in DEFAULTS.values()}}
    said = {
        (target_of(one).kind, text)
        for number in range(len(QUESTIONS[kind]))
        for one in usual_ones
        for text in answers(kind, number).get(one, Answer()).said
    }
    known = {text.replace(f" {other} ", f" {called} ") for other, text in said}
    return {*row[name].said} - known


def _always(rows: list[dict[str, Answer]], name: str) -> set[str]:
    """What is said of whatever a target carries."""
    carried = [{*row[name].said} for row in rows if name in row and not row[name].refused]
    return set.intersection(*carried) if carried else set()


def _words(kind: str, rows: list[dict[str, Answer]], name: str) -> Iterator[str]:
    """What is refused and said, each with the questions that it is the answer to."""
    always = _always(rows, name)
    refused: dict[str, list[str]] = {}
    said: dict[str, list[str]] = {}
    for question, row in zip(QUESTIONS[kind], rows, strict=True):
        if name not in row:
            continue
        first = usual(kind, question)
        for one in row[name].refused:
            refused.setdefault(one, []).append(question.title)
        if name != first and not row[name].refused:
            for one in sorted(_own(kind, row, name)):
                said.setdefault(one, []).append(question.title)
    if not refused and not said:
        return
    yield f"\n`{name}`\n"
    for sort, found in (("no", refused), ("note", said)):
        for one, titles in found.items():
            asked = "every row" if one in always else "; ".join(titles)
            yield f"- *{sort}*, {asked}: {visible(one)}"


def visible(words: str) -> str:
    """Words of the plan on a page: what stands between angle brackets is no markup."""
    return re.sub(r"<([^>`]+)>", r"&lt;\1&gt;", words)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
