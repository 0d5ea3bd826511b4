"""`--set NAME:path=value`: typed and checked like the spec, and named where it is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuspec.manifests import InputError, Quantity
from gpuspec.spec import TrainingSpec, load_workloads

WithSet = Callable[..., dict[str, Any]]

TEXT = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: train}
spec:
  image: ghcr.io/example/w:1
  gpu: {models: [T4, L4]}
  workers: 1
---
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: chat, namespace: serving}
spec:
  runtime: vllm
  image: ghcr.io/example/w:1
  model: {id: org/m, source: {pvc: weights}}
  replicas: {min: 1, max: 2}
"""


@pytest.fixture
def with_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WithSet:
    """The models by name, with these options."""
    monkeypatch.chdir(tmp_path)
    Path("w.yaml").write_text(TEXT, encoding="utf-8")

    def load(*options: str) -> dict[str, Any]:
        return {w.name: w.model for w in load_workloads(["w.yaml"], options)}

    return load


def refusal(load: Callable[..., object], *options: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(*options)
    return [str(problem) for problem in caught.value.problems]


def test_values_are_read_as_yaml(with_set: WithSet) -> None:
    made = with_set(
        "train:workers=3",
        "train:gpu.models[1]=H100-80GB",
        "train:gpu.memory=14Gi",
        "train:command=[python, -m, train]",
        'train:env.WHEN="on"',
        "train:env.EMPTY=",
        'train:env["a.b"]=1e3',
        "train:run=2026-06-01",
        "chat:replicas=4",
    )
    spec = made["train"].spec
    assert spec.workers == 3
    assert spec.gpu.models == ("T4", "H100-80GB")
    assert spec.gpu.memory == Quantity.parse("14Gi")
    assert spec.command == ("python", "-m", "train")
    assert spec.env["WHEN"] == "on"
    assert spec.env["EMPTY"] == ""
    assert spec.env["a.b"] == 1000
    assert spec.run == "2026-06-01"
    assert made["chat"].spec.replicas == 4


def test_an_environment_name_with_an_equals_sign_is_the_rules_affair(with_set: WithSet) -> None:
    (said,) = refusal(with_set, 'train:env["x=y"]=1')
    assert said.startswith('--set train:env["x=y"]=1: "x=y" is not a name')


def test_missing_mappings_are_made(with_set: WithSet) -> None:
    made = with_set("train:checkpoint.pvc=c", "train:checkpoint.every=10m")
    assert made["train"].spec.checkpoint.every.seconds == 600


def test_metadata_is_a_root_and_spec_may_be_said(with_set: WithSet) -> None:
    made = with_set("chat:metadata.namespace=prod", "train:spec.workers=2")
    assert made["chat"].metadata.namespace == "prod"
    assert made["train"].spec.workers == 2


def test_the_last_one_wins(with_set: WithSet) -> None:
    assert with_set("train:workers=2", "train:workers=3")["train"].spec.workers == 3


def test_a_setting_mends_what_the_file_has_wrong(with_set: WithSet) -> None:
    Path("w.yaml").write_text(TEXT.replace("workers: 1", "workers: one"), encoding="utf-8")
    assert with_set("train:workers=2")["train"].spec.workers == 2


HINT = "\n  write NAME:path=value, such as chat:replicas=3 or chat:gpu.count=4"
CASES = [
    ("train:workers=two", '--set train:workers=two: `spec.workers`: expected a whole number, not "two"'),
    ("train:wrokers=2", "--set train:wrokers=2: unknown field `spec.wrokers`\n  did you mean `workers`?"),
    ("train:gpu={count: 0}", "--set train:gpu={count: 0}: `spec.gpu.count`: 0 is below 1"),
    ("tarin:workers=2", '--set tarin:workers=2: no workload "tarin"\n  did you mean `train`?'),
    ("xyz:workers=2", '--set xyz:workers=2: no workload "xyz"\n  existing workloads: chat, train'),
    ("workers=2", "--set workers=2: not understood" + HINT),
    ("train:workers", "--set train:workers: not understood" + HINT),
    ("train:=2", "--set train:=2: not understood" + HINT),
    (":workers=2", "--set :workers=2: not understood" + HINT),
    ("", "--set : not understood" + HINT),
    ("train:gpu..count=1", "--set train:gpu..count=1: not a path at column 4 of 'gpu..count': write steps like spec.containers[0].resources.limits[\"nvidia.com/gpu\"]" + HINT),
    ("train:gpu.models[2]=T4", ("--set train:gpu.models[2]=T4: `spec.gpu.models` is a list of 2 items, so it "
"has no item [2]") + HINT),
    ("train:gpu.models.x=T4", ("--set train:gpu.models.x=T4: `spec.gpu.models` is a list of 2 items, so it "
"has no field `x`") + HINT),
    ("train:image.tag=2", ("--set train:image.tag=2: `spec.image` is \"ghcr.io/example/w:1\", so it has no "
"field `tag`") + HINT),
    ("train:sidecars[0].name=x", ("--set train:sidecars[0].name=x: `spec.sidecars` is a mapping, so it has no "
"item [0]") + HINT),
    ("train:owner=null", '--set train:owner=null: "null" is not a value\n  put it in quotes'),
    ("train:owner=# x", '--set train:owner=# x: "# x" is not a value\n  put it in quotes'),
    ("train:owner={a: null}", "--set train:owner={a: null}: `spec.owner.a` has no value\n  delete the key, or set a value"),
    ("train:metadata.name=x", "--set train:metadata.name=x: workloads are found by name, which cannot be set\n  change the name in its file"),
    ("train:owner=a\n---\nb", "--set train:owner=a\\n---\\nb: a value is a single YAML document" + HINT),
]  # fmt: skip


@pytest.mark.parametrize(("option", "said"), CASES, ids=[option for option, _ in CASES])
def test_refused(option: str, said: str, with_set: WithSet) -> None:
    assert refusal(with_set, option)[0] == said


def test_yaml_that_does_not_parse(with_set: WithSet) -> None:
    (said,) = refusal(with_set, "train:gpu={count: 1")
    assert said.startswith("--set train:gpu={count: 1: ")
    (said,) = refusal(with_set, "train:gpu={count: 1, count: 2}")
    assert "duplicate key 'count'" in said


def test_all_that_is_wrong_comes_at_once(with_set: WithSet) -> None:
    Path("w.yaml").write_text(TEXT.replace("runtime: vllm", "runtime: vlm"), encoding="utf-8")
    said = refusal(with_set, "xyz:a=1", "tarin:a=1", "train:image.x=1")
    assert [line.partition(": ")[0] for line in said] == [
        "--set xyz:a=1",
        "--set tarin:a=1",
        "--set train:image.x=1",
        "w.yaml:13:12",
    ]


def test_one_name_in_two_namespaces_means_both(tmp_path: Path, with_set: WithSet) -> None:
    more = TEXT.split("---\n", maxsplit=1)[0].replace(
        "name: train", "name: train, namespace: other"
    )
    (tmp_path / "more.yaml").write_text(more, encoding="utf-8")
    made = load_workloads(["w.yaml", "more.yaml"], ("train:workers=5",))
    specs = [w.model.spec for w in made if w.name == "train"]
    assert [isinstance(spec, TrainingSpec) and spec.workers for spec in specs] == [5, 5]
