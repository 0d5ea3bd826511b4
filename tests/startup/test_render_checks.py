"""What `render` asks the linter: nothing that could be wrong is left out."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec.lint.policy import ReportingPolicy
from gpuspec.lint.registry import load
from gpuspec.lint.rows import ROWS
from gpuspec.lint.run import check
from gpuspec.loading.specs import WorkloadResult
from gpuspec.startup.render_checks import CAUSES, rules

TESTS = Path(__file__).parent.parent

# Errors that nothing in a spec or a profile brings about: the plan answers for them, the schema is
# held to before, or no object of theirs is ever rendered. A new rule that can be an error goes here,
# or into the table of causes.
ANSWERED = {
    *("GPU001", "GPU002", "GPU003"),  # found where the text is read
    *("GPU004", "GPU010", "GPU011", "GPU012", "GPU013", "GPU014", "GPU015"),
    *("GPU017", "GPU018", "GPU020", "GPU021", "GPU022", "GPU028"),
    *("GPU101", "GPU102", "GPU103", "GPU104", "GPU107", "GPU110"),
    *("GPU201", "GPU203", "GPU205", "GPU206", "GPU209", "GPU211", "GPU212"),
    *("GPU301", "GPU302", "GPU303", "GPU306", "GPU311", "GPU312", "GPU316", "GPU318", "GPU319"),
    *("GPU112", "GPU214", "GPU720", "GPU744", "GPU745", "GPU747", "GPU757"),
    *("GPU405", "GPU513", "GPU613", "GPU714", "GPU717", "GPU721", "GPU735"),
    *("GPU741", "GPU742", "GPU743", "GPU775", "GPU780", "GPU796", "GPU803", "GPU807"),
    *("GPU812", "GPU820", "GPU890", "GPU891", "GPU892", "GPU893", "GPU976", "GPU978"),
    *("GPU410", "GPU411", "GPU415", "GPU416", "GPU417", "GPU519", "GPU913"),
    "GPU705",  # an error on kinds of Knative alone
}


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"gate_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ANY = _module(TESTS / "plan" / "strategies.py")
WORDS = _module(TESTS / "plan" / "conftest.py")

_WORD = st.sampled_from(["red", "7", "a-b"])
REASON = "a licence that is bound to it"
COMMANDS = st.sampled_from(
    [
        ["python", "-m", "train"],
        ["torchrun", "--nproc_per_node=3", "--nnodes=5", "x.py"],
        ["accelerate", "launch", "--num_processes", "5", "x.py"],
        ["bash", "-c", "vllm serve m --tensor-parallel-size 4 --port 9000"],
        ["sh", "-c", "echo ${X}"],
    ]
)
ARGS = st.lists(
    st.sampled_from(
        [
            *("--tensor-parallel-size=4", "--data-parallel-size=3", "--nnodes=7", "--num_gpus=9"),
            *("--config=${X}", "{{ .Values.x }}", "--timeout-graceful-shutdown=9000", "--model=x"),
        ]
    ),
    max_size=3,
)
ENV = st.dictionaries(
    st.sampled_from(
        [
            *("WORLD_SIZE", "PORT", "TENSOR_PARALLEL_SIZE", "NPROC_PER_NODE", "NCCL_SHM_DISABLE"),
            *("CUDA_VISIBLE_DEVICES", "VLLM_PORT", "HF_HOME", "PET_NNODES", "NUM_SHARD"),
        ]
    ),
    st.sampled_from(["0", "1", "5", "8000", "none", "$(X)"]),
    max_size=2,
)
PROBE = st.fixed_dictionaries(
    {"path": st.sampled_from(["/health", "/health_generate", "/v1/models", "/x"])},
    optional={
        "period": st.sampled_from(["1s", "30s"]),
        "timeout": st.sampled_from(["1s", "60s"]),
        "failures": st.sampled_from([1, 3, 50]),
    },
)
FREE: dict[str, st.SearchStrategy[Any]] = {
    "args": ARGS,
    "command": COMMANDS,
    "env": ENV,
    "image": st.sampled_from(["ghcr.io/a/b:1-arm64", "vllm/vllm-openai:v0.33.0", "nginx"]),
    "user": st.just({"uid": 7}),
    "waivers": st.just({"writableRoot": REASON}),
    "volumes": st.just([{"mount": "/d", "pvc": "d"}, {"mount": "/e", "size": "1Gi"}]),
    "caches": st.just({"pvc": "kept"}),
    "podAnnotations": st.sampled_from([{"prometheus.io/scrape": "true"}, {"example.com/a": "b"}]),
    "podLabels": st.sampled_from([{"a": "b"}, {"kueue.x-k8s.io/queue-name-of": "x"}]),
    "pullPolicy": st.sampled_from(["always", "never"]),
    "resources": st.sampled_from([{"memory": "2Gi"}, {"cpu": "1"}]),
    "architecture": st.sampled_from(["amd64", "arm64"]),
    "owner": _WORD,
}
SERVING: dict[str, st.SearchStrategy[Any]] = {
    "startup": st.fixed_dictionaries({"budget": st.sampled_from(["5s", "1h"])}),
    "probes": st.dictionaries(st.sampled_from(["readiness", "startup", "liveness"]), PROBE),
    "longestRequest": st.sampled_from(["1s", "1h"]),
    "replicas": st.sampled_from([1, 40, {"min": 1, "max": 90}]),
    "availability": st.sampled_from([{"zones": "hard"}, {"nodes": "hard"}]),
}
CLUSTER: dict[str, st.SearchStrategy[Any]] = {
    "contracts": st.sampled_from(
        [
            {"requiredLabels": ["owner"]},
            {"registries": ["ghcr.io/a"]},
            {"digests": True, "revisions": True},
            {"requests": ["cpu"], "limits": ["cpu"]},
        ]
    ),
    "namespaces": st.sampled_from(
        [
            [{"name": "default", "podSecurity": "restricted"}],
            [{"name": "default", "podSecurity": "baseline", "quota": {"nvidia.com/gpu": 2}}],
        ]
    ),
    "provider": st.sampled_from(["none", "gke", "eks", "aks"]),
}
POOL: dict[str, st.SearchStrategy[Any]] = {
    "nodes": st.sampled_from([1, 4, {"min": 0, "max": 3}]),
    "zones": st.sampled_from([["a"], ["a", "b"]]),
    "runtimeClass": st.just("nvidia"),
}


@st.composite
def drawn(draw: st.DrawFn, fields: dict[str, st.SearchStrategy[Any]], most: int) -> dict[str, Any]:
    """A few of some fields."""
    names = draw(st.lists(st.sampled_from(sorted(fields)), max_size=most, unique=True))
    return {name: draw(fields[name]) for name in names}


@st.composite
def documents(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A spec with free words in it, and a profile or none."""
    kind, fields = draw(ANY.specs())
    own = draw(drawn(FREE, 3)) | (draw(drawn(SERVING, 2)) if kind == "Inference" else {})
    spec = {**WORDS.BASE[kind], **fields, **own}
    if "command" in own and "launcher" in fields:
        spec["launcher"] = "none"
    if draw(st.integers(0, 9)) == 0:
        spec |= {"user": {"uid": 0}, "waivers": {"root": REASON}}
    metadata = {"name": "work", "annotations": draw(drawn({"example.com/a": _WORD}, 1))}
    profile = draw(ANY.profiles())
    profile["spec"] |= draw(drawn(CLUSTER, 2))
    profile["spec"]["pools"] = [pool | draw(drawn(POOL, 2)) for pool in profile["spec"]["pools"]]
    queued = [{"pool": pool["name"], "gpus": 4} for pool in profile["spec"]["pools"]]
    queue = {"name": "research", "namespaces": ["default"], "pools": queued}
    if draw(st.booleans()):
        profile["spec"]["queues"] = [queue]
    if draw(st.integers(0, 3)) == 0:
        profile = None
    if profile is None or not profile["spec"].get("queues"):
        spec.pop("queue", None)
    if profile is None:
        spec.pop("warm", None)
    version = {"apiVersion": "gpuspec.dev/v1alpha1", "kind": kind}
    return {**version, "metadata": metadata, "spec": spec}, profile


