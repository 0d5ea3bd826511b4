"""`gpuspec argocd generate`: what an Application asks for is rendered, or nothing is printed."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.manifests import read
from tests.hosts.argocd.conftest import ROOT, Argocd

PROFILE = {"profile": "../../clusters/eu.yaml"}
WRONG = """\
  overrides:
    - kind: Deployment
      patch:
        spec:
          template:
            spec:
              containers: [{name: main, resources: {requests: {nvidia.com/gpu: "2"}}}]
"""
NEWER = """\
  overrides:
    - kind: Deployment
      patch: {spec: {template: {spec: {hostnameOverride: chat}}}}
"""
SERVED = "autoscaling/v2,v1,v1/Service,v1/ServiceAccount,apps/v1,apps/v1/Deployment,policy/v1,networking.k8s.io/v1"


def objects(text: str) -> dict[str, Any]:
    """The objects of a stream by kind."""
    found: list[Any] = [document.value for document in read(text, "out")]
    return {each["kind"]: each for each in found}


def profile_of(text: str) -> str | None:
    """The profile that `examples/chat.yaml` was rendered for, by the digest of both."""
    found = objects(text)["Deployment"]["metadata"]["annotations"]["gpuspec.dev/digest"]
    (chat,) = gpuspec.load(str(ROOT / "examples/chat.yaml"))
    bare_metal = str(ROOT / "examples/clusters/bare-metal.yaml")
    for profile in gpuspec.load_profiles(bare_metal, "generic", "gke", "eks"):
        made = {each["kind"]: each for each in gpuspec.render(chat, profile).objects}
        if made["Deployment"]["metadata"]["annotations"]["gpuspec.dev/digest"] == found:
            return profile.name
    return None


@pytest.mark.parametrize("folder", [".", "apps/chat"])
def test_it_renders_the_applications_folder_wherever_it_is_started(
    argocd: Argocd, folder: str
) -> None:
    done = argocd("generate", folder=folder, parameters=PROFILE)
    assert (done.code, done.err) == (0, "")
    assert profile_of(done.out) == "bare-metal"


def test_what_is_sent_may_begin_below_the_repositorys_root(argocd: Argocd, repo: Path) -> None:
    """With `--plugin-use-manifest-generate-paths` the folder above all paths of the annotation is sent."""
    (repo / "clusters").rename(repo / "apps" / "clusters")
    (repo / "apps").rename(repo.parent / "sent")
    inside = "../sent/chat"
    done = argocd("generate", folder=inside, parameters={"profile": "../clusters/eu.yaml"})
    assert (done.code, done.err) == (0, "")
    assert profile_of(done.out) == "bare-metal"
    done = argocd("generate", folder=inside, parameters={"profile": "../../clusters/eu.yaml"})
    assert (done.code, done.out) == (2, "")
    assert "parameter `profile`: `../../clusters/eu.yaml` leads out of the repository" in done.err


def test_parameters_choose_specs_profile_and_fields(argocd: Argocd, repo: Path) -> None:
    (repo / "apps/chat/other.yaml").write_text("not: [read")
    asked = {**PROFILE, "specs": ["chat.yaml"], "chat:replicas": "3", "chat:owner": "a: b"}
    done = argocd("generate", parameters={**asked, "chat:owner": '"no"'})
    made = objects(done.out)["Deployment"]
    assert made["spec"]["replicas"] == 3
    assert made["metadata"]["labels"]["gpuspec.dev/owner"] == "no"
    assert argocd("generate", parameters=asked).code == 2


def test_the_applications_env_chooses_where_no_parameter_does(argocd: Argocd) -> None:
    env = {"ARGOCD_ENV_GPUSPEC_PROFILE": "gke", "ARGOCD_ENV_OTHER": "x", "PARAM_PROFILE": "eks"}

    def profile(**more: Any) -> str | None:
        return profile_of(argocd("generate", **more, **env).out)

    assert profile() == "gke"
    assert profile(parameters=PROFILE) == "bare-metal"


def test_without_a_parameter_it_is_the_generic_profile(argocd: Argocd) -> None:
    assert profile_of(argocd("generate", ARGOCD_APP_PARAMETERS="").out) == "generic"


def test_a_parameter_that_is_wrong_is_called_by_its_name(argocd: Argocd) -> None:
    for name, value, said in (
        ("chat:gpus", "1", "unknown field `spec.gpus`"),
        ("chat:gpu.count", "many", "`spec.gpu.count`: "),
        ("chatt:replicas", "1", "no workload"),
        ("chat:replicas", "{", ""),
    ):
        done = argocd("generate", parameters={name: value})
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"parameter {name}={value}: error: {said}")


def test_specs_of_the_command_line_leave_the_parameter_nothing_to_say(
    argocd: Argocd, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a plugin pipes in: an overlay of specs."""
    text = (repo / "apps/chat/chat.yaml").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    done = argocd("generate", "-", parameters=PROFILE)
    assert done.code == 0
    assert done.out == argocd("generate", parameters=PROFILE).out
    both = argocd("generate", "-", parameters={**PROFILE, "specs": ["chat.yaml"]})
    assert (both.code, both.out) == (2, "")
    assert "parameter `specs`: this plugin's command line names the specs itself" in both.err


