"""What holds of every target, on every example and every profile with all that targets need.

Nothing here names a target: one that is added is held to all of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.kinds import kind_of, pod_paths
from gpuspec.manifests import format_path
from gpuspec.runtimes import get
from gpuspec.targets import names, target_of
from gpuspec.validation import validate
from tests.targets.carried import (
    CHOSEN,
    PROFILES,
    both,
    carried,
    carrier,
    equipped,
    holder,
    is_flat,
    scalars,
    usual,
    written,
)


def test_every_target_carries_something() -> None:
    for target in names():
        assert any(carried(target, profile) for profile in PROFILES), target
    for target in CHOSEN:
        if any(get(name).clustered for name in target_of(target).runtimes):
            continue  # nothing else carries what runs in a cluster
        assert any([*usual(target, profile)] for profile in PROFILES), target


@both
def test_its_objects_are_valid_and_its_kind_is_known(target: str, profile: str) -> None:
    known = target_of(target)
    version = equipped(profile).spec.kubernetes
    for name, made in carried(target, profile).items():
        for one in made.objects:
            assert validate(one, version) == (), name
        own = carrier(made)
        assert own["apiVersion"] == known.api
        assert pod_paths(holder(made)) or is_flat(made), name
        kind = kind_of(known.api.rpartition("/")[0], known.kind)
        assert kind is not None
        assert kind.runs_once is known.once
        if known.ranks is not None and kind.pod_label:
            assert kind.pod_label == known.ranks.pods


QUEUED = {"kueue": "kueue.x-k8s.io/queue-name': 'research'", "volcano": "'queue': 'research'"}
"""How an object names its queue, by whose it is."""


@pytest.mark.parametrize("target", names())
def test_a_queue_is_on_its_object_or_refused(target: str) -> None:
    """It is never dropped."""
    known, profile = target_of(target), equipped("generic", kueue="0.19")
    made = next(iter(carried(target, "generic").values()))
    asked: dict[str, Any] = {"queue": "research", "priority": None}
    if known.scaling == "own":
        asked["replicas"] = 2  # a queue asks how many there are
    spec = replace(made.resolution.spec, **asked)
    workload = replace(
        made.resolution.workload, model=replace(made.resolution.workload.model, spec=spec)
    )
    try:
        queued = gpuspec.render(workload, profile, target=target)
    except gpuspec.Refusal as refusal:
        (reason,) = refusal.reasons
        assert reason.text == f"pods of target {target} are not queued"
        assert not known.queued
    else:
        assert known.queued
        assert QUEUED[known.queues] in str(carrier(queued))


@both
def test_every_value_has_a_reason(target: str, profile: str) -> None:
    for name, made in carried(target, profile).items():
        for one in made.rendered:
            bare = {format_path(path) for path in scalars(one.value) if one.decision(path) is None}
            assert bare == {"apiVersion", "kind"}, name


@both
def test_the_linter_finds_nothing(target: str, profile: str, tmp_path: Path) -> None:
    if made := [*carried(target, profile).values()]:
        file = written(tmp_path, made)
        found = gpuspec.lint(file, profile=equipped(profile), fixes=False).findings
        # A profile that says nothing of the groups of device files leaves both with the same doubt.
        untold = any("gpu.groups" in note.text for one in made for note in one.notes)
        # Kueue leaves some kinds alone as it comes: both say so.
        unlisted = any("configuration lists" in note.text for one in made for note in one.notes)
        doubts = {"GPU622": untold, "GPU719": unlisted}
        assert {one.rule for one in found} == {rule for rule, held in doubts.items() if held}


@both
def test_the_object_with_the_pods_alone_says_where_it_came_from(target: str, profile: str) -> None:
    """C-45: one of another API too; and no pod says it, which would restart it.

    Nor does an object whose annotations its controller copies into the pods.
    """
    own = target_of(target)
    for made in carried(target, profile).values():
        for one in made.objects:
            metadata = one["metadata"]
            component = metadata["labels"]["app.kubernetes.io/component"]
            beside = component in ("placeholder", "router", "endpoint-picker")
            carries = one["kind"] == own.kind and not beside and not own.copied
            assert ("gpuspec.dev/digest" in metadata.get("annotations", {})) == carries, one["kind"]
            assert "gpuspec.dev/digest" not in json.dumps({**one, "metadata": None})
