"""GPU777: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: t, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: example.com/app:1
          command: COMMAND
          env: [{name: NAME, value: /results}]
          volumeMounts: [{name: data, mountPath: /data, readOnly: true}MORE]
          resources: {limits: {nvidia.com/gpu: 1}}
      volumes: [{name: data, VOLUME}, {name: more, emptyDir: {}}]
"""
CLAIM = "persistentVolumeClaim: {claimName: data}"


def said(*more: str, program: str = "train.py", name: str = "TEAM", **given: str) -> list[str]:
    text = JOB.replace("COMMAND", json.dumps(["python", program, *more])).replace("NAME", name)
    text = text.replace("MORE", given.get("mounts", "")).replace(
        "VOLUME", given.get("volume", CLAIM)
    )
    return [one.found.message for one in raised(text) if one.rule.code == "GPU777"]


def test_a_checkpoint_and_a_result() -> None:
    (checkpoint,) = said("--checkpoint_dir=/ckpt")
    assert "step 0" in checkpoint
    (result,) = said(name="OUTPUT_DIR")
    assert "`/results`" in result


@pytest.mark.parametrize(
    "words",
    [
        ["--output-dir", "/data/out"],
        ["--output-dir", "/tmp/out"],
        ["--output-dir", "out"],
        ["--output-dir", "$(OUT)"],
        ["--cache-dir", "/cache"],
        ["--output-dir", "/out", "--push_to_hub"],
        ["--output-dir", "/out", "--then", "s3://bucket/out"],
    ],
)
def test_what_is_kept_or_may_be(words: list[str]) -> None:
    assert said(*words) == []


def test_what_is_mounted_there() -> None:
    words = ["--output-dir", "/out"]
    assert said(*words)
    assert said(*words, mounts=", {name: more, mountPath: /out}") == []
    assert said("--output-dir=/out/", mounts=", {name: more, mountPath: /out/models}") == []


def test_other_work_and_other_volumes() -> None:
    assert said("--output-dir", "/out", program="evaluate.py") == []
    assert said("--output-dir", "/out", volume="emptyDir: {}") == []
