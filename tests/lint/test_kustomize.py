"""Kustomizations: patches that replace lists, names that no custom kind learns, what is passed over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.lint.cases import FOLDER, Case, cases
from tests.lint.patched import of
from tests.lint.plain import an, text

Lint = Callable[..., list[tuple[str, str, str]]]

FOLDERS = [case for case in cases() if case.row.get("folder")]
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      template:
        spec:
          containers:
            - {name: pytorch, image: "example.com/a:1", envFrom: [{configMapRef: {name: conf}}]}
"""
PATCH = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, resources: {}}]}}}
"""


class TestKustomize:
    @pytest.fixture
    def lint(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lint:
        (tmp_path / ".git").mkdir()
        monkeypatch.chdir(tmp_path)

        def lint(kustomization: dict[str, Any], **files: str) -> list[tuple[str, str, str]]:
            for name, body in {"kustomization": yaml.safe_dump(kustomization), **files}.items():
                Path(f"{name}.yaml").write_text(body)
            found = gpuspec.lint(".", select=["GPU0"]).findings
            return [(one.rule, one.file, one.path) for one in found]

        return lint

    # A kustomization needs no apiVersion and no kind.
    NAMED = {"resources": ["job.yaml"], "patches": [{"path": "gpu.yaml"}]}

    def test_a_patch_that_replaces_the_containers_of_a_custom_kind(self, lint: Lint) -> None:
        found = [("GPU020", "kustomization.yaml", "patches[0].path")]
        assert lint(self.NAMED, job=JOB, gpu=PATCH) == found

    def test_a_patch_that_is_written_out(self, lint: Lint) -> None:
        named = {"resources": ["job.yaml"], "patches": [{"patch": PATCH}]}
        assert lint(named, job=JOB) == [("GPU020", "kustomization.yaml", "patches[0].patch")]

    @pytest.mark.parametrize(
        ("more", "patch"),
        [
            ({"openapi": {"path": "schema.json"}}, PATCH),
            ({}, PATCH.replace("resources", "image: 'a:1', resources")),
            ({}, "- {op: add, path: /spec/x, value: 1}\n"),
            ({}, PATCH.replace("kubeflow.org/v1", "apps/v1").replace("PyTorchJob", "Deployment")),
            ({}, "a: [\n"),
        ],
    )
    def test_patches_that_replace_nothing(
        self, lint: Lint, more: dict[str, Any], patch: str
    ) -> None:
        assert lint({**self.NAMED, **more}, job=JOB, gpu=patch) == []

    MAKER = {
        "resources": ["job.yaml"],
        "configMapGenerator": [{"name": "conf", "literals": ["a=b"]}],
    }

    def test_a_name_that_a_custom_kind_does_not_learn(self, lint: Lint) -> None:
        found = [("GPU021", "kustomization.yaml", "configMapGenerator[0].name")]
        assert lint(self.MAKER, job=JOB) == found

    CONFIGURED = {**MAKER, "configurations": ["names.yaml"]}
    NAMES = """\
nameReference:
  - kind: ConfigMap
    version: v1
    fieldSpecs:
      - {path: "PATH", kind: KIND}
