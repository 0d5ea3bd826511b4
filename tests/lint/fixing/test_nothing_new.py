"""Fixes make nothing new: after all of them, those that change what runs too, no rule says more than
before, and a second run finds nothing to do."""

import random
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuspec import InputError, lint_text, mend_text
from gpuspec.lint.rows import ROWS
from tests.lint.fixing.outcomes import NAME, faults
from tests.lint.mutants import places
from tests.lint.pages import HERE, Block, named_profile, page
from tests.outside import CORPUS

BASES = sorted((HERE / "bases").glob("*.yaml"))
WRONG = [
    pytest.param(block, id=f"{row.code}-{number}")
    for row in ROWS
    for number, block in enumerate(page(row.module).blocks("Wrong"))
]
CONTAINERS = """\
      containers:
        - name: main
          image: vllm/vllm-openai:v0.10.0
          args: [--model, example/model]
          env: [{name: HOME, value: /home/app}]
          volumeMounts: [{name: home, mountPath: /home/app}]
          resources: {limits: {nvidia.com/gpu: 1, memory: 64Gi}}
      volumes: [{name: home, emptyDir: {}}]
"""
KNATIVE = f"""\
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {{name: chat, namespace: ml}}
spec:
  template:
    spec:
{CONTAINERS}"""
KSERVE = f"""\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: chat
  namespace: ml
spec:
    predictor:
{CONTAINERS}"""
PLAIN = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: ml}}
spec:
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
{CONTAINERS}"""
RAY = """\
apiVersion: ray.io/v1
kind: RayService
metadata: {name: chat, namespace: ml}
spec:
  serveConfig:SERVE
  rayClusterConfig:
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: head
              image: rayproject/ray:2.40.0
              resources: {limits: {cpu: "2", memory: 8Gi}}
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: shared, namespace: ml}
spec:
  resourceClassName: gpu.example.com
  parametersRef: {apiGroup: gpu.example.com, kind: GpuParameters, name: shared}
"""


def mended(text: str) -> str:
    """The text after all fixes, of which each has to be harmless."""
    assert not [*faults(text)]
    changed = mend_text(text, NAME, unsafe=True).changed
    return changed[NAME][1] if changed else text


def fixes(text: str) -> set[str]:
    return {one.rule for one in lint_text(text, NAME).findings if one.fix is not None}


def test_no_field_is_named_for_which_the_value_is_no_good() -> None:
    as_map, as_text = (
        RAY.replace("SERVE", "\n    importPath: app.main"),
        RAY.replace("SERVE", " |\n    a: b"),
    )
    assert "GPU010" not in fixes(as_map)
    assert "  serveConfigV2: |\n" in mended(as_text)
    assert "  serveConfig:\n" in mended(as_map)


def test_no_version_is_written_whose_fields_are_others() -> None:
    assert "GPU013" not in fixes(CLAIM)
    assert mended(CLAIM) == CLAIM


@pytest.mark.parametrize("text", [KNATIVE, KSERVE])
def test_knative_gets_no_context_of_a_pod(text: str) -> None:
    made = yaml.safe_load(mended(text))["spec"]
    pod = made["predictor"] if "predictor" in made else made["template"]["spec"]
    assert "securityContext" not in pod
    context = pod["containers"][0]["securityContext"]
    assert (context["runAsUser"], context["runAsNonRoot"]) == (2000, True)
    assert "lifecycle" not in pod["containers"][0]


def test_without_knative_the_context_is_the_pods() -> None:
    mode = "\n  annotations: {serving.kserve.io/deploymentMode: Standard}\n  namespace"
    pod = yaml.safe_load(mended(KSERVE.replace("\n  namespace", mode)))["spec"]["predictor"]
    assert pod["securityContext"]["runAsUser"] == 2000


NO_HOME = {"vllm/vllm-openai:v0.10.0": "lmsysorg/sglang:v0.5.2", "HOME": "OTHER", "/home/app": "/x"}
ROOTS_FOLDER = {"/home/app": "/root/.cache/huggingface"}
ROOTS_CLAIM = {"emptyDir: {}": "persistentVolumeClaim: {claimName: weights}"}


@pytest.mark.parametrize("changes", [NO_HOME, ROOTS_FOLDER, ROOTS_CLAIM])
def test_nobody_becomes_a_user_who_cannot_work(changes: dict[str, str]) -> None:
    text = PLAIN
    for old, new in changes.items():
        text = text.replace(old, new)
    assert "GPU602" in fixes(PLAIN)
    assert "GPU602" not in fixes(text)
    assert "runAsUser" not in mended(text)


def test_the_last_variable_takes_its_list_with_it() -> None:
    env = "env: [{name: HOME, value: /home/app}]"
    text = PLAIN.replace(
        env, "env:\n            - name: NVIDIA_VISIBLE_DEVICES\n              value: all"
    )
    made = mended(text)
    assert "env" not in yaml.safe_load(made)["spec"]["template"]["spec"]["containers"][0]


def test_comments_stay_with_what_they_are_about() -> None:
    """What is commented out below a list is the list's, whatever is added behind it."""
    kept = "          args:\n            - --model=example/model\n            # - --enforce-eager\n"
    head, _, tail = PLAIN.partition("          args: [--model, example/model]\n")
    words = tail.replace("\n      volumes", f"\n{kept}      volumes")
    assert kept in mended(head + words)


def test_a_group_that_a_project_left_is_looked_into_as_well() -> None:
    old = KSERVE.replace("serving.kserve.io", "serving.kubeflow.org")
    assert "apiVersion: serving.kserve.io/v1beta1\n" in mended(old)


@pytest.mark.parametrize("block", WRONG)
def test_what_is_wrong_on_a_page(block: Block) -> None:
    profile = named_profile(block.profile) if block.profile else None
    assert not [*faults(block.text, profile)]


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(BASES), st.integers(0, 2**32), st.sampled_from((None, "h100")))
def test_a_good_manifest_that_lacks_something(base: Path, seed: int, profile: str | None) -> None:
    pick = random.Random(seed)
    documents = list(yaml.safe_load_all(base.read_text()))
    for _ in range(pick.randint(1, 6)):
        there = [(holder, key) for each in documents for holder, key in places(each)]
        there = [(holder, key) for holder, key in there if key not in ("apiVersion", "kind")]
        if there:
            holder, key = pick.choice(there)
            del holder[key]
    text = yaml.safe_dump_all(documents, sort_keys=False)
    assert not [*faults(text, named_profile(profile) if profile else None)], text


@pytest.mark.outside(CORPUS)
def test_public_manifests() -> None:
    files = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in (".yaml", ".yml")]
    assert files
    found = {}
    for path in files:
        text = path.read_bytes().decode(errors="surrogateescape")
        try:
            found[path] = [
                fault for unsafe in (False, True) for fault in faults(text, unsafe=unsafe)
            ]
        except InputError:
            continue
    assert {path: some for path, some in found.items() if some} == {}
