"""Each field of the schema, set, changes the objects or is spoken of."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import gpuspec
from tests.plan.conftest import BASE, Make, Values
from tests.plan.field_values import (
    ASKING,
    BESIDE,
    CHOOSING,
    HUB,
    OF_A_TYPE,
    PROBE,
    PROFILE,
    SERVED,
    SMALL,
    VALUES,
)


def decisions(
    schema: Values, whole: Values, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, list[Any]]]:
    """Every field that holds no further fields, with values that it takes."""
    for name, field in resolved(schema, whole)["properties"].items():
        for choice in field.get("anyOf", [field]):
            inner = resolved(choice, whole)
            if "properties" in inner:
                yield from decisions(inner, whole, (*path, name))
                continue
            found = [*field.get("examples", []), *inner.get("enum", [])]
            found += OF_A_TYPE.get(str(inner.get("type")), [])
            yield ".".join((*path, name)), found


def varied(text: str) -> str:
    """Another value of the same form: `40m` of `30m`, `datax` of `data`."""
    digit = re.search(r"[0-9]", text)
    return text.replace(digit[0], "2" if digit[0] != "2" else "3", 1) if digit else f"{text}x"


def resolved(schema: Values, whole: Values) -> Values:
    """A part of the schema, or what it refers to."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return whole["$defs"][name] if name else schema


def beside(kind: str, path: str) -> Values:
    """What stands beside a field; of prefill's own replicas what stands beside the server's."""
    if path.startswith("prefill.replicas.") and path not in BESIDE:
        return {"prefill": beside(kind, path.removeprefix("prefill."))}
    known = {**BESIDE, **SERVED} if kind == "Inference" else BESIDE
    if path in CHOOSING:
        return SMALL
    fits = [one for one in known if path == one or path.startswith(f"{one}.")]
    return known[max(fits, key=len)] if fits else {}


def told(make: Make, kind: str, spec: Values, path: str, value: object) -> tuple[str, str] | None:
    """The objects and the notes with a field; None where its spec is refused, which says enough."""
    changed: Values = json.loads(json.dumps(spec))
    at = changed
    *folders, last = path.split(".")
    for folder in folders:
        if not isinstance(at.get(folder), dict):
            at[folder] = {}
        at = at[folder]
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value
    try:
        profile = {
            **PROFILE,
            "spec": {**PROFILE["spec"], **ASKING.get(path.removeprefix("prefill."), {})},
        }
        made = make(kind, profile, **changed)
    except (gpuspec.InputError, gpuspec.Refusal):
        return None
    text = json.dumps(made.objects, sort_keys=True)
    text = re.sub(r"work-[0-9a-f]{8}", "work", re.sub(r"gpuspec.dev/digest\": \"[^\"]*", "", text))
    return text, made.notes()


FIELDS = [
    (kind, path, values)
    for kind in BASE
    for path, values in decisions(gpuspec.schema(kind)["properties"]["spec"], gpuspec.schema(kind))
]


@pytest.mark.parametrize(("kind", "path", "values"), FIELDS, ids=lambda one: str(one)[:40])
def test_a_field_changes_the_objects_or_is_spoken_of(
    make: Make, kind: str, path: str, values: list[Any]
) -> None:
    spec = beside(kind, path)
    given = VALUES.get(path, [])
    tried = given or [*values, *(varied(one) for one in values if isinstance(one, str))]
    answers = [told(make, kind, spec, path, value) for value in (None, *tried)]
    # What is refused says enough where it is meant to be; else a value may merely be no good one.
    first, *others = [one for one in answers if one is not None or given]
    assert any(one != first for one in others)


NIM = {"runtime": "nim", "image": "nvcr.io/nim/meta/llama:1.8"}


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        (
            "Training",
            {"dataLoaders": 4, "resources": {"shm": "8Gi", "memory": "64Gi"}},
            "dataLoaders",
        ),
        (
            "Inference",
            {"availability": {"zones": "hard"}},
            "availability.zones: it has no effect on one replica",
        ),
        ("Inference", {"replicas": {"min": 2, "max": 2, "signal": "cache"}}, "nothing scales them"),
        (
            "Inference",
            {"replicas": {"min": 1, "max": 2, "signal": "cache", "metric": "m", "target": 1}},
            "replicas.signal: metric m replaces it",
        ),
        (
            "Inference",
            {"startup": {"budget": "1h"}, "probes": {"startup": {**PROBE, "failures": 9}}},
            "probes.startup.failures follows from startup.budget",
        ),
        (
            "FineTune",
            {"baseModel": {"id": "a/b", "source": {"pvc": "w", "path": "llama"}}},
            "the program does not know that the weights are at /models/llama",
        ),
        (
            "Inference",
            {"model": {"id": "a/b", "source": {"hub": {"tokenKey": "other"}}}},
            "no tokenSecret is named",
        ),
        ("Inference", {"runtime": "sglang"}, "the image is one of vLLM, but it is started"),
        (
            "Inference",
            {"model": HUB, "args": ["--model", "org/other"]},
            "`--model` in args makes vLLM serve org/other, but model.id is org/model",
        ),
        (
            "Inference",
            {**NIM, "model": HUB, "env": {"NIM_MODEL_NAME": "hf://org/other"}},
            "env NIM_MODEL_NAME makes NVIDIA NIM for LLMs serve org/other",
        ),
        (
            "Inference",
            {
                **NIM,
                "model": {"id": "a/b", "size": "16Gi", "source": {"hub": {"tokenSecret": "hf"}}},
            },
            "gets Secret hf as NGC_API_KEY",
        ),
        (
            "Inference",
            {
                "model": {"id": "a/b", "source": {"hub": {"tokenSecret": "hf"}}},
                "env": {"HF_TOKEN": {"secret": "mine", "key": "token"}},
            },
            "env sets HF_TOKEN, so the token of Secret hf is not used",
        ),
    ],
)
def test_what_takes_a_fields_place_is_said_aloud(
    make: Make, kind: str, spec: Values, said: str
) -> None:
    assert said in make(kind, PROFILE, **spec).loud()


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Inference", {"runtime": "sglang", "command": ["python3", "-m", "sglang.launch_server"]}),
        ("Inference", {"model": HUB, "args": ["--model=org/model"]}),
        (
            "Inference",
            {
                **NIM,
                "model": {"id": "a/b", "size": "16Gi", "source": {"hub": {"tokenSecret": "ngc"}}},
            },
        ),
        (
            "FineTune",
            {
                "baseModel": {"id": "a/b", "source": {"pvc": "w", "path": "llama"}},
                "args": ["--base", "/models/llama"],
            },
        ),
        ("Training", {"checkpoint": {"pvc": "kept", "every": "1h"}}),
    ],
)
def test_what_agrees_is_not_spoken_of(make: Make, kind: str, spec: Values) -> None:
    loud = make(kind, PROFILE, **spec).rendering.notes
    assert [one.text for one in loud if one.loud and not one.assumed] == []
