"""GPU744 and GPU745: beyond what their pages show."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: ft, namespace: ml}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: ft
      restartPolicy: Never
      containers:
        - name: train
          image: registry.example.com/train:1
          command: [torchrun, --nnodes=2, --master-addr=ADDRESS, train.py]
          resources: {limits: {nvidia.com/gpu: 8}}
"""
SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: pair, namespace: ml}
spec:
  serviceName: pair
  replicas: 2
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: pair}}
  template:
    metadata: {labels: {app: pair}}
    spec:
      containers:
        - name: server
          image: registry.example.com/server:1
          command: [sh, -c, "serve --dist-init-addr ADDRESS --rank ${HOSTNAME##*-}"]
          readinessProbe: {httpGet: {path: /health, port: 8000}}
          resources: {limits: {nvidia.com/gpu: 8}}
---
apiVersion: v1
kind: Service
metadata: {name: pair, namespace: ml}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {app: pair}
  ports: [{name: dist, port: 29500}]
"""


def said(text: str, address: str) -> list[RaisedFinding]:
    codes = ("GPU744", "GPU745")
    return [one for one in raised(text.replace("ADDRESS", address)) if one.rule.code in codes]


@pytest.mark.parametrize(
    "address", ["ft-0.ft", "ft-0.ft.ml.svc.cluster.local", "other-0.x", "host"]
)
def test_a_jobs_name_that_is_there_or_anothers(address: str) -> None:
    assert not said(JOB, address)


@pytest.mark.parametrize(
    ("before", "after", "address", "path", "words"),
    [
        ("subdomain: ft", "hostname: x", "ft-0.ft", "spec.template.spec.subdomain", "the pods have no `subdomain`"),
        ("subdomain: ft", "subdomain: it", "ft-0.ft", "spec.template.spec.subdomain", "rank 0 is `ft-0.it`"),
        ("completionMode: Indexed", "backoffLimit: 0", "ft-0.ft", "spec.completionMode", "no pod of this Job is named `ft-0`"),
        ("", "", "ft-0", "spec.template.spec.containers[0].command[2]", "DNS has no name `ft-0` without a domain"),
    ],
)  # fmt: skip
def test_a_jobs_name_that_nobody_has(
    before: str, after: str, address: str, path: str, words: str
) -> None:
    (one,) = said(JOB.replace(before, after), address)
    assert one.finding().path == path
    assert words in one.found.message


def test_one_pod_looks_for_nobody() -> None:
    text = JOB.replace("parallelism: 2", "parallelism: 1").replace(
        "completions: 2", "completions: 1"
    )
    assert not said(text.replace("subdomain: ft", "hostname: x"), "ft-0.ft")


def test_a_set_that_is_right() -> None:
    assert not said(SET, "pair-0.pair:29500")


@pytest.mark.parametrize(
    ("before", "after", "code", "path"),
    [
        ("  publishNotReadyAddresses: true\n", "", "GPU744", "spec.publishNotReadyAddresses"),
        ("  clusterIP: None\n", "", "GPU744", "spec.clusterIP"),
        ("serviceName: pair", "serviceName: it", "GPU744", "spec.serviceName"),
        ("  podManagementPolicy: Parallel\n", "", "GPU745", "spec.podManagementPolicy"),
    ],
)
def test_a_set_whose_ranks_never_meet(before: str, after: str, code: str, path: str) -> None:
    (one,) = said(SET.replace(before, after), "pair-0.pair:29500")
    assert (one.rule.code, one.finding().path) == (code, path)


def test_without_probes_a_pod_is_ready_as_it_starts() -> None:
    bare = SET.replace("          readinessProbe: {httpGet: {path: /health, port: 8000}}\n", "")
    bare = bare.replace("  publishNotReadyAddresses: true\n", "")
    assert not said(bare.replace("  podManagementPolicy: Parallel\n", ""), "pair-0.pair:29500")
