"""GPU977: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

S3 = """\
apiVersion: v1
kind: Secret
metadata:
  name: models
  namespace: serving
  annotations: {serving.kserve.io/s3-endpoint: "minio:9000", serving.kserve.io/s3-usehttps: "0"}
stringData: {AWS_ACCESS_KEY_ID: a, AWS_SECRET_ACCESS_KEY: b}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: serving}
secrets: [{name: models}]
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, namespace: serving}
spec:
  predictor:
    serviceAccountName: reader
    model:
      modelFormat: {name: huggingface}
      storageUri: s3://models/llama
"""
STORED = """\
apiVersion: v1
kind: Secret
metadata: {name: storage-config, namespace: serving}
stringData:
  minio: '{"type": "s3", "bucket": "models"}'
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama, namespace: serving}
spec:
  predictor:
    model:
      modelFormat: {name: huggingface}
      storage: {key: minio, path: llama}
"""


def _messages(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU977"]


def test_what_kserve_reads() -> None:
    assert not _messages(S3)
    assert not _messages(STORED)
    assert not _messages(S3.replace("AWS_SECRET_ACCESS_KEY", "awsSecretAccessKey"))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("AWS_SECRET_ACCESS_KEY", "secretkey", "has no key that KServe reads for `s3://`"),
        ("serving.kserve.io/s3-endpoint", "serving.kserve.org/s3-endpoint", "does not read"),
        ('s3-usehttps: "0"', 's3-usehttps: "false"', "turns HTTPS on"),
        ("secrets: [", "imagePullSecrets: [", "in `imagePullSecrets`"),
        (
            "name: reader, namespace: serving}",
            "name: reader, namespace: serving, annotations: {serving.kserve.io/s3-region: eu}}",
            "only next to",
        ),
    ],
)
def test_what_kserve_does_not_read(before: str, after: str, message: str) -> None:
    (said,) = _messages(S3.replace(before, after, 1))
    assert message in said


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("key: minio", "key: models", "has no key `models`"),
        ('"s3"', '"minio"', "does not know, `minio`"),
        ('", "bucket', '" "bucket', "not valid JSON"),
        (', "bucket": "models"', "", "has no `bucket`"),
    ],
)
def test_a_location(before: str, after: str, message: str) -> None:
    (said,) = _messages(STORED.replace(before, after))
    assert message in said


def test_what_another_namespace_or_scheme_has() -> None:
    wrong = S3.replace("AWS_SECRET_ACCESS_KEY", "secretkey")
    assert not _messages(wrong.replace("s3://", "pvc://"))
    assert not _messages(wrong.replace("namespace: serving", "namespace: other", 1))
