"""GPU987: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

JOB = """\
apiVersion: {api}
kind: {kind}
metadata: {{name: work}}
spec:
  {more}
  template:
    metadata: {{labels: {{app: work}}}}
    spec:
      {policy}
      containers:
        - name: main
          image: registry.example.com/work:1
          command: {command}
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""


def said(script: str, shell: tuple[str, ...] = ("bash", "-c"), kind: str = "Job") -> list[str]:
    is_job = kind == "Job"
    text = JOB.format(
        api="batch/v1" if is_job else "apps/v1",
        kind=kind,
        more="backoffLimit: 1" if is_job else "selector: {matchLabels: {app: work}}",
        policy="restartPolicy: Never" if is_job else "restartPolicy: Always",
        command=json.dumps([*shell, script]),
    )
    return [one.found.message for one in raised(text) if one.rule.code == "GPU987"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("python train.py 2>&1 | tee /log", "is that of `tee` at the pipe's end, not of `python`"),
        (
            "cd /app\nCUDA_VISIBLE_DEVICES=0 torchrun train.py \\\n  --lr 1 | tee log",
            "not of `torchrun`",
        ),
        ("accelerate launch train.py || true", "`|| true` takes the place"),
        ("torchrun train.py; echo done", "is that of `echo` at the script's end"),
        ("torchrun train.py\ncp -r out /data\n", "is that of `cp`"),
        ("nohup python train.py > /log 2>&1 &", "runs in the background and the script ends"),
    ],
)
def test_whose_status_is_not_the_scripts(script: str, words: str) -> None:
    (message,) = said(script)
    assert words in message


@pytest.mark.parametrize(
    "script",
    [
        "torchrun train.py",
        "pip install x; torchrun train.py",
        "set -euo pipefail\npython train.py | tee log\necho done",
        "set -e\ntorchrun train.py\necho done",
        "torchrun train.py && echo done",
        "python train.py | tee log; exit ${PIPESTATUS[0]}",
        "python train.py & wait $!",
        "python a.py & tail -f log",
        "if [ -d /x ]; then python a.py | tee log; fi",
        "cat in | python train.py",
        "python prepare.py; python train.py",
        "python -c 'import torch' | tee log; torchrun train.py",
        "torchrun train.py || exit 1",
        "echo 'python a.py | tee b'",
    ],
)
def test_whose_status_is_that_of_its_work(script: str) -> None:
    assert said(script) == []


def test_an_option_of_the_shell_and_another_kind() -> None:
    assert said("torchrun train.py; echo done", ("bash", "-ec")) == []
    assert said("python serve.py | tee log", kind="Deployment") == []
