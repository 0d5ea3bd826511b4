"""Workloads and profiles in few words, and what became of them."""

import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import gpuspec
from gpuspec import runtimes

TESTS = Path(__file__).parents[1]
Values = dict[str, Any]


ALONE = [name for name in runtimes.names() if name != "custom" and not runtimes.get(name).clustered]
"""Model servers that start in a pod of their own."""


def image_of(runtime: str) -> str:
    """An image by which a runtime is recognised, of no version that can be read; any for `custom`."""
    known = runtimes.get(runtime).images
    name = known[0].repositories[0] if known else "example/own"
    return f"eu.example.com/{name.replace('*', 'any')}:latest"


class Made:
    """One workload rendered on one profile."""

    def __init__(self, rendering: gpuspec.Rendering) -> None:
        self.rendering = rendering
        self.objects: list[Values] = rendering.objects

    def kinds(self) -> list[str]:
        return [made["kind"] for made in self.objects]

    def one(self, kind: str, name: str | None = None) -> Values:
        found = [
            o for o in self.objects if o["kind"] == kind and name in (None, o["metadata"]["name"])
        ]
        assert found, f"no {kind} among {self.kinds()}"
        return found[0]

    @property
    def workload(self) -> Values:
        """The object that carries the pods."""
        carriers = ("Deployment", "Job", "CronJob")
        return next(made for made in self.objects if made["kind"] in carriers)

    @property
    def job(self) -> Values:
        """The spec of the Job."""
        made = self.workload["spec"]
        return made["jobTemplate"]["spec"] if self.workload["kind"] == "CronJob" else made

    @property
    def template(self) -> Values:
        return self.job["template"]

    @property
    def pod(self) -> Values:
        return self.template["spec"]

    @property
    def main(self) -> Values:
        return self.pod["containers"][0]

    def helper(self, name: str) -> Values:
        return next(c for c in self.pod["initContainers"] if c["name"] == name)

    @property
    def env(self) -> Values:
        """The main container's environment: values, or the references that stand for them."""
        return env(self.main)

    @property
    def requests(self) -> Values:
        return self.main["resources"]["requests"]

    @property
    def limits(self) -> Values:
        return self.main["resources"]["limits"]

    @property
    def mounts(self) -> Values:
        return {mount["mountPath"]: mount for mount in self.main["volumeMounts"]}

    @property
    def volumes(self) -> Values:
        return {volume["name"]: volume for volume in self.pod["volumes"]}

    @property
    def terms(self) -> list[list[Values]]:
        """The required node affinity: alternatives, each a list of expressions."""
        required = self.pod["affinity"]["nodeAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        return [term["matchExpressions"] for term in required["nodeSelectorTerms"]]

    def loud(self) -> str:
        """What is said on standard error."""
        return "\n".join(note.sentence for note in self.rendering.notes if note.loud)

    def notes(self) -> str:
        return "\n".join(note.sentence for note in self.rendering.notes)

    def reason(self, path: str) -> str:
        """Why a field of the workload's object is what it is."""
        name = self.workload["metadata"]["name"]
        found = {
            d.path: d.reason for d in self.rendering.explanations() if d.object.endswith(f" {name}")
        }
        return found[path]


Make = Callable[..., Made]
Refused = Callable[..., str]


def env(container: Values) -> Values:
    return {e["name"]: e.get("value", e.get("valueFrom")) for e in container.get("env", [])}


def pool(name: str = "a100", model: str = "A100-80GB", count: int = 8, **fields: Any) -> Values:
    """A pool; of A100 unless said otherwise, on nodes of 8 × 16 CPUs and 128Gi for each GPU."""
    return {
        "name": name,
        "gpu": {"model": model, "count": count},
        "allocatable": {
            "cpu": 16 * count + 4,
            "memory": f"{128 * count + 16}Gi",
            "ephemeralStorage": f"{200 * count + 100}Gi",
        },
        "reserved": {"cpu": 4, "memory": "16Gi", "ephemeralStorage": "100Gi"},
        "labels": {"example.com/pool": name},
        "taints": [{"key": "nvidia.com/gpu", "value": "present"}],
        **fields,
    }


def cluster(*pools: Values, **fields: Any) -> Values:
    """A profile with these pools."""
    return {
        "apiVersion": "gpuspec.dev/v1alpha1",
        "kind": "ClusterProfile",
        "metadata": {"name": "here"},
        "spec": {"kubernetes": "1.36", "pools": list(pools), **fields},
    }


BASE: dict[str, Values] = {
    "Training": {
        "image": "ghcr.io/example/train:1",
        "command": ["python", "-m", "train"],
        "duration": {"expected": "40m"},
    },
    "FineTune": {
        "duration": {"expected": "40m"},
        "image": "ghcr.io/example/tune:1",
        "command": ["python", "-m", "tune"],
        "baseModel": {"id": "org/base", "size": "16Gi", "source": {"pvc": "weights"}},
    },
    "BatchInference": {"image": "ghcr.io/example/score:1", "command": ["python", "-m", "score"]},
    "Inference": {
        "runtime": "vllm",
        "image": "vllm/vllm-openai:v0.33.0",
        "model": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}},
    },
}


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Render a workload of a kind with these fields, on a profile (`generic` unless given)."""
    folder = tmp_path_factory.mktemp("specs")

    def render(
        kind: str,
        profile: Values | None = None,
        *,
        name: str = "work",
        namespace: str = "default",
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
        **spec: Any,
    ) -> Made:
        own = {"labels": labels or {}, "annotations": annotations or {}}
        document = {
            "apiVersion": "gpuspec.dev/v1alpha1",
            "kind": kind,
            "metadata": {"name": name, "namespace": namespace, **own},
            "spec": {**BASE[kind], **spec},
        }
        (folder / "spec.yaml").write_text(json.dumps(document))
        (workload,) = gpuspec.load(str(folder / "spec.yaml"))
        if profile is None:
            return Made(gpuspec.render(workload))
        (folder / "profile.yaml").write_text(json.dumps(profile))
        (known,) = gpuspec.load_profiles(str(folder / "profile.yaml"))
        return Made(gpuspec.render(workload, known))

    return render


@pytest.fixture(scope="session")
def refused(make: Make) -> Refused:
    """Render what the profile cannot carry; the reasons."""

    def reasons(kind: str, profile: Values | None = None, **spec: Any) -> str:
        with pytest.raises(gpuspec.Refusal) as caught:
            make(kind, profile, **spec)
        return "\n".join(reason.text for reason in caught.value.reasons)

    return reasons


@pytest.fixture(scope="session")
def pod_security() -> ModuleType:
    """The independent check of the Pod Security Standards."""
    path = TESTS / "pod_security.py"
    spec = importlib.util.spec_from_file_location("tests_pod_security", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def words() -> ModuleType:
    """The builders of this file: `words.pool`, `words.cluster`, `words.env`, `words.number`."""
    return sys.modules[__name__]


_UNITS = {"": 1, "m": 0.001, "Mi": 2**20, "Gi": 2**30}


def number(quantity: str) -> float:
    """A quantity in plain units, read apart from the code under test."""
    match = re.fullmatch(r"([0-9.]+)(m|Mi|Gi|)", str(quantity))
    assert match, quantity
    return float(match[1]) * _UNITS[match[2]]
