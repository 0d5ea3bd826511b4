"""GPU949: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/train:1
      args: [ARGS]
      volumeMounts: [MOUNTS]
      resources: {limits: {nvidia.com/gpu: 1}}
  volumes: [VOLUMES]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: options, namespace: ml}
data: {train.yaml: "epochs: 3"}
"""
CONFIG = "{name: opts, configMap: {name: options}}"
CLAIM = "{name: dataset, persistentVolumeClaim: {claimName: c}}"


def said(args: str, mounts: str, volumes: str) -> list[str]:
    manifest = POD.replace("ARGS", args).replace("MOUNTS", mounts).replace("VOLUMES", volumes)
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU949"]


@pytest.mark.parametrize(
    ("args", "mounts", "volumes", "words"),
    [
        ("--config, /etc/train/train.yaml", "", CONFIG, "`opts`, which has the file"),
        ("--config=/etc/train/train.yaml", "", CONFIG, "`opts`, which has the file"),
        ("--data=/mnt/dataset/imagenet", "", CLAIM, "volume `dataset` is not mounted"),
        (
            "--data=/datasets/imagenet",
            "{name: dataset, mountPath: /dataset}",
            CLAIM,
            "is not below the mount `/dataset`",
        ),
    ],
)
def test_a_volume_for_it_is_there(args: str, mounts: str, volumes: str, words: str) -> None:
    (message,) = said(args, mounts, volumes)
    assert words in message


@pytest.mark.parametrize(
    ("args", "mounts", "volumes"),
    [
        ("--config=/etc/train/train.yaml", "{name: opts, mountPath: /etc/train}", CONFIG),
        # A file of the image, by its name.
        ("--config=/etc/train/other.yaml", "", CONFIG),
        ("--data=/mnt/other/imagenet", "", CLAIM),
        ("--data=$(DATA)/dataset/imagenet", "", CLAIM),
        ("--data=/opt/imagenet", "{name: dataset, mountPath: /dataset}", CLAIM),
        ("--data=/data-2/x", "{name: dataset, mountPath: /data-1}", CLAIM),
    ],
)
def test_what_may_be_in_the_image(args: str, mounts: str, volumes: str) -> None:
    assert not said(args, mounts, volumes)