def rendered(folder: Path, document: Any, profile: Any) -> gpuspec.Rendering | None:
    """A rendering; None for what is wrong or refused."""
    (folder / "spec.yaml").write_text(json.dumps(document))
    (folder / "profile.yaml").write_text(json.dumps(profile))
    try:
        (workload,) = gpuspec.load(str(folder / "spec.yaml"))
        known = gpuspec.load_profiles(*([str(folder / "profile.yaml")] if profile else []))
        return gpuspec.render(workload, known[0])
    except (gpuspec.InputError, gpuspec.Refusal):
        return None


def errors(rendering: gpuspec.Rendering) -> set[str]:
    """What all rules say of a rendering."""
    case = rendering.resolution
    profile = None if case.profile.name == "generic" else case.profile
    made = [(case.workload, WorkloadResult(rendering.rendered, case.profile))]
    return {one.rule for one in check(made, ReportingPolicy(severity="error"), profile).findings}


def asked(rendering: gpuspec.Rendering) -> set[str]:
    """What the gate asks about it."""
    case = rendering.resolution
    return rules(case.workload, case.profile, [chosen.pool for chosen in case.pools])


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents())
def test_no_error_is_left_out(tmp_path_factory: pytest.TempPathFactory, given: Any) -> None:
    rendering = rendered(tmp_path_factory.getbasetemp(), *given)
    if rendering is not None:
        assert errors(rendering) <= asked(rendering)


