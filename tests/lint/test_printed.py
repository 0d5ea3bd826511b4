"""C-63: manifests that documents about GPUs print are found to be what those documents say of them."""

import pytest
import yaml

import gpuspec
from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import HERE, merge

CLUSTER = "examples/clusters/bare-metal.yaml"
"""Its T4 nodes are those of the documents: label `accelerator: nvidia`, taint `accelerator=gpu`."""

# What they discuss. GPU602: images with CUDA run as root unless told otherwise, and Pod Security is not
# relaxed for them. GPU512: a rollout stuck at its half, for want of spare GPUs. GPU015: a name to fill in.
# GPU108: memory tells the scheduler how much ordinary capacity a pod needs. GPU201: the pool's taint.
FINDINGS = {
    "gpu-smoke-test": {"GPU602": "info"},
    "gpu-test-pod": {"GPU602": "info"},
    "gpu-smoketest": {},
    "recommender-inference": {"GPU512": "warning", "GPU602": "info"},
    "ticket-classifier": {"GPU512": "warning", "GPU602": "info"},
    "image-ranker": {"GPU512": "warning", "GPU602": "info"},
    "skeleton": {"GPU015": "error", "GPU108": "warning"},
}
MENDED = """\
spec:
  template:
    spec:
      nodeSelector: {accelerator: nvidia}
      tolerations: [{key: accelerator, operator: Equal, value: gpu, effect: NoSchedule}]
"""
"""What one document adds to its pending Deployment."""

FOUND = {
    value["metadata"]["name"]: yaml.safe_dump(value, sort_keys=False)
    for value in yaml.safe_load_all((HERE / "printed.yaml").read_text())
}


def said(text: str, profile: str | None = None) -> dict[str, str]:
    """Rule to severity, of all that is found."""
    cluster = gpuspec.load_profiles(profile)[0] if profile else None
    engine = Engine(lambda code: True, cluster)
    found = [one.finding() for one in engine.run(TextLoader([SourceFile("document.yaml", text)]))]
    assert len(found) == len({one.rule for one in found}), found
    return {one.rule: one.severity for one in found}


@pytest.mark.parametrize("name", FINDINGS)
def test_what_is_found_is_what_the_documents_discuss(name: str) -> None:
    assert said(FOUND[name]) == FINDINGS[name]


def test_a_deployment_that_pends_at_a_taint_and_its_mended_form() -> None:
    # GPU209: the cluster has arm64 hosts too, and nothing keeps the pod off them.
    pending = said(FOUND["image-ranker"], CLUSTER)
    assert pending == {"GPU201": "error", "GPU209": "info", "GPU602": "info"}
    mended = yaml.safe_dump(merge(yaml.safe_load(FOUND["image-ranker"]), yaml.safe_load(MENDED)))
    assert said(mended, CLUSTER) == FINDINGS["image-ranker"]
    assert said(FOUND["recommender-inference"], CLUSTER) == FINDINGS["recommender-inference"]
