"""What holds of every target, on every example and every profile with all that targets need.

Nothing here names a target: one that is added is held to all of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.kinds import Part, PodPath, kind_of, pod_paths
from gpuspec.manifests import format_path
from gpuspec.plan import Case
from gpuspec.runtimes import get
from gpuspec.spec import Profile
from gpuspec.spec.knative import FEATURES, Knative
from gpuspec.targets import DEFAULTS, intent_of, names, target_of
from gpuspec.validation import validate

ROOT = Path(__file__).parents[2]
PROFILES = ["generic", *sorted(str(path) for path in (ROOT / "examples/clusters").glob("*.yaml"))]
Carried = dict[str, gpuspec.Rendering]
both = pytest.mark.parametrize(
    ("target", "profile"), [(target, profile) for target in names() for profile in PROFILES]
)
CHOSEN = sorted({*names()} - {name for name, _ in DEFAULTS.values()})
"""Targets that carry nothing unless somebody chooses them."""
instead = pytest.mark.parametrize(
    ("target", "profile"), [(target, profile) for target in CHOSEN for profile in PROFILES]
)


@cache
def equipped(name: str) -> Profile:
    """A profile that lists whatever any target needs."""
    (profile,) = gpuspec.load_profiles(name)
    needs = [target_of(target).needs for target in names()]
    there = {one.component: one.checked for one in needs if one}
    spec = replace(
        profile.spec,
        installed={**profile.spec.installed, **there},
        knative=Knative(features=FEATURES),
    )
    return replace(profile, model=replace(profile.model, spec=spec))


@cache
def carried(target: str, profile: str) -> Carried:
    """The examples of its intents that a target carries on a profile."""
    found: Carried = {}
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        for workload in gpuspec.load(str(path)):
            if intent_of(Case(workload, equipped(profile), (), ())) in target_of(target).intents:
                try:
                    made = gpuspec.render(workload, equipped(profile), target=target)
                except gpuspec.Refusal:
                    continue
                found[path.stem] = made
    return found


def usual(target: str, profile: str) -> Iterator[tuple[gpuspec.Rendering, gpuspec.Rendering]]:
    """What the target carries, beside what carries it when nobody chooses."""
    for name, made in carried(target, profile).items():
        other = carried(DEFAULTS[intent_of(made.case)][0], profile).get(name)
        if other is not None:
            yield made, other


def carrier(made: gpuspec.Rendering) -> dict[str, Any]:
    """The object that carries the pods."""
    kind, name = target_of(made.plan.target.value).kind, made.plan.name.value
    (own,) = (one for one in made.objects if (one["kind"], one["metadata"]["name"]) == (kind, name))
    return own


def holder(made: gpuspec.Rendering) -> dict[str, Any]:
    """The object that the pods lie in: the one that carries them, unless that one names it.

    Also where the one that it names is not ours to make.
    """
    template = f"{target_of(made.plan.target.value).holder}.yaml.j2"
    found = [one.value for one in made.rendered if one.template == template]
    return found[0] if found else carrier(made)


def is_flat(made: gpuspec.Rendering) -> bool:
    """Whether its object tells of a pod in words of its own, without a pod's layout."""
    own = carrier(made)
    kind = kind_of(str(own["apiVersion"]).rpartition("/")[0], str(own["kind"]))
    return kind is not None and bool(kind.flat)


def written(folder: Path, renderings: list[gpuspec.Rendering]) -> str:
    file = folder / "made.yaml"
    file.write_text(gpuspec.dump(item for one in renderings for item in one.objects))
    return str(file)


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
    known, profile = target_of(target), equipped("generic")
    installed = {**profile.spec.installed, "kueue": "0.19"}
    model = replace(profile.model, spec=replace(profile.spec, installed=installed))
    made = next(iter(carried(target, "generic").values()))
    asked: dict[str, Any] = {"queue": "research", "priority": None}
    if known.scaling == "own":
        asked["replicas"] = 2  # a queue asks how many there are
    spec = replace(made.case.spec, **asked)
    workload = replace(made.case.workload, model=replace(made.case.workload.model, spec=spec))
    try:
        queued = gpuspec.render(workload, replace(profile, model=model), target=target)
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
            bare = {format_path(path) for path in scalars(one.value) if one.leaf(path) is None}
            assert bare == {"apiVersion", "kind"}, name