def test_nothing_rendered_is_never_success(argocd: Argocd, repo: Path) -> None:
    """Argo CD would prune all that runs."""
    (repo / "apps/chat/chat.yaml").unlink()
    done = argocd("generate")
    assert (done.code, done.out) == (3, "")


def test_one_wrong_spec_is_no_output(argocd: Argocd, repo: Path) -> None:
    (repo / "apps/chat/more.yaml").write_text(
        "apiVersion: gpuspec.dev/v1alpha1\nkind: Inference\nmetadata: {name: more}\nspec: {}\n"
    )
    done = argocd("generate", parameters=PROFILE)
    assert (done.code, done.out) == (2, "")
    assert "more.yaml:4:1: error:" in done.err


def test_a_refusal_is_no_output(argocd: Argocd) -> None:
    done = argocd("generate", parameters={**PROFILE, "chat:gpu.models": "[L40S]"})
    assert (done.code, done.out) == (1, "")
    assert "chat cannot run on bare-metal" in done.err


def test_a_folder_of_profiles_is_not_one(argocd: Argocd, repo: Path) -> None:
    text = (repo / "clusters/eu.yaml").read_text()
    (repo / "clusters/us.yaml").write_text(text.replace("name: bare-metal", "name: us"))
    done = argocd("generate", parameters={"profile": "../../clusters"})
    assert (done.code, done.out) == (2, "")
    assert "parameter `profile`: 2 profiles (bare-metal, us)" in done.err


def test_errors_of_the_linter_fail_or_are_said_otherwise(argocd: Argocd, repo: Path) -> None:
    clean = argocd("generate", parameters=PROFILE).out
    with (repo / "apps/chat/chat.yaml").open("a") as file:
        file.write(WRONG)
    done = argocd("generate", parameters=PROFILE)
    assert (done.code, done.out) == (1, "")
    assert "error[GPU102]" in done.err
    assert "`lint: annotate`" in done.err

    noted = argocd("generate", parameters={**PROFILE, "lint": "note"})
    assert noted.code == 0
    assert "error[GPU102]" in noted.err
    assert "gpuspec.dev/lint" not in noted.out

    marked = argocd("generate", parameters={**PROFILE, "lint": "annotate"})
    assert marked.code == 0
    made = objects(marked.out)
    annotations = {kind: each["metadata"].get("annotations", {}) for kind, each in made.items()}
    assert [kind for kind, each in annotations.items() if "gpuspec.dev/lint" in each] == [
        "Deployment"
    ]
    said = annotations["Deployment"]["gpuspec.dev/lint"]
    assert said.startswith("GPU102: `nvidia.com/gpu` has a request of 2")
    # The pods know nothing of it: what is annotated must not restart.
    template = made["Deployment"]["spec"]["template"]
    assert template == objects(noted.out)["Deployment"]["spec"]["template"]
    assert "gpuspec.dev/lint" not in clean
    env = {"ARGOCD_ENV_GPUSPEC_LINT": "annotate"}
    assert argocd("generate", parameters=PROFILE, **env).out == marked.out