"""
    FIELD = "spec/pytorchReplicaSpecs/Worker/template/spec/containers/envFrom/configMapRef/name"

    @pytest.mark.parametrize(
        ("path", "kind", "known"),
        [
            (FIELD, "PyTorchJob", True),
            (FIELD.replace("containers", "containers[]"), "PyTorchJob", True),
            (FIELD, "RayJob", False),
            ("spec/configMap/name", "PyTorchJob", False),
        ],
    )
    def test_names_that_a_configuration_says(
        self, lint: Lint, path: str, kind: str, known: bool
    ) -> None:
        names = self.NAMES.replace("PATH", path).replace("KIND", kind)
        found = [("GPU021", "kustomization.yaml", "configMapGenerator[0].name")]
        assert lint(self.CONFIGURED, job=JOB, names=names) == ([] if known else found)
        assert lint(self.CONFIGURED, job=JOB, names=names.replace("ConfigMap", "Secret")) == found
        assert lint(self.CONFIGURED, job=JOB, names="nameReference: [\n") == []

    @pytest.mark.parametrize("known", [True, False])
    def test_names_that_the_one_above_says(self, lint: Lint, tmp_path: Path, known: bool) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base/job.yaml").write_text(JOB)
        (tmp_path / "base/kustomization.yaml").write_text(yaml.safe_dump(self.MAKER))
        names = self.NAMES.replace("PATH", self.FIELD if known else "spec/other")
        over = {"resources": ["base"], "configurations": ["names.yaml"]}
        found = lint(over, names=names.replace("KIND", "PyTorchJob"))
        assert [rule for rule, *_ in found] == ([] if known else ["GPU021"])

    @pytest.mark.parametrize(
        "more",
        [
            {"configurations": ["names.yaml"]},
            {"generatorOptions": {"disableNameSuffixHash": True}},
            {"resources": []},
            {"configMapGenerator": [{"name": "other"}]},
            {"configMapGenerator": [{"name": "conf", "options": {"disableNameSuffixHash": True}}]},
        ],
    )
    def test_names_that_are_right(self, lint: Lint, more: dict[str, Any]) -> None:
        assert lint({**self.MAKER, **more}, job=JOB) == []

    def test_kustomize_knows_the_names_in_its_own_kinds(self, lint: Lint) -> None:
        job = JOB.partition("spec:\n")[0].replace("kubeflow.org/v1", "v1")
        pod = job.replace("PyTorchJob", "Pod")
        pod += "spec: {containers: [{name: a, image: 'a:1', envFrom: [{configMapRef: {name: conf}}]}]}\n"
        assert lint(self.MAKER, job=pod) == []

    def test_what_a_build_printed(self) -> None:
        maps = [
            an("v1", "ConfigMap", f"conf-{end}") for end in ("8dmkt2b867", "9dmkt2b867", "more")
        ]
        pods = list(yaml.safe_load_all(JOB))
        assert len(of("GPU021", text(*pods, maps[0], maps[2]))) == 1
        assert of("GPU021", text(*pods, *maps)) == [], "two of them: which is it"
        assert of("GPU021", text(*pods, maps[0], an("v1", "ConfigMap", "conf"))) == []
        assert of("GPU021", text(*pods, maps[2])) == []
        optional = yaml.safe_load(JOB.replace("name: conf}", "name: conf, optional: true}"))
        assert of("GPU021", text(optional, maps[0])) == []

    @pytest.mark.parametrize(
        ("inside", "state"),
        [
            ("containers: [{name: a, envFrom: [{configMapRef: {name: conf}}]}]", "ConfigError"),
            ("volumes: [{name: v, configMap: {name: conf}}]", "ContainerCreating"),
        ],
    )
    def test_what_is_said_of_a_kind_that_kustomize_knows(self, inside: str, state: str) -> None:
        spec = {"template": {"spec": yaml.safe_load(f"{{{inside}}}")}}
        deployment = an("apps/v1", "Deployment", spec=spec)
        [said] = of("GPU021", text(deployment, an("v1", "ConfigMap", "conf-8dmkt2b867")))
        assert f"{state}`" in said.message
        assert "into the kustomization with the generator" in str(said.note)

    def test_a_selector_that_a_kustomization_adds_is_not_missed(self, lint: Lint) -> None:
        deployment = an(
            "apps/v1",
            "Deployment",
            spec={"template": {"spec": {"containers": [{"name": "a", "image": "a"}]}}},
        )
        named = {"resources": ["a.yaml"]}
        assert [code for code, *_ in lint(named, a=text(deployment))] == ["GPU012"]
        pairs = {"labels": [{"pairs": {"app": "a"}, "includeSelectors": True}]}
        assert lint({**named, **pairs}, a=text(deployment)) == []

    def test_a_patch_that_nothing_names_is_passed_over(self, lint: Lint, tmp_path: Path) -> None:
        bare = text(an("apps/v1", "Deployment", spec={"replicas": 2}))
        assert lint({"resources": []}, manager_image_patch=bare) == []
        (note,) = gpuspec.lint(".").notes
        assert note.file == "manager_image_patch.yaml"
        named = {"resources": ["manager_image_patch.yaml"]}
        assert {code for code, *_ in lint(named, manager_image_patch=bare)} == {"GPU012"}

    @pytest.mark.parametrize("case", FOLDERS, ids=lambda case: case.id)
    def test_folders_from_the_field(self, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        wanted = {place.get("file") for place in case.row.get("also_at", ())}
        for which in ("inputs", "fixed", "quiet"):
            if not (FOLDER / which / case.id).is_dir():
                continue
            monkeypatch.chdir(FOLDER / which)
            found = gpuspec.lint(case.id).findings
            files = {one.file for one in found if one.severity == case.row["severity"]}
            if which == "inputs" and not case.row.get("trap"):
                assert files & wanted
            else:
                loud = {one.file for one in found if one.severity != "info"}
                assert not (loud & wanted if wanted else loud)

    def test_an_operator_that_does_not_learn_the_name_of_its_settings(self, lint: Lint) -> None:
        policy = an("nvidia.com/v1", "ClusterPolicy", "gpu")
        policy["spec"] = {"devicePlugin": {"config": {"name": "conf"}}}
        found = [("GPU021", "kustomization.yaml", "configMapGenerator[0].name")]
        assert [one for one in lint(self.MAKER, job=text(policy)) if one[0] == "GPU021"] == found


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: serving}
spec:
  containers: [{name: main, image: "ghcr.io/example/server:1.4"}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
"""


@pytest.mark.parametrize("patches", ["part", "overlay", "nobody"])
def test_what_a_component_brings_may_be_patched_by_it_and_by_who_includes_it(
    tmp_path: Path, patches: str
) -> None:
    patch = "patches: [{path: patch.yaml}]\n"
    files = {
        "overlay/kustomization.yaml": "components: [../part]\n",
        "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [pod.yaml]\n",
        "part/pod.yaml": POD,
    }
    if patches == "nobody":
        del files["overlay/kustomization.yaml"]
    for name, text_ in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text_ + (patch if name == f"{patches}/kustomization.yaml" else ""))
    found = gpuspec.lint(str(tmp_path), select=["GPU109"]).findings
    assert len(found) == (1 if patches == "nobody" else 0)
