"""GPU860: which claims the kubelet hands over file by file."""

import pytest
import yaml

from tests.lint.patched import said

CLAIM: dict[str, object] = {
    "accessModes": ["ReadWriteOnce"],
    "resources": {"requests": {"storage": "2Ti"}},
}


def findings(claim: dict[str, object], volume: str = "", security: str = "") -> int:
    made = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "archive", "namespace": "research"},
        "spec": claim,
    }
    patch = (
        f"spec: {{template: {{spec: {{securityContext: {{fsGroup: 1000{security}}}, volumes: "
        f"[{{name: data, persistentVolumeClaim: {{claimName: archive{volume}}}}}]}}}}}}"
    )
    return len(said("GPU860", "job", patch, yaml.safe_dump(made)))


def test_a_large_claim_of_one_node_is_told() -> None:
    assert findings(CLAIM) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"resources": {"requests": {"storage": "900Gi"}}},
        {"accessModes": ["ReadWriteMany"]},
        {"accessModes": ["ReadWriteOnce", "ReadOnlyMany"]},
        {"volumeMode": "Block"},
        {"storageClassName": "local-path"},
    ],
)
def test_what_is_small_or_not_handed_over_is_not(more: dict[str, object]) -> None:
    assert findings(CLAIM | more) == 0


def test_what_is_not_written_is_not() -> None:
    assert findings(CLAIM, volume=", readOnly: true") == 0


def test_what_looks_at_the_root_alone_is_not() -> None:
    assert findings(CLAIM, security=", fsGroupChangePolicy: OnRootMismatch") == 0
    assert findings(CLAIM, security=", fsGroupChangePolicy: Always") == 1


def test_templates_of_a_statefulset_are_claims_too() -> None:
    patch = {
        "spec": {
            "template": {"spec": {"securityContext": {"fsGroup": 1000}}},
            "volumeClaimTemplates": [{"metadata": {"name": "cache"}, "spec": CLAIM}],
        }
    }
    (found,) = said("GPU860", "statefulset", yaml.safe_dump(patch))
    assert "`cache`" in found.message
    assert found.severity == "info"
