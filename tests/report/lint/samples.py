"""One set of findings that every format is shown: all that a report has to get right."""

from typing import Any

from gpuspec.kinds import ObjectIdentity
from gpuspec.lint.model import Also, Edit, Finding, TextFix
from gpuspec.lint.result import LintResult, SuppressedFinding
from gpuspec.loading.notes import LoadingNote

TRAIN = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: ml
spec:
  template:
    spec:
      containers:
        - name: main
          image: ghcr.io/acme/train:latest
          command: [python, -m, train, --data, /data, --epochs, "100", --batch-size, "64", --precision, bf16, --resume, auto, --checkpoint-every, 30m]
          resources:
            requests:
              nvidia.com/gpu: 8
            limits:
              cpu: 16
          livenessProbe:
            httpGet:
              path: /health
              port: 8000
            periodSeconds: 5
            failureThreshold: 1
      restartPolicy: Never
"""
CHAT = """\
# 模型服务 über alles
apiVersion: v1
kind: Service
metadata: {name: "聊天", labels: {team: "データ", app: chat}}
spec:
\tselector: {app: chat-v2}
---
script: |
  first
  second

"""
JOB = ObjectIdentity("batch/v1", "Job", "ml", "train")
SERVICE = ObjectIdentity("v1", "Service", "", "chat")
RESOURCES = "spec.template.spec.containers[0].resources"


def finding(at: tuple[int, int, int, int], **fields: Any) -> Finding:
    line, column, end_line, end_column = at
    base: dict[str, Any] = {
        "rule": "GPU190",
        "name": "request-differs-from-limit",
        "severity": "error",
        "confidence": "certain",
        "message": "`nvidia.com/gpu` has a request but no limit: the API server rejects the pod",
        "file": "k8s/train.yaml",
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "path": f'{RESOURCES}.requests["nvidia.com/gpu"]',
        "object": JOB,
    }
    return Finding(**(base | fields))


LIMIT = finding(
    (15, 15, 15, 29),
    fix=TextFix(
        "set the limit too",
        safe=True,
        edits=(Edit(18, 1, 18, 1, "              nvidia.com/gpu: 8\n"),),
    ),
)
PROBE = finding(
    (19, 13, 23, 32),
    rule="GPU590",
    name="liveness-kills-loading",
    severity="warning",
    confidence="likely",
    message="the liveness probe kills the container after 5s, and the model takes some 180s to load: "
    "it restarts for ever",
    path="spec.template.spec.containers[0].livenessProbe",
    note="140Gi at 800Mi/s, the bandwidth of storage class `fast`",
    fix=TextFix(
        "give it a startup probe",
        safe=False,
        edits=(
            Edit(22, 28, 22, 29, "30"),
            Edit(24, 1, 24, 1, "          startupProbe:\n            failureThreshold: 60\n"),
        ),
        reason="changes when the kubelet restarts the container",
    ),
)
LONG = finding(
    (12, 97, 12, 101),
    rule="GPU990",
    name="precision-not-supported",
    severity="info",
    confidence="possible",
    message="`--precision bf16` needs compute capability 8.0",
    path="spec.template.spec.containers[0].command[10]",
    template="train/templates/job.yaml",
)
SELECTS = finding(
    (6, 12, 6, 26),
    rule="GPU890",
    name="service-selects-nothing",
    message="no pod carries `app: chat-v2`: requests get no answer",
    file="k8s/chat|雪.yaml",
    path="spec.selector",
    object=SERVICE,
    related=(Also("k8s/deploy.yaml", 9, 7, "the pods of Deployment chat carry `app: chat`"),),
)
WIDE = finding(
    (4, 39, 4, 44),
    rule="GPU690",
    name="label-not-allowed",
    severity="warning",
    message='`"データ"` is no label\'s value: the API server refuses <it> & 100% of "it", says @admin',
    file="k8s/chat|雪.yaml",
    path="metadata.labels.team",
    object=SERVICE,
)
BLOCK = finding(
    (8, 9, 12, 1),
    rule="GPU090",
    name="not-read",
    message="first line\nsecond: line, with a comma",
    file="k8s/chat|雪.yaml",
    path="",
    object=None,
)
STDIN = finding((3, 1, 3, 5), file="<stdin>", message="a text that nobody kept", path="kind")
FINDINGS = (LONG, LIMIT, PROBE, WIDE, SELECTS, BLOCK, STDIN)
RESULT = LintResult(
    findings=FINDINGS,
    suppressed=(SuppressedFinding(LIMIT, "the queue sets it"),),
    baselined=(PROBE, PROBE, PROBE),
    notes=(
        LoadingNote("charts/x.yaml", "skipped: template syntax that is not YAML"),
        LoadingNote("", "not looked into: example.com/Widget, 2 objects"),
    ),
    files=3,
    documents=14,
    texts={"k8s/train.yaml": TRAIN, "k8s/chat|雪.yaml": CHAT},
)
CLEAN = LintResult(files=3, documents=14, suppressed=RESULT.suppressed)
PODS = "".join(
    f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{n}}}\nspec: {{containers: [{{name: a}}]}}\n---\n"
    for n in range(30)
)
MANY = LintResult(
    findings=(
        *(
            finding(
                (5 * n + 4, 20, 5 * n + 4, 29),
                rule="GPU691",
                name="runs-as-root",
                message="container `a` may run as root",
                path="spec.containers[0]",
                object=ObjectIdentity("v1", "Pod", "", f"p{n}"),
                file="pods.yaml",
            )
            for n in range(30)
        ),
        SELECTS,
    ),
    files=2,
    documents=31,
    texts={"pods.yaml": PODS},
)
