"""What a cluster with an operator answers to a create, without one: its own code, built by `install` beside.

The judgement of the operator's CustomResourceDefinitions, its webhooks and its controllers on what an
object is, not on what a cluster has: see `operator-judge/main.go`. Of what its own operator has filled in and
not refused, Kueue's webhooks are asked too, where a key of an object says that it is there.
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
from tests.refusals import judge as server
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
    "serving.kserve.io/v1alpha2": "kserve",
    "serving.kserve.io/v1beta1": "kserve",
    "kubeflow.org/v2beta1": "mpi",
    "kubeflow.org/v1": "training_operator",
    "ray.io/v1": "ray",
}
"""Who judges the kinds of an apiVersion."""
SERVED = {"v1": {"Pod"}, "apps/v1": {"Deployment", "StatefulSet"}, "batch/v1": {"Job"}}
"""Kinds that a server has of itself, and Kueue judges."""
QUEUED = {
    **SERVED,
    "workload.codeflare.dev/v1beta2": {"AppWrapper"},
    "jobset.x-k8s.io/v1alpha2": {"JobSet"},
    "leaderworkerset.x-k8s.io/v1": {"LeaderWorkerSet"},
    "trainer.kubeflow.org/v1alpha1": {"TrainJob"},
    "kubeflow.org/v2beta1": {"MPIJob"},
    "kubeflow.org/v1": {"PyTorchJob", "TFJob", "JAXJob"},
    "ray.io/v1": {"RayCluster", "RayJob", "RayService"},
}
"""The kinds of others that Kueue judges."""
_KEY_OF_KUEUE = re.compile(r'"kueue\.x-k8s\.io/[^"]+":')


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
    object: msgspec.Raw = msgspec.Raw()
    """What was judged, with all that is filled in; empty where it is not known."""

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
    texts = [one if isinstance(one, str) else json.dumps(one) for one in objects]
    asked: defaultdict[str, list[int]] = defaultdict(list)
    waiting: list[int] = []
    for index, text in enumerate(texts):
        read = json.loads(text)
        asked[GROUPS.get(read["apiVersion"], "")].append(index)
        if read["kind"] in QUEUED.get(read["apiVersion"], ()) and _KEY_OF_KUEUE.search(text):
            waiting.append(index)
    verdicts: dict[int, Verdict] = {}
    for name, indexes in asked.items():
        parts = [texts[index] for index in indexes]
        answers = _ask(name, parts, parts) if name else _served(parts)
        verdicts.update(zip(indexes, answers, strict=True))
    waiting = [index for index in waiting if verdicts[index].by != "schema"]
    filled = [bytes(verdicts[index].object).decode() or texts[index] for index in waiting]
    answers = _ask("kueue", filled, [texts[index] for index in waiting]) if waiting else []
    for index, answer in zip(waiting, answers, strict=True):
        verdicts[index] = _both(verdicts[index], answer)
    return [verdicts[index] for index in range(len(texts))]


def _both(own: Verdict, answer: Verdict) -> Verdict:
    """What the operator of a job and Kueue say of it."""
    if answer.accepted:
        return own
    return Verdict((*own.errors, *answer.errors), own.warnings, answer.by)


def _served(texts: list[str]) -> list[Verdict]:
    """What a server says of kinds that it has of itself, before it asks a webhook."""
    return [
        Verdict(one.errors, one.warnings, "" if one.accepted else "schema")
        for one in server.judge(texts)
    ]


def _ask(name: str, texts: list[str], written: list[str]) -> list[Verdict]:
    """What an operator's judge says of some texts; fields are those of what was written."""
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
        for verdict, text in zip(verdicts, written, strict=True)
    ]
