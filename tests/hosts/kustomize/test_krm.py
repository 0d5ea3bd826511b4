"""The KRM function by itself: what goes in, what comes out, and what survives. C-60."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.hosts.krm import answer
from tests.hosts.programs import ROOT

KRM = Path(sys.executable).with_name("gpuspec-krm")
POD = """\
- apiVersion: v1
  kind: Pod
  metadata:
    name: server  # in front
    namespace: serving
    annotations:
      internal.config.kubernetes.io/path: 'a/pod.yaml'
      internal.config.kubernetes.io/index: '2'
      config.kubernetes.io/id: "1"
  spec:
    containers:
      - name: main
        image: ghcr.io/example/server:1.4
        resources:
          # Of the main one.
          requests: {memory: 16Gi, nvidia.com/gpu: 1}
"""
GOOD = POD + "          limits: {nvidia.com/gpu: 1}\n"


def resources(items: str, spec: str = "{}", version: str = "v1") -> bytes:
    return f"""\
apiVersion: config.kubernetes.io/{version}
kind: ResourceList
items:
{items}functionConfig:
  apiVersion: krm.gpuspec.dev/v1alpha1
  kind: Lint
  metadata: {{name: lint}}
  spec: {spec}
""".encode()


def generator(config: dict[str, Any], items: list[Any] | None = None) -> bytes:
    whole = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    return json.dumps(whole | {"items": items or [], "functionConfig": config}).encode()


def chat(**annotations: str) -> dict[str, Any]:
    spec = yaml.safe_load((ROOT / "examples/chat.yaml").read_text())
    spec["metadata"]["annotations"] = annotations
    return spec


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_what_is_right_comes_out_byte_for_byte(version: str) -> None:
    given = resources(GOOD, "{severity: warning}", version)
    out, said, code = answer(given)
    assert (out.encode(), code) == (given, 0)
    assert said == ""


def test_findings_are_results_and_all_else_stays() -> None:
    given = resources(POD, "{severity: error}")
    out, said, code = answer(given)
    assert code == 1
    assert out.startswith(given.decode())
    (result,) = yaml.safe_load(out)["results"]
    assert result.pop("message").startswith("GPU102 request-differs-from-limit: ")
    assert result == {
        "severity": "error",
        "resourceRef": {
            "apiVersion": "v1",
            "kind": "Pod",
            "namespace": "serving",
            "name": "server",
        },
        "field": {
            "path": "spec.containers[0].resources.limits",
            "proposedValue": {"nvidia.com/gpu": 1},
        },
        "file": {"path": "a/pod.yaml", "index": 2},
        "tags": {
            "rule": "GPU102",
            "name": "request-differs-from-limit",
            "confidence": "certain",
            "fix": "set `nvidia.com/gpu: 1` in `limits`",
            "safe": "true",
        },
    }
    assert "error[GPU102]" in said
    assert "| requests: {memory: 16Gi" in re.sub(" +", " ", said)
    # The resources are Kustomize's: no option of ours mends them.
    assert "--fix" not in said


def test_a_result_names_the_resource_that_it_is_about() -> None:
    other = GOOD.replace("name: server", "name: first")
    results = yaml.safe_load(answer(resources(other + POD, "{severity: error}"))[0])["results"]
    assert [one["resourceRef"]["name"] for one in results] == ["server"]


def test_a_value_that_is_there_is_told_beside_the_proposed_one() -> None:
    wrong = GOOD.replace("limits: {nvidia.com/gpu: 1}", "limits: {nvidia.com/gpu: 2}")
    results = yaml.safe_load(answer(resources(wrong, "{select: [GPU102]}"))[0])["results"]
    fields = [one["field"] for one in results]
    assert [one["path"] for one in fields] == [
        'spec.containers[0].resources.requests["nvidia.com/gpu"]'
    ]
    assert (fields[0].get("currentValue"), fields[0].get("proposedValue")) in ((1, 2), (None, None))


def test_the_annotation_is_the_only_change_and_only_where_it_passed() -> None:
    given = resources(GOOD, "{annotate: true, severity: error}")
    out, _, code = answer(given)
    assert code == 0
    lines = [line for line in out.splitlines() if "gpuspec.dev/linted" not in line]
    assert lines == given.decode().splitlines()
    (item,) = yaml.safe_load(out)["items"]
    assert item["metadata"]["annotations"]["gpuspec.dev/linted"] == gpuspec.__version__
    assert answer(out.encode()).out == out
    assert "gpuspec.dev/linted" not in answer(resources(POD, "{annotate: true}")).out


def test_a_comment_in_an_item_waves_through() -> None:
    waved = POD.replace("gpu: 1}", "gpu: 1}  # gpuspec: ignore[GPU102] a webhook sets the limit")
    assert answer(resources(waved, "{severity: error}")).code == 0


def test_json_is_json_again() -> None:
    value = yaml.safe_load(resources(POD, "{annotate: true, failOn: error, select: [GPU5]}"))
    out, _, code = answer(json.dumps(value, indent=2).encode())
    assert code == 0
    assert json.loads(out)["items"][0]["metadata"]["annotations"].keys() == {
        *value["items"][0]["metadata"]["annotations"],
        "gpuspec.dev/linted",
    }


def test_results_of_others_stay() -> None:
    given = resources(POD, "{severity: error}") + b"results:\n- {message: before}\n"
    results = yaml.safe_load(answer(given).out)["results"]
    assert [one["message"][:6] for one in results] == ["before", "GPU102"]


def test_an_anchor_across_items_is_read() -> None:
    shared = GOOD.replace("limits: {nvidia.com/gpu: 1}", "limits: &l {nvidia.com/gpu: 1}")
    second = GOOD.replace("limits: {nvidia.com/gpu: 1}", "limits: *l").replace("server ", "other ")
    given = resources(shared + second, "{severity: error}")
    out, _, code = answer(given)
    assert (out.encode(), code) == (given, 0)


@pytest.mark.parametrize("items", ["[]", ""])
def test_nothing_to_lint_is_fine(items: str) -> None:
    given = resources("").replace(b"items:\n", f"items: {items}\n".encode())
    assert answer(given) == (given.decode(), "", 0)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("{profil: gke}", "unknown field `profil`"),
        ("{failOn: fatal}", "Invalid enum value"),
        ("{profile: nowhere.yaml}", "nowhere.yaml: no such file"),
        ("{select: [GPU9999]}", "GPU9999"),
        ("[]", "Expected `object`"),
    ],
)
def test_a_wrong_config_is_said_and_a_result(spec: str, said: str) -> None:
    out, text, code = answer(resources(GOOD, spec))
    assert code == 2
    assert said in text
    assert said in yaml.safe_load(out)["results"][0]["message"]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {}},
        {"apiVersion": "krm.gpuspec.dev/v1alpha1", "kind": "Render"},
        {"apiVersion": "krm.gpuspec.dev/v1alpha1", "kind": "Lint", "data": {}},
        {"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Inferences"},
        {"apiVersion": "gpuspec.dev/v1alpha1", "kind": "ClusterProfile"},
        {"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Inference", "metadata": "chat"},
    ],
)
def test_a_config_of_another_kind_is_an_error(config: dict[str, Any]) -> None:
    out, said, code = answer(generator(config))
    assert code == 2
    assert said
    assert json.loads(out)["results"]
    assert json.loads(out)["items"] == []


def test_a_spec_is_rendered_as_it_is_without_notes_of_functions() -> None:
    config = chat(
        **{
            "krm.gpuspec.dev/profile": "gke",
            "config.kubernetes.io/function": "exec: {path: gpuspec-krm}",
            "config.kubernetes.io/local-config": "true",
            "internal.config.kubernetes.io/path": "chat.yaml",
            "team": "ml",
        }
    )
    out, said, code = answer(generator(config))
    assert code == 0, said
    (plain,) = gpuspec.load_documents(
        gpuspec.read_text(gpuspec.dump([chat(team="ml")]), "chat.yaml")
    )
    (profile,) = gpuspec.load_profiles("gke")
    assert json.loads(out)["items"] == gpuspec.render(plain, profile).objects
    assert json.loads(out)["functionConfig"] == config


def test_a_generator_runs_again_over_its_own_output() -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}}
    first = answer(generator(chat(), [other])).out
    items = json.loads(first)["items"]
    assert items[0] == other
    assert len(items) > 2
    assert answer(first.encode()).out == first


def test_a_spec_for_other_clusters_adds_nothing() -> None:
    config = chat(**{"krm.gpuspec.dev/profile": "gke"})
    config["spec"]["clusters"] = {"names": ["eu"]}
    out, said, code = answer(generator(config))
    assert (json.loads(out)["items"], code) == ([], 0)
    assert said == "chat is for other clusters, not gke\n"


def test_a_refusal_is_a_result() -> None:
    config = chat(**{"krm.gpuspec.dev/profile": str(ROOT / "examples/clusters/bare-metal.yaml")})
    config["spec"]["gpu"]["models"] = ["L4"]
    out, said, code = answer(generator(config))
    assert code == 1
    assert "chat cannot run on" in said
    assert json.loads(out)["items"] == []
    assert json.loads(out)["results"][0]["severity"] == "error"


def test_errors_in_what_is_rendered_fail() -> None:
    config = chat()
    more = {"requests": {"nvidia.com/gpu": 2}}
    patch = {"containers": [{"name": "main", "resources": more}]}
    config["spec"]["overrides"] = [
        {"kind": "Deployment", "patch": {"spec": {"template": {"spec": patch}}}}
    ]
    out, said, code = answer(generator(config))
    assert code == 1, said
    assert json.loads(out)["items"] == []
    assert json.loads(out)["results"][0]["tags"]["rule"] == "GPU102"


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"a: [",
        b"\xff",
        b"kind: ResourceList",
        b"apiVersion: v1\nkind: List\nitems: []\n",
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: 3\n",
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [a]\n",
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: [a]\n",
    ],
)
def test_the_program_prints_nothing_for_what_is_no_list(given: bytes) -> None:
    done = subprocess.run([KRM], input=given, capture_output=True, check=False)
    assert (done.returncode, done.stdout) in ((2, b""),)
    assert done.stderr.startswith((b"error: ", b"<stdin>:"))
    assert b"Traceback" not in done.stderr


def test_the_container_runs_the_program() -> None:
    """Its entry point is one of those that the package installs; it needs no home and no path."""
    lines = (ROOT / "deploy/kustomize/Containerfile").read_text().splitlines()
    (entry,) = (json.loads(one.partition(" ")[2]) for one in lines if one.startswith("ENTRYPOINT"))
    assert entry == [KRM.name]
    given = resources(GOOD, "{severity: error}")
    done = subprocess.run([KRM], input=given, env={}, cwd="/", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, given, b"")


def test_the_program_answers() -> None:
    done = subprocess.run(
        [KRM], input=resources(POD, "{severity: error}"), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert yaml.safe_load(done.stdout)["results"]
    assert b"error[GPU102]" in done.stderr


@pytest.mark.parametrize(
    ("words", "code"), [(["--help"], 0), (["--version"], 0), (["lint"], 2), (["-c", "gke"], 2)]
)
def test_the_program_takes_no_arguments(words: list[str], code: int) -> None:
    done = subprocess.run(
        [KRM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "gpuspec-krm" in (done.stdout if code == 0 else done.stderr)
    assert bool(done.stdout) == (code == 0)
