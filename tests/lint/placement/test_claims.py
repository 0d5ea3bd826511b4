"""Volumes that one node can mount."""

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Also
from gpuspec.loading.feeds import TextFeed
from gpuspec.manifests import Source
from tests.lint.placement.pods import findings


def test_a_claim_that_two_workloads_need_on_different_nodes() -> None:
    claim = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [MODE]}
"""
    user = """
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  nodeSelector: {example.com/pool: POOL}
  containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
    one = user.replace("NAME", "one").replace("POOL", "h100")
    other = user.replace("NAME", "other").replace("POOL", "l4")
    [found] = findings(claim.replace("MODE", "ReadWriteOnce") + one + other, "GPU208")
    assert [
        each.line for each in raised_related(claim.replace("MODE", "ReadWriteOnce") + one + other)
    ]
    assert found.path == "spec.accessModes"
    assert not findings(claim.replace("MODE", "ReadWriteMany") + one + other, "GPU208")
    near = other.replace("l4", "h100")
    assert not findings(claim.replace("MODE", "ReadWriteOnce") + one + near, "GPU208")


def raised_related(text: str) -> tuple[Also, ...]:
    engine = Engine(lambda code: code == "GPU208")
    [found] = list(engine.run(TextFeed([Source("page.yaml", text)])))
    return engine.related(found)
