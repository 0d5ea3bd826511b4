"""GPU025: what nothing in a whole kustomization uses, and where nobody can know."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.lint.plain import an, text

Lint = Callable[..., list[str]]
KUEUE = "kueue.x-k8s.io/v1beta2"
POD = {
    "containers": [{"name": "a", "image": "a:1"}],
    "volumes": [{"name": "w", "persistentVolumeClaim": {"claimName": "weights"}}],
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}],
}
SERVER = an("v1", "Pod", "chat", spec=POD)
CLAIM = an("v1", "PersistentVolumeClaim", "weights")
QUEUE = an(KUEUE, "ClusterQueue", "research", spec={"namespaceSelector": {}})
QUEUE["spec"]["resourceGroups"] = [{"flavors": [{"name": "h100"}]}]


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lint:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def lint(*objects: dict[str, Any], **kustomization: Any) -> list[str]:
        named = {"resources": ["all.yaml"], **kustomization}
        Path("kustomization.yaml").write_text(yaml.safe_dump(named))
        Path("all.yaml").write_text(text(*objects))
        found = gpuspec.lint(".", select=["GPU025"]).findings
        return [f"{one.object.kind} {one.object.name}" for one in found if one.object]

    return lint


@pytest.mark.parametrize(
    ("idle", "beside"),
    [
        (an("v1", "PersistentVolumeClaim", "old-weights"), [SERVER, CLAIM]),
        (an("resource.k8s.io/v1", "ResourceClaim", "two-gpus"), [SERVER]),
        (an("resource.k8s.io/v1", "ResourceClaimTemplate", "two-gpus"), [SERVER]),
        (an(KUEUE, "LocalQueue", "team", spec={"clusterQueue": "research"}), [SERVER, QUEUE]),
        (
            an(KUEUE, "ClusterQueue", "batch", spec={"namespaceSelector": {}}),
            [SERVER, QUEUE, an(KUEUE, "LocalQueue", "t", spec={"clusterQueue": "research"})],
        ),
        (an(KUEUE, "ResourceFlavor", "spot"), [QUEUE, an(KUEUE, "ResourceFlavor", "h100")]),
        (an(KUEUE, "Topology", "racks"), [an(KUEUE, "ResourceFlavor", "h100"), QUEUE]),
    ],
    ids=lambda one: one["kind"] if isinstance(one, dict) else "",
)
class TestIdle:
    def test_it_is_said_where_all_is_known(
        self, lint: Lint, idle: dict[str, Any], beside: list[dict[str, Any]]
    ) -> None:
        assert f"{idle['kind']} {idle['metadata']['name']}" in lint(idle, *beside)

    @pytest.mark.parametrize(
        "more",
        [
            {"resources": ["all.yaml", "https://example.com/more"]},
            {"resources": ["all.yaml", "missing.yaml"]},
            {"components": ["../more"]},
            {"helmCharts": [{"name": "vllm"}]},
            {"resources": []},
        ],
    )
    def test_more_may_come(
        self,
        lint: Lint,
        idle: dict[str, Any],
        beside: list[dict[str, Any]],
        more: dict[str, Any],
    ) -> None:
        assert lint(idle, *beside, **more) == []

    def test_nobody_is_there_to_use_it(
        self, lint: Lint, idle: dict[str, Any], beside: list[dict[str, Any]]
    ) -> None:
        assert lint(idle) == []

    def test_a_kind_that_nobody_knows_may(
        self, lint: Lint, idle: dict[str, Any], beside: list[dict[str, Any]]
    ) -> None:
        assert lint(idle, *beside, an("fleets.example.com/v1", "ModelFleet")) == []


class TestUsed:
    def test_by_a_pod(self, lint: Lint) -> None:
        template = an("resource.k8s.io/v1", "ResourceClaimTemplate", "one-gpu")
        assert lint(SERVER, CLAIM, template) == []

    def test_by_the_address_of_a_model(self, lint: Lint) -> None:
        model = {"modelFormat": {"name": "vllm"}, "storageUri": "pvc://weights/qwen"}
        one = an("serving.kserve.io/v1beta1", "InferenceService", "chat")
        one["spec"] = {"predictor": {"model": model}}
        assert lint(one, CLAIM) == []
        model["storageUri"] = "pvc://others/qwen"
        assert lint(one, CLAIM) == ["PersistentVolumeClaim weights"]

    def test_by_a_copy(self, lint: Lint) -> None:
        source = {"dataSource": {"kind": "PersistentVolumeClaim", "name": "golden"}}
        copy = an("v1", "PersistentVolumeClaim", "weights", spec=source)
        assert lint(SERVER, copy, an("v1", "PersistentVolumeClaim", "golden")) == []

    def test_by_a_statefulset_that_calls_it_so(self, lint: Lint) -> None:
        spec = {"template": {"spec": {"containers": [{"name": "a", "image": "a:1"}]}}}
        server = an("apps/v1", "StatefulSet", "chat", spec=spec)
        assert lint(server, an("v1", "PersistentVolumeClaim", "weights-chat-0")) == []

    def test_a_queue_that_lends(self, lint: Lint) -> None:
        lender = an(KUEUE, "ClusterQueue", "spare", spec={"cohortName": "all"})
        local = an(KUEUE, "LocalQueue", "t", spec={"clusterQueue": "research"})
        assert lint(lender, QUEUE, local) == []


def test_a_folder_of_manifests_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(text(SERVER, an("v1", "PersistentVolumeClaim", "other")))
    assert not gpuspec.lint(str(tmp_path), select=["GPU025"]).findings
