"""GPU755: which addresses lead to any rank, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {{labels: {{app: train}}}}
    spec:
      subdomain: train
      restartPolicy: Never
      containers:
        - name: rank
          image: a/b:1
          command: [torchrun, --nnodes=2, --nproc-per-node=8, train.py]
          env: [{{name: MASTER_ADDR, value: {address}}}]
          resources: {{limits: {{nvidia.com/gpu: 8}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: train, namespace: {namespace}}}
spec: {{clusterIP: None, selector: {{app: train{more}}}}}
"""


def said(address: str, more: str = "", namespace: str = "ml") -> list[str | None]:
    found = raised(JOB.format(address=address, more=more, namespace=namespace))
    return [one.found.note for one in found if one.rule.code == "GPU755"]


@pytest.mark.parametrize("address", ["train", "train.ml.svc.cluster.local"])
def test_it_says_what_leads_to_rank_0(address: str) -> None:
    assert said(address) == [
        (
            "select only rank 0 in the Service: `batch.kubernetes.io/job-completion-index: "
            '"0"`, or use `train-0.train`'
        )
    ]


def test_what_leads_to_one_pod_or_elsewhere_is_silent() -> None:
    assert said("train-0.train") == []
    assert said("head.example.com") == []
    assert said("train", ', batch.kubernetes.io/job-completion-index: "0"') == []
    assert said("train", namespace="other") == []
