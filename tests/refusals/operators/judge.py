"""What a cluster with an operator answers to a create, without one: its own code, built by `install` beside.

The judgement of the operator's CustomResourceDefinitions, its webhooks and its controllers on what an
object is, not on what a cluster has: see `operator-judge/main.go`.
"""

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path as File
from typing import Literal, NamedTuple

import msgspec

from tests.control_plane import binaries
from tests.refusals.fields import path_of
from tests.refusals.judge import Object, Said

HERE = File(__file__).parent / "operator-judge"
DIGEST = File(__file__).parent / "digest"
GROUPS = {
    "workload.codeflare.dev/v1beta2": "appwrapper",
    "karpenter.sh/v1": "karpenter",
    "karpenter.sh/v1alpha1": "karpenter",
    "keda.sh/v1alpha1": "keda",
    "kueue.x-k8s.io/v1beta1": "kueue",
    "kueue.x-k8s.io/v1beta2": "kueue",
    "jobset.x-k8s.io/v1alpha2": "jobset",
    "leaderworkerset.x-k8s.io/v1": "lws",
    "trainer.kubeflow.org/v1alpha1": "trainer",
    "serving.kserve.io/v1alpha1": "kserve",
    "serving.kserve.io/v1beta1": "kserve",
    "kubeflow.org/v2beta1": "mpi",
    "kubeflow.org/v1": "training_operator",
    "ray.io/v1": "ray",
}
"""Who judges the kinds of an apiVersion."""


class Operator(NamedTuple):
    """One line of `operator-judge/operators`."""

    name: str
    modules: str
    module: str
    definitions: str

    @property
    def version(self) -> str:
        """The version that is pinned, such as `v0.12.0`."""
        text = (HERE / "modules" / self.modules / "go.mod").read_text(encoding="utf-8")
        found = re.search(rf"^\s*(?:require )?{re.escape(self.module)} (v\S+)", text, re.MULTILINE)
        assert found, f"{self.modules}/go.mod does not pin {self.module}"
        return found[1]


OPERATORS = {
    one.name: one
    for one in (Operator(*line.split()) for line in (HERE / "operators").read_text().splitlines())
}


class Verdict(msgspec.Struct, frozen=True):
    """What is said of one object: it is taken if there are no errors."""

    errors: tuple[Said, ...]
    warnings: tuple[str, ...]
    by: Literal["", "schema", "webhook", "controller"]
    """Who refuses it; the controller makes nothing of what has been stored."""

    @property
    def accepted(self) -> bool:
        return not self.errors


@cache
def program(name: str) -> File:
    """The judge that was built from the sources as they are. Raises `binaries.Missing`."""
    operator = OPERATORS[name]
    digest = subprocess.run(
        [DIGEST, name], capture_output=True, text=True, check=True
    ).stdout.strip()
    cache = os.environ.get("GPUSPEC_TOOLS") or File.home() / ".cache" / "gpuspec" / "tools"
    found = File(cache) / f"operator-judge-{name}-{operator.version}-{digest}" / "operator-judge"
    if not found.exists():
        raise binaries.Missing(
            f"the judge of {name} {operator.version} is not built; to build it: make refusals-tools"
        )
    return found


def judge(objects: Iterable[Object | str]) -> list[Verdict]:
    """What is answered to the create of each object, or of each text in JSON."""
    values = list(objects)
    asked: defaultdict[str, list[int]] = defaultdict(list)
    for index, value in enumerate(values):
        read = json.loads(value) if isinstance(value, str) else value
        asked[GROUPS[read["apiVersion"]]].append(index)
    verdicts: dict[int, Verdict] = {}
    for name, indexes in asked.items():
        answers = _ask(name, [values[index] for index in indexes])
        verdicts.update(zip(indexes, answers, strict=True))
    return [verdicts[index] for index in range(len(values))]


def _ask(name: str, values: list[Object | str]) -> list[Verdict]:
    texts = [one if isinstance(one, str) else json.dumps(one) for one in values]
    command = [str(program(name)), str(program(name).parent / "crds")]
    done = subprocess.run(command, input="\n".join(texts).encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    verdicts = [msgspec.json.decode(line, type=Verdict) for line in done.stdout.splitlines()]
    return [
        msgspec.structs.replace(
            verdict,
            errors=tuple(
                msgspec.structs.replace(said, path=path_of(said.field, json.loads(text)))
                for said in verdict.errors
            ),
        )
        for verdict, text in zip(verdicts, texts, strict=True)
    ]
