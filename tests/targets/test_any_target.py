"""Whatever the spec and the profile: what a target carries is whole, and what it cannot is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec.kinds import pod_paths
from gpuspec.lint.policy import ReportingPolicy
from gpuspec.lint.run import check
from gpuspec.loading.specs import WorkloadResult
from gpuspec.plan.target import Intent
from gpuspec.spec.knative import FEATURES
from gpuspec.startup.render_checks import rules
from gpuspec.targets import names, target_of
from tests.plan.conftest import BASE, Values, image_of
from tests.plan.strategies import profiles, specs
from tests.targets.carried import holder, is_flat

INTENTS: dict[str, Intent] = {
    "Training": "gang",
    "FineTune": "gang",
    "BatchInference": "shards",
    "Inference": "service",
}
INSTALLED = {
    one.component: one.checked for one in (target_of(name).needs for name in names()) if one
}


@st.composite
def asked(draw: st.DrawFn, target: str = "") -> tuple[Values, Values]:
    """A spec with a target that is for such, any or this one, and a profile that has all that one needs."""
    kind, fields = draw(specs())
    intent = INTENTS[kind] if "schedule" not in fields else "schedule"
    able = [name for name in names() if intent in target_of(name).intents]
    if target:
        assume(target in able)
        able = [target]
    spec = {**BASE[kind], **fields, "target": draw(st.sampled_from(able)), "warm": 0}
    known = target_of(spec["target"])
    if known.launch:
        # It starts the processes itself.
        spec.pop("launcher", None)
    if kind != "Inference":
        del spec["warm"]
    elif started := target_of(spec["target"]).runtimes:
        name = draw(st.sampled_from(started))
        spec = {key: value for key, value in spec.items() if key not in ("expose", "probes")}
        spec |= {"runtime": name, "image": image_of(name), "replicas": draw(st.integers(1, 3))}
        if draw(st.booleans()):
            # Some take few of the fields, and a Secret to sign in by.
            source = {"hub": {"tokenSecret": "hub"}}
            few = ("image", "runtime", "gpu", "replicas", "target", "warm")
            spec = {field: spec[field] for field in few if field in spec}
            spec["model"] = {"id": "m", "size": "8Gi", "source": source}
        spec |= draw(st.fixed_dictionaries({}, optional={"queue": st.just("research")}))
    elif spec["target"] != "deployment":
        if known.queued:
            spec |= draw(st.fixed_dictionaries({}, optional={"queue": st.just("research")}))
        if spec["runtime"] != "sglang":
            spec = {key: value for key, value in spec.items() if key not in ("expose", "probes")}
            spec |= {name: BASE[kind][name] for name in ("runtime", "image")}
        spec["nodes"] = draw(st.integers(1, 3)) if len(known.roles) > 1 else 1
    profile = draw(profiles())
    observed = {"prometheus-operator": "0.93", "kube-state-metrics": "2.20"}
    profile["spec"]["installed"] = {"kueue": "0.19", **INSTALLED, **observed}
    kept = {"training": {"name": "torch-distributed"}}
    profile["spec"]["runtimes"] = draw(st.sampled_from([{}, {}, kept]))
    profile["spec"]["knative"] = {"features": list(FEATURES), "longestTimeout": "1d"}
    # Where nothing is known of nodes, less is refused.
    profile["spec"]["pools"] = draw(st.sampled_from([[], [], profile["spec"]["pools"]]))
    document = {
        "apiVersion": profile["apiVersion"],
        "kind": kind,
        "metadata": {"name": "work"},
        "spec": spec,
    }
    return document, profile


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("specs")


def carried(folder: Path, given: tuple[Values, Values]) -> gpuspec.Rendering | None:
    """A rendering, whose objects are held to their schemas; None for what is wrong or refused."""
    for name, document in zip(("spec.yaml", "profile.yaml"), given, strict=True):
        (folder / name).write_text(json.dumps(document))
    (profile,) = gpuspec.load_profiles(str(folder / "profile.yaml"))
    try:
        (workload,) = gpuspec.load(str(folder / "spec.yaml"))
        return gpuspec.render(workload, profile)
    except (gpuspec.InputError, gpuspec.Refusal):
        return None


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(asked())
def test_it_is_carried_whole_or_refused(folder: Path, given: tuple[Values, Values]) -> None:
    made = carried(folder, given)
    if made is None:
        return
    known, case = target_of(str(made.plan.target.value)), made.resolution
    (own,) = (
        one for one in made.objects
        if (one["kind"], one["metadata"]["name"]) == (known.kind, made.plan.name.value)
    )  # fmt: skip
    assert own["apiVersion"] == known.api
    if not is_flat(made):
        # A pod of an object that is not ours is told of in two parts: fields of its container, and a patch.
        parts = 2 if known.holder and holder(made) == own else 1
        assert len(pod_paths(holder(made))) == parts * len(made.plan.roles)
    pairs = [(case.workload, WorkloadResult(made.rendered, case.profile))]
    found = {
        one.rule for one in check(pairs, ReportingPolicy(severity="error"), case.profile).findings
    }
    assert found <= rules(case.workload, case.profile, [one.pool for one in case.pools])


@pytest.mark.parametrize("name", names())
def test_the_property_is_not_vacuous(folder: Path, name: str) -> None:
    """Every target carries some of what is drawn, and those that can carry several pods do."""
    seen: set[bool] = set()

    @settings(max_examples=60, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(asked(name))
    def count(given: tuple[Values, Values]) -> None:
        if (made := carried(folder, given)) is not None:
            seen.add(made.resolution.workers > 1)

    count()
    assert seen
    assert (True in seen) is (target_of(name).ranks is not None)
