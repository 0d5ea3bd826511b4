"""Every rule across fields: what breaks it, where and with which words, and what just does not.

The cases lie in `cases/`: the fields of a spec that break a rule, the mark `‹` where the problem is
to be found, the message and its hint, and a near miss: what a careful author would write.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuspec.spec.rules import violation as room
from tests.spec.conftest import Make, Problems, expected

RULES = Path(room.__file__).parent
FILES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
CASES: list[tuple[str, dict[str, str]]] = [
    (f"{file.stem}: {case['message']}"[:90], case)
    for file in FILES
    for case in yaml.safe_load(file.read_text(encoding="utf-8"))
]
NAMED = [pytest.param(case, id=name) for name, case in CASES]


@pytest.mark.parametrize("case", NAMED)
def test_breaks(case: dict[str, str], make: Make, problems: Problems) -> None:
    marked = make(case["kind"], case["wrong"])
    assert marked.at is not None
    line, column = marked.at
    (found,) = problems(marked.text)
    assert (found.message, found.hint) == expected(case)
    assert str(found.place) == f"w.yaml:{line}:{column}"


@pytest.mark.parametrize("case", NAMED)
def test_stays_quiet(case: dict[str, str], make: Make, problems: Problems) -> None:
    assert [str(found) for found in problems(make(case["kind"], case["right"]).text)] == []


def _without_model(make: Make, runtime: str) -> str:
    text = make("Inference", f"runtime: {runtime}").text
    return text.replace("  model: {id: org/m, source: {pvc: weights}}\n", "")


def test_a_server_needs_a_model(make: Make, problems: Problems) -> None:
    (found,) = problems(_without_model(make, "vllm"))
    said = "w.yaml:6:12: runtime vllm needs a `model`\n  write model: {id: …, size: …}"
    assert str(found) == said
    assert problems(_without_model(make, "nim")) == ()


def _annotated(make: Make, size: int) -> str:
    return make("Training", f"metadata: {{name: w, annotations: {{a: {'x' * size}}}}}").text


def test_annotations_that_no_object_takes(make: Make, problems: Problems) -> None:
    (found,) = problems(_annotated(make, 262144))
    said = "w.yaml:3:34: annotations of 262145 bytes; the maximum is 262144"
    assert str(found) == said
    assert problems(_annotated(make, 262143)) == ()


def _queue(make: Make, pools: int = 1, devices: int = 0) -> str:
    """A queue of so many pools, each with so many further devices of a fabric."""
    fabric = ", ".join(f"n/{at}: 1" for at in range(devices))
    rdma = f"rdma: {{resource: n/n, resources: {{{fabric}}}}}"
    made = [f"{{name: p{at}, gpu: {{model: T4, count: 1}}, {rdma}}}" for at in range(pools)]
    parts = ", ".join(f"{{pool: p{at}, gpus: 1}}" for at in range(pools))
    return make(
        "ClusterProfile",
        "installed: {kueue: '0.19'}\n"
        f"pools: [{', '.join(made)}]\n"
        f"queues: [{{name: q, namespaces: [w], pools: [{parts}]}}]",
    ).text


def test_a_queue_of_more_pools_than_kueue_takes(make: Make, problems: Problems) -> None:
    (found,) = problems(_queue(make, pools=65))
    assert found.message == "65 pools; Kueue allows 64 per queue"
    assert problems(_queue(make, pools=64)) == ()


def test_a_queue_of_more_devices_than_kueue_counts(make: Make, problems: Problems) -> None:
    (found,) = problems(_queue(make, devices=59))
    assert found.message.startswith("its pools have 61 kinds of devices; Kueue counts 60")
    assert problems(_queue(make, devices=58)) == ()


def _places() -> set[tuple[str, int]]:
    """File and line of every call that makes a `Broken`."""
    return {
        (path.name, node.lineno)
        for path in RULES.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Broken"
    }


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[str, int]]]:
    """Where each `Broken` was made."""
    lines: set[tuple[str, int]] = set()
    real = room.SpecViolation

    def recorder(*args: Any, **named: Any) -> room.SpecViolation:
        frame = sys._getframe(1)
        lines.add((Path(frame.f_code.co_filename).name, frame.f_lineno))
        return real(*args, **named)

    for name, module in list(sys.modules.items()):
        if name.startswith("gpuspec.spec.rules") and getattr(module, "Broken", None) is real:
            monkeypatch.setattr(module, "Broken", recorder)
    yield lines


def test_every_rule_has_a_case(made: set[tuple[str, int]], make: Make, problems: Problems) -> None:
    for _, case in CASES:
        problems(make(case["kind"], case["wrong"]).text)
    problems(_without_model(make, "vllm"))
    problems(_annotated(make, 262144))
    problems(_queue(make, pools=65))
    problems(_queue(make, devices=59))
    assert sorted(_places() - made) == []
