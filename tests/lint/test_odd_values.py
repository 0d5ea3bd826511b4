"""A value of any type at any place of a manifest is linted without a failure of the program."""

import contextlib
import copy
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec import InputError
from tests.fuzz.seeds import texts

TRIES = 60
VALUES: tuple[Any, ...] = (
    *(True, 0, -1, 1.5, 10**30, "", "a", "1e999", None),
    *([], {}, [True], [None], ["a"], [[]], [{"a": 1}]),
    *({"a": "b"}, {"a": None}, {"a": {"b": [1]}}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a value."""
    items: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


def changed(documents: list[Any], random: Random) -> list[Any]:
    """The documents with another value at one or two of their places."""
    documents = copy.deepcopy(documents)
    for _ in range(random.choice((1, 1, 2))):
        *steps, last = random.choice([place for place in places(documents) if len(place) > 1])
        holder: Any = documents
        for step in steps:
            holder = holder[step]
        value = copy.deepcopy(random.choice(VALUES))
        if isinstance(holder[last], dict) and random.random() < 0.4:
            holder[last]["zzz"] = value
        else:
            holder[last] = value
    return documents


@cache
def manifests() -> list[list[Any]]:
    """The texts that hold maps, each as its documents."""
    found = []
    for text in texts("manifests"):
        try:
            documents = list(yaml.load_all(text, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue
        if documents and all(isinstance(document, dict) and document for document in documents):
            found.append(documents)
    return found


@pytest.mark.parametrize("number", range(25))
def test_odd_values_are_linted(number: int) -> None:
    random = Random(number)
    every = manifests()
    for _ in range(TRIES):
        text = yaml.safe_dump_all(changed(random.choice(every), random))
        with contextlib.suppress(InputError):
            gpuspec.lint_text(text, "odd.yaml", severity="info")


POD = {
    "name": "a",
    "image": "vllm/vllm-openai:v0.33.0",
    "resources": {"limits": {"nvidia.com/gpu": 1}},
}
"""A container with a GPU."""
EXISTS = {"operator": "Exists"}
UNHASHABLE: dict[str, dict[str, Any]] = {
    "the key of a toleration": {
        "containers": [POD],
        "tolerations": [EXISTS, {**EXISTS, "key": ["a"], "tolerationSeconds": 3}],
    },
    "the name of a mount": {
        "containers": [POD],
        "initContainers": [{**POD, "volumeMounts": [{"name": ["a"], "mountPath": "/app"}]}],
    },
}


@pytest.mark.parametrize("place", UNHASHABLE)
def test_a_list_in_place_of_a_name(place: str) -> None:
    labels = {"app": "a"}
    replicated = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": UNHASHABLE[place]},
        },
    }
    found = gpuspec.lint_text(yaml.safe_dump(replicated), "odd.yaml").findings
    assert "GPU011" in {finding.rule for finding in found}


@pytest.mark.parametrize("depth", [90, 700, 900, 950, 5000])
def test_json_in_a_text_nests_deep(depth: int) -> None:
    text = '{"cpu_bytes_to_use":' * depth + "1" + "}" * depth
    words = ["/m", "--kv-transfer-config", text, "--speculative-config", text]
    annotations = {"networking.gke.io/interfaces": text, "k8s.v1.cni.cncf.io/networks": f"[{text}]"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "annotations": annotations},
        "spec": {"containers": [{**POD, "args": words}]},
    }
    network = {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "a", "annotations": {"k8s.v1.cni.cncf.io/resourceName": "a/b"}},
        "spec": {"config": text},
    }
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "kserve"},
        "data": {"storageInitializer": text, "inferenceService": text},
    }
    gpuspec.lint_text(yaml.safe_dump_all([pod, network, config]), "odd.yaml")
