"""GPU024: names that a prefix leaves behind, and what Kustomize itself does with every field."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.kinds.name_references import is_rewritten, keeps_its_name
from gpuspec.manifests.values import at
from tests.conftest import Tool
from tests.lint.plain import an, text
from tests.lint.references import CASES, NAME

Lint = Callable[..., list[str]]
QUEUE = an("kueue.x-k8s.io/v1beta2", "LocalQueue", "team", spec={"clusterQueue": "research"})
JOB = an(
    "batch/v1",
    "Job",
    "train",
    spec={"template": {"spec": {"containers": [{"name": "a", "image": "a:1"}]}}},
)
JOB["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
SCALER = an("keda.sh/v1alpha1", "ScaledObject", "llm", spec={"scaleTargetRef": {"name": "llm"}})
SERVER = an(
    "apps/v1",
    "Deployment",
    "llm",
    spec={"template": {"spec": {"containers": [{"name": "a", "image": "a:1"}]}}},
)


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lint:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def lint(**files: str | dict[str, Any]) -> list[str]:
        for name, body in files.items():
            path = Path(f"{name.replace('__', '/')}.yaml")
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(body if isinstance(body, str) else yaml.safe_dump(body))
        found = gpuspec.lint(".", select=["GPU024", "GPU805"]).findings
        return [f"{one.rule} {one.file} {one.path}" for one in found]

    return lint


class TestLeftBehind:
    FOUND = ["GPU024 kustomization.yaml namePrefix"]
    BOTH = ["scaler.yaml", "server.yaml"]

    def test_the_target_of_a_custom_autoscaler(self, lint: Lint) -> None:
        named = {"namePrefix": "dev-", "resources": self.BOTH}
        assert lint(kustomization=named, scaler=SCALER, server=SERVER) == self.FOUND

    def test_a_label(self, lint: Lint) -> None:
        named = {"nameSuffix": "-dev", "resources": ["all.yaml"]}
        found = lint(kustomization=named, all=text(JOB, QUEUE))
        assert found == ["GPU024 kustomization.yaml nameSuffix"]

    def test_a_template_of_claims_in_a_deployment(self, lint: Lint) -> None:
        claims = [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]
        spec = {"containers": [{"name": "a", "image": "a:1"}], "resourceClaims": claims}
        server = an("apps/v1", "Deployment", "llm", spec={"template": {"spec": spec}})
        template = an("resource.k8s.io/v1", "ResourceClaimTemplate", "one-gpu")
        named = {"namePrefix": "dev-", "resources": ["all.yaml"]}
        assert lint(kustomization=named, all=text(server, template)) == self.FOUND

    def test_what_a_generator_makes_without_a_hash(self, lint: Lint) -> None:
        policy = an("nvidia.com/v1", "ClusterPolicy", "gpu")
        policy["spec"] = {"devicePlugin": {"config": {"name": "shares"}}}
        options = {"generatorOptions": {"disableNameSuffixHash": True}}
        maker = {"configMapGenerator": [{"name": "shares", "literals": ["a=b"]}]}
        named = {"namePrefix": "dev-", "resources": ["all.yaml"], **maker}
        assert lint(kustomization={**named, **options}, all=policy) == self.FOUND

    def test_an_overlay_over_a_base(self, lint: Lint) -> None:
        found = lint(
            dev__kustomization={"namePrefix": "dev-", "resources": ["../base"]},
            base__kustomization={"resources": self.BOTH},
            base__scaler=SCALER,
            base__server=SERVER,
        )
        assert found == ["GPU024 dev/kustomization.yaml namePrefix"]

    def test_a_patch_of_another_kind(self, lint: Lint) -> None:
        patch = {
            "target": {"kind": "Deployment"},
            "patch": "- {op: remove, path: /spec/replicas}\n",
        }
        named = {"namePrefix": "dev-", "resources": self.BOTH, "patches": [patch]}
        assert lint(kustomization=named, scaler=SCALER, server=SERVER) == self.FOUND


class TestImages:
    IMAGES = [{"name": "example.com/train", "newTag": "2"}]

    @pytest.mark.parametrize(
        ("image", "found"),
        [
            ("example.com/train:1", ["GPU024 kustomization.yaml images[0].name"]),
            ("example.com/train", ["GPU024 kustomization.yaml images[0].name"]),
            ("example.com/trainer:1", []),
        ],
    )
    def test_of_a_trainjob(self, lint: Lint, image: str, found: list[str]) -> None:
        job = an("trainer.kubeflow.org/v1alpha1", "TrainJob", spec={"trainer": {"image": image}})
        named = {"images": self.IMAGES, "resources": ["all.yaml"]}
        assert lint(kustomization=named, all=job) == found

    def test_containers_of_any_kind_are_reached(self, lint: Lint) -> None:
        container = {"name": "main", "image": "example.com/train:1"}
        job = an("kubeflow.org/v1", "PyTorchJob")
        template = {"spec": {"containers": [container]}}
        job["spec"] = {"pytorchReplicaSpecs": {"Worker": {"template": template}}}
        named = {"images": self.IMAGES, "resources": ["all.yaml"]}
        assert lint(kustomization=named, all=job) == []

    def test_a_configuration_may_name_the_field(self, lint: Lint) -> None:
        trainer = {"image": "example.com/train:1"}
        job = an("trainer.kubeflow.org/v1alpha1", "TrainJob", spec={"trainer": trainer})
        named = {"images": self.IMAGES, "resources": ["all.yaml"], "configurations": ["i.yaml"]}
        assert lint(kustomization=named, all=job) == []

    @pytest.mark.binaries
    def test_so_does_kustomize(self, tmp_path: Path, tool: Tool) -> None:
        trainer = {"image": "example.com/train:1"}
        job = an("trainer.kubeflow.org/v1alpha1", "TrainJob", spec={"trainer": trainer})
        (tmp_path / "all.yaml").write_text(text(job))
        named = {"images": self.IMAGES, "resources": ["all.yaml"]}
        (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(named))
        printed = subprocess.run(
            [tool("kubectl"), "kustomize", tmp_path], capture_output=True, text=True, check=True
        ).stdout
        assert "example.com/train:1" in printed


class TestSilent:
    @pytest.mark.parametrize(
        "more",
        [
            {"configurations": ["names.yaml"]},
            {"replacements": [{"source": {"kind": "Deployment"}}]},
            {"components": ["../names"]},
            {"namePrefix": "$STAGE-"},
            {"namePrefix": ""},
            {"resources": ["scaler.yaml"]},
            {"patches": [{"target": {"kind": "ScaledObject"}, "patch": "- {op: add}\n"}]},
            {"patches": [{"path": "elsewhere.yaml"}]},
        ],
    )
    def test_where_the_name_may_be_right(self, lint: Lint, more: dict[str, Any]) -> None:
        named = {"namePrefix": "dev-", "resources": TestLeftBehind.BOTH, **more}
        assert lint(kustomization=named, scaler=SCALER, server=SERVER) == []

    def test_the_built_name_is_written(self, lint: Lint) -> None:
        scaler = {**SCALER, "spec": {"scaleTargetRef": {"name": "dev-llm"}}}
        named = {"namePrefix": "dev-", "resources": TestLeftBehind.BOTH}
        assert lint(kustomization=named, scaler=scaler, server=SERVER) == []

    def test_kustomize_knows_the_field(self, lint: Lint) -> None:
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llm"}
        scaler = an(
            "autoscaling/v2", "HorizontalPodAutoscaler", "llm", spec={"scaleTargetRef": target}
        )
        named = {"namePrefix": "dev-", "resources": TestLeftBehind.BOTH}
        assert lint(kustomization=named, scaler=scaler, server=SERVER) == []


@pytest.mark.binaries
def test_kustomize_itself_rewrites_what_the_table_says(tmp_path: Path, tool: Tool) -> None:
    """Every field that a record knows, all of them in one kustomization."""
    cases = [case for case in CASES if not keeps_its_name(*case.target)]
    targets: dict[tuple[str, str], dict[str, Any]] = {}
    objects = []
    for number, case in enumerate(cases):
        one, there = case.values(NAME)
        one["metadata"]["name"] = f"one-{number}"
        objects.append(one)
        targets.setdefault((there["apiVersion"], there["kind"]), there)
    (tmp_path / "all.yaml").write_text(text(*objects, *targets.values()))
    (tmp_path / "kustomization.yaml").write_text("namePrefix: dev-\nresources: [all.yaml]\n")
    printed = subprocess.run(
        [tool("kubectl"), "kustomize", tmp_path], capture_output=True, text=True, check=True
    ).stdout
    built = {each["metadata"]["name"]: each for each in yaml.safe_load_all(printed)}
    wrong = []
    for number, case in enumerate(cases):
        name = f"dev-one-{number}" if not keeps_its_name(case.group, case.kind) else f"one-{number}"
        found = at(built[name], case.path)
        table = is_rewritten(case.group, case.kind, case.path, case.target[1])
        if table != (f"dev-{NAME}" in found):
            wrong.append(f"{case}: {found}")
    assert wrong == []