def scalars(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            yield from scalars(inner, (*path, step))
    else:
        yield path


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


# Where pods may differ by who carries them: under what their names lie, and by whose labels.
OWN = {
    "spec.subdomain",
    "spec.affinity.podAffinity",
    "spec.affinity.podAntiAffinity",
    "spec.topologySpreadConstraints",
}
# What one controller asks for: names, a restart policy, a limit; what stands beside a pod's fields; and what
# another bounds in its pods.
_OPERATOR = {"spec.restartPolicy", "spec.containers.name", "spec.containers.ports"}
# What Knative has of its own, or puts otherwise: the pause and the time to end, ports and who asks them.
_KNATIVE = {
    *("spec.restartPolicy", "spec.terminationGracePeriodSeconds", "spec.timeout"),
    *("spec.timeoutSeconds", "spec.responseStartTimeoutSeconds"),
    *("spec.containerConcurrency", "spec.initContainers"),
    *(
        "spec.securityContext.fsGroupChangePolicy",
        "spec.containers.ports",
        "spec.containers.lifecycle",
    ),
    *(f"spec.containers.{probe}Probe" for probe in ("startup", "readiness", "liveness")),
    "spec.containers.volumeMounts.readOnly",
    *(
        format_path(("metadata", "annotations", name))
        for name in (
            *(f"autoscaling.knative.dev/{bound}" for bound in ("min-scale", "max-scale")),
            *(f"autoscaling.knative.dev/{by}" for by in ("metric", "target", "scale-down-delay")),
            "autoscaling.knative.dev/target-utilization-percentage",
            "serving.knative.dev/progress-deadline",
        )
    ),
}
ASKED = {
    "pytorchjob": _OPERATOR,
    "tfjob": _OPERATOR,
    "trainjob": {"spec.containers.name"},
    "kserve": {
        *("spec.minReplicas", "spec.maxReplicas", "spec.deploymentStrategy"),
        *("spec.containers.name", "spec.containers.resources.limits.cpu"),
    },
    # What is said so that no preset of KServe's says it otherwise.
    "llminferenceservice": {
        format_path(("metadata", "annotations", "serving.kserve.io/model-based-routing-enabled")),
        *(
            f"spec.containers.{field}"
            for field in (
                *("env", "lifecycle", "securityContext.runAsNonRoot"),
                *(
                    f"{probe}Probe.{own}"
                    for probe in ("startup", "readiness", "liveness")
                    for own in ("httpGet.scheme", "failureThreshold")
                ),
            )
        ),
    },
    "kserve-knative": {
        *("spec.minReplicas", "spec.maxReplicas", "spec.scaleMetric", "spec.scaleTarget"),
        *("spec.containers.name", "spec.containers.resources.limits.cpu"),
        *_KNATIVE,
    },
    "knative": _KNATIVE,
    "volcano": {
        *("spec.activeDeadlineSeconds", "spec.schedulerName"),
        # What Kueue would be asked there, the Job asks of Volcano.
        format_path(("metadata", "annotations", "kueue.x-k8s.io/podset-required-topology")),
    },
}


# And where the target starts the processes itself, from elsewhere: what waits for them.
STARTED = {
    "spec.restartPolicy",
    "spec.volumes",
    *(
        f"spec.containers.{field}"
        for field in (
            *("command", "args", "env", "ports", "readinessProbe", "volumeMounts"),
            # It may leave room for what starts them.
            "resources",
        )
    ),
}


@instead
def test_the_pod_is_that_of_the_usual_one(target: str, profile: str) -> None:
    for made, other in usual(target, profile):
        if is_flat(made):
            continue  # the tests of such a target walk the fields of a pod
        mine, theirs = (first_pod(one) for one in (made, other))
        differ = {
            format_path(tuple(step for step in path if isinstance(step, str)))
            for path in {*scalars(mine), *scalars(theirs)}
            if at(mine, path) != at(theirs, path)
        }
        known = target_of(target)
        may = OWN | ASKED.get(target, set()) | (STARTED if known.launch else set())
        if known.ranks:
            # Some controllers label pods by it, and of others the target does.
            may = may | {format_path(("metadata", "labels", known.ranks.pods))}
        assert all(any(f"{path}.".startswith(f"{own}.") for own in may) for path in differ), differ


def first_pod(made: gpuspec.Rendering) -> Any:
    """The pod of rank 0, with neutral words for where rank 0 is and for who the pod is."""
    own = holder(made)
    target, pod = target_of(made.plan.target.value), worker(made).spec
    if pod[-1] == "spec":
        template = at(own, pod[:-1])
    else:
        spec = dict(at(own, pod))
        parts = {key: spec.pop(key) for key in ("labels", "annotations") if key in spec}
        # Or they stand beside it.
        parts = parts or {key: at(own, (*pod[:-1], key)) for key in ("labels", "annotations")}
        template = {"metadata": parts, "spec": spec}
    text = json.dumps(template)
    if (ranks := target.ranks) and ranks.variable:
        text = text.replace(ranks.first(made.plan.name.value), "FIRST")
        text = text.replace(f"$({ranks.variable})", "RANK").replace(ranks.field, "FIELD")
    return json.loads(text)


def worker(made: gpuspec.Rendering) -> PodPath:
    """Where the pod of rank 0 is: the first that the target has not brought along."""
    own = holder(made)
    kind = kind_of(str(own["apiVersion"]).rpartition("/")[0], str(own["kind"]))
    assert kind is not None
    return next(
        path
        for path in pod_paths(own)
        if kind.part is None or (kind.part(own, path.spec) or Part("")).name not in brought(made)
    )


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def brought(made: gpuspec.Rendering) -> tuple[str, ...]:
    """The roles that the target of a gang brings along, of which the spec knows nothing."""
    target = target_of(str(made.plan.target.value))
    return target.roles[1:] if "gang" in target.intents else ()


@instead
def test_the_same_pods_are_seen_by_whoever_counts(
    target: str, profile: str, tmp_path: Path
) -> None:
    """`table` sums the same, `fit` places as many, and a gang is one whoever carries it."""
    pairs = [
        pair
        for pair in usual(target, profile)
        # `fit` knows the quotas of the profile's queues, which are Kueue's.
        if target_of(target).queues == "kueue" or not getattr(pair[0].case.spec, "queue", None)
    ]
    more = {role for mine, _ in pairs for role in brought(mine)}
    seen = []
    for side in (0, 1):
        renderings = [pair[side] for pair in pairs]
        if not renderings:
            return
        file = written(tmp_path, renderings)
        table = gpuspec.table(file, profile=equipped(profile))
        table = replace(table, asks=tuple(one for one in table.asks if one.role not in more))
        fits: list[Any] = []
        if equipped(profile).spec.pools:
            report = gpuspec.fit(file, profile=equipped(profile), seeds=1)
            # They are listed by kind, in which the two sides differ.
            fits = sorted(
                (one.pods, one.gpus, one.gang, one.placed)
                for one in report.workloads
                if one.role not in more
            )
        total = table.total
        if more:
            total = {name: span for name, span in total.items() if name not in ("cpu", "memory")}
        # In apply order, which is by kind.
        seen.append((table.pods, total, sorted(fits)))
    assert seen[0] == seen[1]


@both
def test_a_gang_of_several_is_a_gang_and_has_all_its_pods(
    target: str, profile: str, tmp_path: Path
) -> None:
    for name, made in carried(target, profile).items():
        if made.case.workers == 1:
            continue
        table = gpuspec.table(written(tmp_path, [made]), profile=equipped(profile))
        groups = getattr(made.case.spec, "replicas", 1)
        beside = sum(role.count for role in made.case.roles)
        pods = sum(role.count.value for role in made.plan.roles.values())
        pods -= sum(made.plan.roles[role].count.value for role in brought(made))
        assert pods == made.case.workers + beside, name
        more = sum(one.pods.least for one in table.asks if one.pods and one.role in brought(made))
        assert table.pods.least - more == pods * (groups if isinstance(groups, int) else 1), name


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
