"""Files that hold nothing to compare: where they differ, a note says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpuspec
from gpuspec import InputError
from tests.diff.conftest import Git
from tests.diff.sides import change, deployment, said
from tests.diff.test_revisions import commit

KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [chat.yaml]
patches: [{path: gpu.yaml}]
"""
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: serving}
spec: {replicas: 4}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vllm, namespace: flux-system}
spec: {chart: {spec: {chart: vllm}}, values: {replicaCount: 2}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: apps, namespace: argocd}
spec: {source: {path: apps/prod, targetRevision: v1}}
"""


def test_a_patch_that_differs_is_named(git: Git) -> None:
    commit(git, k8s__kustomization=KUSTOMIZATION, k8s__chat=deployment(), k8s__gpu=PATCH)
    commit(git, k8s__gpu=PATCH.replace("4", "6"))
    found = gpuspec.diff("HEAD~1:k8s", "HEAD:k8s")
    assert found.changes == ()
    (note,) = found.notes
    assert note.startswith("HEAD:k8s/gpu.yaml differs and is not compared")
    assert "kustomize build" in note
    assert gpuspec.diff("HEAD:k8s", "k8s").notes == ()


def test_values_and_templates_that_differ_or_are_gone_are_named(git: Git) -> None:
    commit(
        git,
        chart__Chart="apiVersion: v2\nname: chart\n",
        chart__values="replicas: 1\n",
        chart__templates__a="kind: Pod\nmetadata: {name: {{ .Release.Name }}}\n",
        chat=deployment(),
    )
    git("rm", "-q", "chart/templates/a.yaml")
    commit(git, chart__values="replicas: 2\n")
    (note,) = gpuspec.diff("HEAD~1:", "HEAD:").notes
    names = "HEAD~1:chart/templates/a.yaml, HEAD:chart/values.yaml"
    assert note.startswith(f"{names} differ and are not compared")


def test_what_a_chart_makes_is_not_counted() -> None:
    told = said(change(RELEASE, RELEASE.replace("Count: 2", "Count: 3")))
    assert [text for text in told if "neither compares nor counts" in text] == told != []


def test_an_application_of_plain_manifests_has_no_chart() -> None:
    assert said(change(APPLICATION, APPLICATION.replace("v1}", "v2}"))) == []


def test_a_file_that_is_wrong_on_both_sides_is_a_note(git: Git, repository: Path) -> None:
    wrong = "apiVersion: v1\nkind: [\n"
    commit(git, chat=deployment(), broken=wrong)
    commit(git, chat=deployment(spec=", replicas: 3"))
    found = gpuspec.diff("HEAD~1:", ".")
    assert len(found.changes) == 1
    (note,) = found.notes
    assert note.startswith("broken.yaml:")
    assert "the same on both sides" in note
    (repository / "broken.yaml").write_text(f"{wrong}# more\n")
    with pytest.raises(InputError, match=r"broken\.yaml"):
        gpuspec.diff("HEAD:", ".")


def test_what_git_ignores_is_named_beside_a_revision(git: Git, repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\n")
    commit(git, chat=deployment())
    (repository / "build").mkdir()
    (repository / "build" / "made.yaml").write_text(deployment(name="made"))
    found = gpuspec.diff("HEAD:", ".")
    assert [one.change for one in found.changes] == ["added"]
    (note,) = found.notes
    assert "Git ignores (build/made.yaml)" in note
    assert gpuspec.diff(".", ".").notes == ()