def test_the_property_is_not_vacuous(tmp_path: Path) -> None:
    """Enough of what is drawn is rendered, and some of it is wrong."""
    found: list[set[str]] = []

    @settings(max_examples=200, deadline=None, derandomize=True, database=None)
    @given(documents())
    def count(given: Any) -> None:
        rendering = rendered(tmp_path, *given)
        if rendering is not None:
            found.append(errors(rendering))

    count()
    assert len(found) >= 20
    assert any(found)


SGLANG = {"runtime": "sglang", "image": "lmsysorg/sglang:v0.5.1"}


@pytest.mark.parametrize(
    ("kind", "spec", "pool", "cluster", "code"),
    [
        ("Inference", {**SGLANG, "args": ["--data-parallel-size=3"]}, {}, {}, "GPU731"),
        ("Training", {"workers": 9, "gpu": {"count": 8}}, {"nodes": 1}, {}, "GPU403"),
        ("Inference", {"replicas": 40}, {"nodes": 2}, {}, "GPU810"),
        ("Training", {}, {}, {"contracts": {"digests": True}}, "GPU615"),
        ("Training", {}, {}, {"contracts": {"requiredLabels": ["team"]}}, "GPU616"),
    ],
)
def test_an_error_is_asked_about(
    tmp_path: Path, kind: str, spec: Any, pool: Any, cluster: Any, code: str
) -> None:
    version = {"apiVersion": "gpuspec.dev/v1alpha1", "kind": kind, "metadata": {"name": "work"}}
    document = {**version, "spec": {**WORDS.BASE[kind], **spec}}
    profile = WORDS.cluster(WORDS.pool(**pool), **cluster)
    rendering = rendered(tmp_path, document, profile)
    assert rendering is not None
    assert code in errors(rendering)
    assert code in asked(rendering)


def test_every_error_has_a_cause_or_is_answered_for() -> None:
    loud = {row.code for row in ROWS if load(row).rule.severity == "error"}
    caused = {code for _, codes in CAUSES for code in codes}
    assert caused | ANSWERED == loud
    assert not caused & ANSWERED


SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: chat}
spec:
  runtime: vllm
  image: vllm/vllm-openai:v0.33.0
  model: {id: org/m, size: 16Gi, source: {pvc: weights}}
"""
OVERRIDE = """\
  overrides:
    - kind: Deployment
      patch: {spec: {template: {spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: 2}}}]}}}}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.yaml").write_text(SPEC)
    return tmp_path


def said(path: str = "chat.yaml", templates: Path | None = None) -> set[str]:
    """The errors of rendering a spec."""
    (workload,) = gpuspec.load(path)
    made = gpuspec.render(workload, templates=templates)
    return {one.rule for one in gpuspec.lint_renderings([made], path).findings}


def test_plain_specs_are_asked_nothing(here: Path) -> None:
    (workload,) = gpuspec.load("chat.yaml")
    assert asked(gpuspec.render(workload)) == set()
    assert said() == set()


def test_overrides_are_held_to_every_rule(here: Path) -> None:
    (here / "chat.yaml").write_text(SPEC + OVERRIDE)
    assert said() == {"GPU102"}


def test_templates_are_held_to_every_rule(here: Path) -> None:
    ours = Path(gpuspec.__file__).parents[1] / "templates" / "parts" / "container.yaml.j2"
    more = "{limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 2}}"
    text = ours.read_text().replace("{{ container.resources }}", more)
    (here / "mine" / "parts").mkdir(parents=True)
    (here / "mine" / "parts" / "container.yaml.j2").write_text(text)
    assert said(templates=here / "mine") == {"GPU102"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ignore: [GPU102]\n", set()),
        ("severities: {GPU906: error}\n", {"GPU906"}),
        ("models: {org/m: 900Gi}\n", {"GPU916", "GPU918"}),
    ],
)
def test_a_configuration_may_tell_more(here: Path, text: str, expected: set[str]) -> None:
    """What it makes louder is asked about, and what it tells of models the plan did not know."""
    moving = SPEC.replace(":v0.33.0", ":latest").replace(", source: {pvc: weights}", "")
    (here / "chat.yaml").write_text(moving + "  gpu: {models: [L4]}\n")
    (here / ".gpuspec.yaml").write_text(text)
    assert said() == expected


def test_a_wrong_configuration_is_said_though_nothing_is_asked(here: Path) -> None:
    (here / ".gpuspec.yaml").write_text("selct: []\n")
    with pytest.raises(gpuspec.InputError, match="selct"):
        said()
