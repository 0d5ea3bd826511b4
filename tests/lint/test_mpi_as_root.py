"""GPU768: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  template:
    spec:
      {security}
      containers:
        - name: main
          image: a/b:1
          command: [bash, -c, '{script}']
          resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
"""
ROOT = "securityContext: {runAsUser: 0}"


def said(script: str, security: str = ROOT) -> bool:
    text = JOB.format(script=script, security=security)
    return "GPU768" in [one.rule.code for one in raised(text)]


def test_root_is_refused_where_it_is_written() -> None:
    assert said("mpirun -np 2 python a.py")
    assert not said("mpirun -np 2 python a.py", "securityContext: {runAsUser: 1000}")
    assert not said("mpirun -np 2 python a.py", "hostIPC: false")


@pytest.mark.parametrize(
    "script",
    [
        "mpirun --allow-run-as-root -np 2 python a.py",
        "mpirun -allow-run-as-root -np 2 python a.py",
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; mpirun python a.py",
        "mpiexec.hydra -np 2 python a.py",
    ],
)
def test_root_is_allowed_or_is_no_matter(script: str) -> None:
    assert not said(script)
