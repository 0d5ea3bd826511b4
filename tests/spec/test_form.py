"""Documents of the wrong form: what is said, where, and what is proposed instead."""

from pathlib import Path

import pytest
import yaml

from gpuspec import runtimes
from gpuspec.spec.quoting import either
from tests.spec.conftest import Make, Problems, expected

CASES = yaml.safe_load((Path(__file__).parent / "forms.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["message"][:80])
def test_form(case: dict[str, str], make: Make, problems: Problems) -> None:
    marked = make(case["kind"], case["wrong"])
    assert marked.at is not None
    line, column = marked.at
    (found,) = problems(marked.text)
    assert (found.message, found.hint) == expected(case)
    assert str(found.place) == f"w.yaml:{line}:{column}"


HEADS = [
    ("kind: Training\n", "1:1: `apiVersion` is missing", "write apiVersion: gpuspec.dev/v1alpha1"),
    ("apiVersion: gpuspec.dev/v1\nkind: Training\n", '1:13: `apiVersion` is "gpuspec.dev/v1"', "write apiVersion: gpuspec.dev/v1alpha1"),
    ("apiVersion: [1]\nkind: Training\n", "1:13: `apiVersion` is a list", "write apiVersion: gpuspec.dev/v1alpha1"),
    ("apiVersion: gpuspec.dev/v1alpha1\n", "1:1: `kind` is missing", "write kind: BatchInference, FineTune, Inference or Training"),
    ("apiVersion: gpuspec.dev/v1alpha1\nkind: training\n", '2:7: `kind` is "training", which is not a workload', "did you mean `Training`?"),
    ("apiVersion: gpuspec.dev/v1alpha1\nkind: batch-inference\n", '2:7: `kind` is "batch-inference", which is not a workload', "did you mean `BatchInference`?"),
    ("apiVersion: gpuspec.dev/v1alpha1\nkind: Pod\n", '2:7: `kind` is "Pod", which is not a workload', "write kind: BatchInference, FineTune, Inference or Training"),
    ("apiVersion: gpuspec.dev/v1alpha1\nkind: {a: b}\n", "2:7: `kind` is a mapping, which is not a workload", "write kind: BatchInference, FineTune, Inference or Training"),
    ("[1, 2]\n", "1:1: a workload is a mapping with apiVersion, kind, metadata and spec, not a list", None),
    ("hello\n", '1:1: a workload is a mapping with apiVersion, kind, metadata and spec, not "hello"', None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "hint"), HEADS)
def test_head(text: str, message: str, hint: str | None, problems: Problems) -> None:
    (found,) = problems(text)
    assert str(found) == f"w.yaml:{message}" + (f"\n  {hint}" if hint else "")


def test_both_lines_of_a_foreign_document_are_named(problems: Problems) -> None:
    found = problems("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n")
    assert [str(p.place) for p in found] == ["w.yaml:1:13", "w.yaml:2:7"]
    assert found[0].hint is not None
    assert found[0].hint.startswith(
        "pass manifests to `gpuspec lint`, `fit` or `diff`; or write api"
    )


@pytest.mark.parametrize("missing", ["metadata", "spec"])
def test_what_every_document_has(missing: str, make: Make, problems: Problems) -> None:
    text = make("Training", "").text
    lines = [line for line in text.split("\n") if not line.startswith((missing, "  "))]
    messages = [found.message for found in problems("\n".join(lines))]
    assert f"`{missing}` is missing" in messages


def test_all_problems_come_at_once_in_the_order_of_the_text(make: Make, problems: Problems) -> None:
    text = make(
        "Inference",
        "runtime: vlm\n"
        "metadata: {name: w, labels: {app.kubernetes.io/name: x}}\n"
        "gpu: {count: four, models: [H100]}\n"
        "sead: 1\n"
        "replicas: {min: 3, max: 2}\n"
        "resources: {memory: 6GB, cpu: 4, cpuLimit: 1}\n"
        "env:\n  A: null\n  HF_TOKEN: x\n",
    ).text
    found = problems(text)
    assert [(p.place and p.place.line, p.message) for p in found] == [
        (3, 'label "app.kubernetes.io/name" is set by gpuspec'),
        (6, f'`spec.runtime`: expected {either(sorted(runtimes.names()))}, not "vlm"'),
        (8, '`spec.gpu.count`: expected a whole number, not "four"'),
        (9, "unknown field `spec.sead`"),
        (10, "min 3 is above max 2"),
        (11, '`spec.resources.memory`: "6GB" is not a Kubernetes quantity'),
        (11, "the CPU limit 1 is below the request 4"),
        (13, "`spec.env.A` has no value"),
        (14, "`HF_TOKEN` is a credential in plain text"),
    ]


DEPENDENT = [
    # What rests on a malformed part is not believed.
    ("Inference", "gpu: {count: four}\nparallelism: {tensor: 3}"),
    ("Inference", "runtime: custom\nexpose: {port: eighty}\nprobes: {readiness: {path: /r}}"),
    ("Inference", "runtime: custom\nexpose: {port: 8080}\nprobes: {redyness: {path: /r}}"),
    ("Inference", "model: {id: m, source: {pvc: a, hob: {}}}\nexpose: {containerPort: a}"),
    ("Inference", "latency: realxed\ncapacity: spot"),
    ("Inference", "replicas: {min: 2, max: one}"),
    ("Training", "volumes: [{mount: data, pvc: a}]\nsidecars: [{name: a, image: a, mounts: [{volume: data, path: /x}]}]"),
    ("Training", "env: {A: {secret: a, key: 1}}"),
    ("Training", "user: {uid: 0}\nwaivers: {root: 1}"),
    ("Training", "workers: two\noverrides: [{kind: Service, patch: {a: b}}]"),
    ("BatchInference", "schedule: {corn: '@daily'}\noverrides: [{kind: CronJob, patch: {a: b}}]"),
    ("BatchInference", "shards: {count: ten, parallelism: 4}"),
    ("Training", "resources: {memory: 6GB, shm: 4Gi}"),
    ("ClusterProfile", "pools: [{name: a, gpu: {model: T4}, architecture: arm64}]"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "fields"), DEPENDENT)
def test_rules_leave_malformed_parts_alone(
    kind: str, fields: str, make: Make, problems: Problems
) -> None:
    allowed = ("expected", "unknown field", "is missing", "quantity", "an absolute path")
    for found in problems(make(kind, fields).text):
        assert any(word in found.message for word in allowed), found


def test_a_problem_shows_no_more_than_it_must(make: Make, problems: Problems) -> None:
    fields = f'gpu: {{interconnect: "{"x" * 5000}"}}\n"{"k" * 900}": 1\nowner: "a\\e[31m\\nb"'
    found = problems(make("Training", "").text + "".join(f"  {f}\n" for f in fields.split("\n")))
    assert len(found) == 3
    for problem in found:
        assert len(problem.message) < 200
        assert problem.message.isprintable()
