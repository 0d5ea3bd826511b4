"""GPU983: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

ACCOUNT = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: ml, annotations: {KEY: x}}
---
"""
READER = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: ml}
spec:
  serviceAccountName: ACCOUNT
  containers:
    - {name: main, image: "example:1", args: [--model, BUCKET/a]MORE}
---
"""
KEYS = {
    "s3://models": "eks.amazonaws.com/role-arn",
    "gs://models": "iam.gke.io/gcp-service-account",
    "abfss://models@store.dfs.core.windows.net": "azure.workload.identity/client-id",
}


def _reader(name: str, account: str, bucket: str, more: str = "") -> str:
    text = READER.replace("NAME", name).replace("ACCOUNT", account)
    return text.replace("BUCKET", bucket).replace("MORE", more)


def _is_found(*parts: str) -> bool:
    return "GPU983" in [one.rule.code for one in raised("".join(parts))]


@pytest.mark.parametrize("bucket", KEYS)
def test_each_provider_has_its_annotation(bucket: str) -> None:
    account = ACCOUNT.replace("KEY", KEYS[bucket])
    one = _reader("one", "reader", bucket)
    assert _is_found(account, one, _reader("two", "default", bucket))
    assert not _is_found(account, one, _reader("two", "reader", bucket))
    assert not _is_found(ACCOUNT, one, _reader("two", "default", bucket))


def test_what_may_have_credentials_is_left_alone() -> None:
    bucket, key = next(iter(KEYS.items()))
    before = ACCOUNT.replace("KEY", key) + _reader("one", "reader", bucket)
    env = ', env: [{name: AWS_ACCESS_KEY_ID, value: "x"}]'
    assert not _is_found(before, _reader("two", "default", bucket, env))
    assert not _is_found(
        before, _reader("two", "default", bucket, ", envFrom: [{secretRef: {name: s}}]")
    )
    assert not _is_found(before, _reader("two", "elsewhere", bucket))
    assert not _is_found(before, _reader("two", "default", "s3://others"))
    assert not _is_found(
        before, _reader("two", "default", bucket).replace("namespace: ml", "namespace: x")
    )
