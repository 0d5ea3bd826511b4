"""A parameter of `ray start` whose quotes the shell takes away."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from gpuspec.kinds.ray import CLUSTERS
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU871",
    "ray-parameter-unquoted",
    "warning",
    "The shell removes the quotes of JSON in a Ray start parameter",
    fix="unsafe",
)

_LONGEST = 80
"""The longest value that is shown, in characters."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the parameters of the head and of each group of workers."""
    inside = CLUSTERS.get(obj.kind)
    if inside is None:
        return
    cluster = mapping(at(obj.value, inside))
    for steps in (
        ("headGroupSpec",),
        *(
            ("workerGroupSpecs", index)
            for index, _ in enumerate(items(cluster.get("workerGroupSpecs")))
        ),
    ):
        params = mapping(at(cluster, (*steps, "rayStartParams")))
        for name, value in params.items():
            if isinstance(value, str) and _loses_quotes(value):
                yield _found(obj.path(*inside, *steps, "rayStartParams", name), name, value)


def _loses_quotes(value: str) -> bool:
    """Return whether a value is JSON as written, but not after a shell has removed its quotes."""
    if not value.lstrip().startswith("{") or not isinstance(_json(value), dict):
        return False
    try:
        words = shlex.split(value)
    except ValueError:
        return True
    return len(words) != 1 or _json(words[0]) is None


def _json(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return None


def _found(path: Path, name: str, value: str) -> RawFinding:
    quoted = f"'{value}'"
    return RawFinding(
        path,
        f"KubeRay writes `{name}` into a shell command, and the shell removes the quotes of this "
        "JSON: `ray start` fails, and the pods crash repeatedly",
        note=f"write `{name}: {json.dumps(quoted)}`: the shell needs quotes of its own"
        if len(quoted) <= _LONGEST
        else "write single quotes around the JSON, inside the quotes of YAML",
        fix=Fix("quote it for the shell", (Put(path, quoted),)) if "'" not in value else None,
    )