def test_what_is_clean_is_the_same_under_every_way_to_lint(argocd: Argocd) -> None:
    ways = [argocd("generate", parameters={**PROFILE, "lint": one}) for one in WAYS]
    assert len({each.out for each in ways}) == 1


WAYS = ("fail", "annotate", "note")


@pytest.mark.parametrize("version", ["1.36.2", "v1.36.0-gke.100", "1.36+", ""])
def test_a_cluster_of_the_profiles_version_is_no_matter(argocd: Argocd, version: str) -> None:
    assert argocd("generate", parameters=PROFILE, KUBE_VERSION=version).err == ""


def test_another_version_is_a_note_and_changes_nothing(argocd: Argocd) -> None:
    done = argocd("generate", parameters=PROFILE, KUBE_VERSION="1.34.1")
    said = "profile bare-metal is for Kubernetes 1.36, but the cluster runs 1.34.1"
    assert (done.code, done.err) == (0, f"note: {said}\n")
    assert done.out == argocd("generate", parameters=PROFILE).out
    assert argocd("generate", parameters=PROFILE, KUBE_VERSION="1.3.0").code == 0
    odd = argocd("generate", parameters=PROFILE, KUBE_VERSION="new\nest")
    assert (odd.code, odd.err.count("\n")) == (0, 1)
    assert "is not a version of Kubernetes" in odd.err


def test_what_the_clusters_version_does_not_know_is_an_error(argocd: Argocd, repo: Path) -> None:
    with (repo / "apps/chat/chat.yaml").open("a") as file:
        file.write(NEWER)
    assert argocd("generate", parameters=PROFILE, KUBE_VERSION="1.36.2").code == 0
    done = argocd("generate", parameters=PROFILE, KUBE_VERSION="1.33.2")
    assert (done.code, done.out) == (1, "")
    # Argo CD shows all of it from here on: what is wrong comes first, what is only noted last.
    assert done.err.startswith("./chat.yaml:6:9: error: Kubernetes 1.33 of the cluster refuses")
    assert "hostnameOverride" in done.err
    assert done.err.splitlines()[-1].startswith("note: profile bare-metal is for Kubernetes 1.36")


@pytest.mark.parametrize(
    ("apis", "lacks"),
    [
        (f"{SERVED},policy/v1/PodDisruptionBudget,networking.k8s.io/v1/NetworkPolicy", None),
        ("v1,apps/v1,policy/v1,networking.k8s.io/v1,autoscaling/v2", None),
        ("", None),
        (SERVED.replace("policy/v1,", ""), "policy/v1 PodDisruptionBudget"),
        (SERVED.replace("apps/v1/Deployment", "apps/v1/DaemonSet"), "apps/v1 Deployment"),
    ],
)
def test_an_api_that_is_not_served_is_an_error(argocd: Argocd, apis: str, lacks: str) -> None:
    done = argocd("generate", parameters=PROFILE, KUBE_API_VERSIONS=apis)
    assert done.code == (1 if lacks else 0)
    assert bool(done.out) is (lacks is None)
    if lacks:
        assert f"the cluster does not serve {lacks}" in done.err


TRAINING = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata: {name: tune, annotations: {%s}}
spec:
  image: ghcr.io/example/tune:1.0.0
  command: [python, -m, tune]
  gpu: {models: [A100-80GB]}
  duration: {max: 30m}
  ttlAfterFinished: 1h
"""


def test_a_run_that_deletes_itself_is_refused_since_each_sync_would_run_it(
    argocd: Argocd, repo: Path
) -> None:
    (repo / "apps/chat/tune.yaml").write_text(TRAINING % "")
    done = argocd("generate", parameters=PROFILE)
    assert (done.code, done.out) == (1, "")
    assert "Argo CD finds it missing and runs it again" in done.err
    (repo / "apps/chat/tune.yaml").write_text(TRAINING % "argocd.argoproj.io/hook: PostSync")
    done = argocd("generate", parameters=PROFILE)
    assert done.code == 0 and "ttlSecondsAfterFinished: 3600" in done.out
