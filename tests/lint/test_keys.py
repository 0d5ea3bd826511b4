"""Labels and annotations that one program reads, in one place."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuspec.keys import keys_named, meant, mistaken_for, old_named
from tests.lint.pages import raised
from tests.lint.patched import main, said
from tests.lint.sets import base, lint


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("ray.io/gang-scheduling-enbale", "ray.io/gang-scheduling-enabled"),
        ("kueue.k8s.io/queue-name", "kueue.x-k8s.io/queue-name"),
        ("kueue.x-k8s.io/queue", "kueue.x-k8s.io/queue-name"),
        ("kai.scheduler/queue-name", "kai.scheduler/queue"),
        ("karpenter.sh/do-not-distrub", "karpenter.sh/do-not-disrupt"),
        ("argocd.argoproj.io/hook-delete-polciy", "argocd.argoproj.io/hook-delete-policy"),
        ("autoscaling.knative.dev/min-scales", "autoscaling.knative.dev/min-scale"),
        ("NCCL_DEBG", "NCCL_DEBUG"),
        ("NCCL_SOCKETIFNAME", "NCCL_SOCKET_IFNAME"),
        ("NCCL_SOCKET_IFNME", "NCCL_SOCKET_IFNAME"),
        ("VLLM_WORKER_MULTIPROC_METOD", "VLLM_WORKER_MULTIPROC_METHOD"),
        ("HF_HUB_OFLINE", "HF_HUB_OFFLINE"),
    ],
)
def test_a_slip_is_told_from_the_key_that_was_meant(written: str, key: str) -> None:
    assert meant(written) == key


@pytest.mark.parametrize(
    "key",
    [
        "app",
        "example.com/queue-name",
        "kueue.x-k8s.io/queue-name",
        "kueue.x-k8s.io/anything-else",
        "provreq.kueue.x-k8s.io/maxRunDurationSeconds",
        "day.io/cluster",
        "karpenter.k8s.aws/instance-family",
        "argocd-image-updater.argoproj.io/image-list",
        "nvidia.com/use-gpu-types",
        "karpenter.sh/do-not-evict",
        "VLLM_ROCM_USE_AITER_MLX",
        "VLLM_USE_FLASHINFER_MOE_FP9",
        "autoscaling.knative.dev/mix-scale",
        "NCCL_OF_MY_OWN",
        "HF_TOKENS",
        "MY_NCCL_DEBG",
    ],
)
def test_other_keys_are_nobodys_slip(key: str) -> None:
    assert meant(key) is None


@given(st.text(max_size=40))
@settings(max_examples=200)
def test_any_key_can_be_asked_for(key: str) -> None:
    found = meant(key)
    assert found is None or (found != key and meant(found) is None)
    keys_named(key)
    old_named(key)


def test_a_key_that_is_in_its_place_too_is_quiet() -> None:
    queue = {"kueue.x-k8s.io/queue-name": "research"}
    twice = {"metadata": {"labels": queue}, "spec": {"template": {"metadata": {"labels": queue}}}}
    assert lint(base("job", twice)) == []


def test_pods_of_a_deployment_wait_in_queues_by_themselves() -> None:
    """C-37: Kueue admits them pod by pod, by their own label."""
    queue = {"kueue.x-k8s.io/queue-name": "serving"}
    assert lint(base("deployment", {"spec": {"template": {"metadata": {"labels": queue}}}})) == []


@pytest.mark.parametrize(
    ("field", "key", "right"),
    [
        ("annotations", "kai.scheduler/queue", "label"),
        ("annotations", "kueue.x-k8s.io/queue-name", "label"),
        ("labels", "k8s.v1.cni.cncf.io/networks", "annotation"),
    ],
)
def test_a_pod_has_labels_and_annotations_of_its_own(field: str, key: str, right: str) -> None:
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: x, FIELD: {{{key}: a}}}}\nspec: {{containers: []}}\n"
    (one,) = [each for each in raised(pod.replace("FIELD", field)) if each.rule.code == "GPU705"]
    assert f"only the {right} of that name counts" in one.found.message
    here = "labels" if field == "annotations" else "annotations"
    assert "GPU705" not in [each.rule.code for each in raised(pod.replace("FIELD", here))]


def test_a_key_that_is_read_on_objects_and_pods_alike() -> None:
    for place in ("metadata", "template"):
        one = "{name: x, annotations: {kai.scheduler/queue: a}}"
        template = one if place == "template" else "{labels: {a: b}}"
        own = one if place == "metadata" else "{name: x}"
        text = f"apiVersion: batch/v1\nkind: Job\nmetadata: {own}\nspec: {{template: {{metadata: {template}, spec: {{containers: []}}}}}}\n"
        assert "GPU705" in [each.rule.code for each in raised(text)]
        right = text.replace("annotations", "labels")
        assert "GPU705" not in [each.rule.code for each in raised(right)]


@pytest.mark.parametrize(
    ("image", "right"),
    [("ollama/ollama:0.30.2", "OLLAMA_CONTEXT_LENGTH"), ("example.com/client:1", None)],
)
def test_a_server_does_not_read_what_its_clients_have(image: str, right: str | None) -> None:
    env = "env: [{name: OLLAMA_NUM_CTX, value: '16384'}]"
    found = said("GPU704", "deployment", main(f"image: {image}\ncommand: null\nargs: null\n{env}"))
    assert [one.message.split("`")[3] for one in found] == ([right] if right else [])


def test_what_is_mistaken_for_a_variable_is_none() -> None:
    assert mistaken_for("OLLAMA_MODELS", "ollama") is None
    assert mistaken_for("OLLAMA_MODELS_DIR", "ollama") == "OLLAMA_MODELS"
    assert mistaken_for("OLLAMA_MODELS_DIR", "vllm") is None


@pytest.mark.parametrize(
    ("name", "value", "is_reported"),
    [
        ("GLOO_SOCKET_IFNAME", "^lo,docker,veth", True),
        ("GLOO_SOCKET_IFNAME", "=eth0", True),
        ("NCCL_SOCKET_IFNAME", "^lo,^docker0", True),
        ("GLOO_SOCKET_IFNAME", "eth0,eth1", False),
        ("NCCL_SOCKET_IFNAME", "^lo,docker,veth", False),
        ("NCCL_SOCKET_IFNAME", "=eth0", False),
    ],
)
def test_signs_before_interfaces(name: str, value: str, is_reported: bool) -> None:
    container = {"name": "main", "env": [{"name": name, "value": value}]}
    found = lint(base("job", {"spec": {"template": {"spec": {"containers": [container]}}}}))
    assert [one.rule for one in found] == (["GPU706"] if is_reported else [])
