"""What a change means in people's terms: amounts, images, nodes, probes, security, autoscalers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpuspec.diff.hidden import MASK
from tests.diff.sides import change, compared, deployment, said, told

RESTARTS = "restarts the pods"
GPUS = ", resources: {{requests: {{cpu: {}, memory: {}}}, limits: {{nvidia.com/gpu: {}}}}}"


def remarks(old: str, new: str) -> list[str]:
    """What is said of a change, but for the restart."""
    return [one for one in said(change(old, new)) if one != RESTARTS]


def test_amounts_of_a_replica_and_in_all() -> None:
    old, new = (
        deployment(GPUS.format(cpu, memory, gpus), spec=", replicas: 4")
        for cpu, memory, gpus in ((16, "64Gi", 4), (32, "131072Mi", 8))
    )
    found = change(old, new)
    assert said(found) == [
        "GPUs 4 → 8 a replica, +16 in all",
        "CPU 16 → 32 a replica, +64 in all",
        "memory 64Gi → 128Gi a replica, +256Gi in all",
        RESTARTS,
    ]
    assert [(one.resource, one.each) for one in found.amounts] == [
        ("nvidia.com/gpu", (Fraction(4), Fraction(8))),
        ("cpu", (Fraction(16), Fraction(32))),
        ("memory", (Fraction(64 * 1024**3), Fraction(128 * 1024**3))),
    ]


def test_replicas_count_for_all_that_a_replica_asks_for() -> None:
    old, new = (
        deployment(GPUS.format("500m", "512Mi", 8), spec=f", replicas: {n}") for n in (3, 1)
    )
    assert said(change(old, new)) == [
        "pods 3 → 1",
        "GPUs -16 in all",
        "CPU -1 in all",
        "memory -1Gi in all",
    ]


def test_another_maker_and_slices_are_told_apart() -> None:
    old, new = (
        deployment(f", resources: {{limits: {{{name}: 1}}}}")
        for name in ("nvidia.com/gpu", "amd.com/gpu")
    )
    assert remarks(old, new) == [
        "GPUs (amd.com/gpu) 0 → 1 a replica, +1 in all",
        "GPUs (nvidia.com/gpu) 1 → 0 a replica, -1 in all",
    ]
    sliced = new.replace("amd.com/gpu", "nvidia.com/mig-1g.10gb")
    assert "MIG slices 1g.10gb 0 → 1 a replica, +1 in all" in remarks(old, sliced)


def test_the_sum_of_all_is_of_what_differs() -> None:
    found = compared(
        deployment(GPUS.format(1, "1Gi", 1)),
        deployment(GPUS.format(1, "1Gi", 2))
        + "---\n"
        + deployment(GPUS.format(0, "0", 4), name="b"),
    )
    assert [(one.resource, one.old.least, one.new.least) for one in found.totals] == [
        ("nvidia.com/gpu", Fraction(1), Fraction(6))
    ]


SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec: {minReplicas: 2, maxReplicas: MOST, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}}
"""


def scaled(most: int, **more: str) -> str:
    return deployment(", resources: {limits: {nvidia.com/gpu: 1}}", **more) + SCALER.replace(
        "MOST", str(most)
    )


def of_the_deployment(old: str, new: str) -> list[str]:
    (found,) = (one for one in compared(old, new).changes if one.object.kind == "Deployment")
    return said(found)


def test_an_autoscaler_that_may_make_more() -> None:
    assert of_the_deployment(scaled(4), scaled(8)) == [
        "pods 2–4 → 2–8, scaled by HorizontalPodAutoscaler chat",
        "GPUs 0 to +4 in all",
    ]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (scaled(4), scaled(4, spec=", replicas: 3"),
         "! `replicas` is written, but HorizontalPodAutoscaler chat scales it: each apply resets it"),
        (scaled(4, spec=", replicas: 3"), scaled(4),
         "! `replicas` is left to HorizontalPodAutoscaler chat: a client-side apply sets it to 1 once"),
        (scaled(4, spec=", replicas: 3").partition("---")[0], scaled(4, spec=", replicas: 3"),
         "! `replicas` is written, but HorizontalPodAutoscaler chat scales it: each apply resets it"),
        (scaled(4).partition("---")[0], scaled(4), "HorizontalPodAutoscaler chat scales it from now on"),
        (scaled(4), scaled(4).partition("---")[0], "HorizontalPodAutoscaler chat no longer scales it"),
    ],
)  # fmt: skip
def test_replicas_beside_an_autoscaler(old: str, new: str, text: str) -> None:
    assert text in of_the_deployment(old, new)


A, B = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x/y:1", "x/y:2", ["image of main: tag 1 → 2"]),
        ("x/y:1", "r.io:5000/y:1", ["image of main: x/y → r.io:5000/y"]),
        (f"x/y:1@{A}", f"x/y:1@{B}", ["image of main: digest aaaaaaaaaaaa → bbbbbbbbbbbb, under the same tag"]),
        (f"x/y:1@{A}", f"x/y:2@{B}", ["image of main: tag 1 → 2", "image of main: digest aaaaaaaaaaaa → bbbbbbbbbbbb"]),
        (f"x/y:1@{A}", "x/y:1", ["! image of main is no longer pinned: its tag can move"]),
        ("x/y:1", f"x/y@{A}", ["image of main: tag 1 → (none)", "image of main is pinned to a digest"]),
    ],
)  # fmt: skip
def test_images(old: str, new: str, expected: list[str]) -> None:
    texts = (deployment().replace("example/chat:1", image) for image in (old, new))
    assert remarks(*texts) == expected


def affinity(key: str, *terms: str) -> str:
    listed = ", ".join(
        f"{{matchExpressions: [{{key: {key}, operator: In, values: [{values}]}}]}}"
        for values in terms
    )
    return (
        ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        f"{{nodeSelectorTerms: [{listed}]}}}}}}"
    )


GFD, GKE = "nvidia.com/gpu.product", "cloud.google.com/gke-accelerator"
SPOT = ", nodeSelector: {cloud.google.com/gke-spot: 'true'}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (f", nodeSelector: {{{GKE}: nvidia-h100-80gb}}", f", nodeSelector: {{{GKE}: nvidia-tesla-a100}}",
         ["GPU model H100-80GB → A100-40GB"]),
        # Two labellers' words for one model.
        (f", nodeSelector: {{{GKE}: nvidia-h100-80gb}}", affinity(GFD, "NVIDIA-H100-80GB-HBM3"), []),
        (affinity(GFD, "NVIDIA-L4"), affinity(GFD, "NVIDIA-L4, Tesla-T4"), ["GPU model L4 → L4 or T4"]),
        (affinity(GFD, "NVIDIA-L4"), affinity(GFD, "NVIDIA-L4", "Tesla-T4"), ["GPU model L4 → L4 or T4"]),
        (affinity(GFD, "NVIDIA-L4"), "", ["GPU model L4 → any"]),
        ("", f", nodeSelector: {{{GFD}: Home-Made}}", ["GPU model any → Home-Made"]),
        (", nodeSelector: {karpenter.sh/nodepool: a}", ", nodeSelector: {karpenter.sh/nodepool: b}", ["pool a → b"]),
        ("", SPOT, ["! on spot nodes only"]),
        (SPOT, "", ["no longer on spot nodes only"]),
    ],
)  # fmt: skip
def test_nodes_in_peoples_names(old: str, new: str, expected: list[str]) -> None:
    assert remarks(deployment(pod=old), deployment(pod=new)) == expected


PROBE = ", startupProbe: {{httpGet: {{path: /{}, port: 80}}, failureThreshold: {}}}"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (PROBE.format("a", 60), PROBE.format("a", 30), ["! startup probe of main gives up after 10m → 5m"]),
        (PROBE.format("a", 30), PROBE.format("a", 60), ["startup probe of main gives up after 5m → 10m"]),
        (PROBE.format("a", 30), PROBE.format("b", 30), ["startup probe of main uses another handler"]),
        (PROBE.format("a", 30), "", ["! startup probe of main removed"]),
        ("", PROBE.format("a", 30).replace("startup", "liveness"), ["liveness probe of main added"]),
        (PROBE.format("a", 30).replace("startup", "readiness"), "", ["! readiness probe of main removed"]),
    ],
)  # fmt: skip
def test_probes(old: str, new: str, expected: list[str]) -> None:
    assert remarks(deployment(old), deployment(new)) == expected


HARD = (
    ", securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true,"
    " capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}"
)
NO_TOKEN = ", automountServiceAccountToken: false"


@pytest.mark.parametrize(
    ("container", "pod", "weaker"),
    [
        (HARD.replace("runAsNonRoot: true, ", ""), "", "main may run as root"),
        (HARD.replace("runAsNonRoot: true", "runAsUser: 0"), "", "main runs as root (user 0)"),
        (HARD.replace("readOnlyRootFilesystem: true,", ""), "", "main may write to its root file system"),
        (HARD.replace("allowPrivilegeEscalation: false, ", ""), "", "main may gain privileges"),
        (HARD.replace("drop: [ALL]", "drop: [ALL], add: [IPC_LOCK]"), "", "main has the capability IPC_LOCK"),
        (HARD.replace("RuntimeDefault", "Unconfined"), "", "main runs without a seccomp profile"),
        (HARD.replace("runAs", "privileged: true, runAs"), "", "main is privileged"),
        (HARD, ", hostNetwork: true", "the node's network (`hostNetwork`)"),
        (HARD, ", volumes: [{name: d, hostPath: {path: /dev}}]", "the node's folder /dev"),
    ],
)  # fmt: skip
def test_security_that_is_weakened_and_tightened(container: str, pod: str, weaker: str) -> None:
    strong = deployment(HARD, NO_TOKEN)
    weak = deployment(container, NO_TOKEN + pod)
    assert remarks(strong, weak) == [f"! security weakened: {weaker}"]
    assert remarks(weak, strong) == [f"security tightened: no longer: {weaker}"]


def test_what_a_pod_says_holds_for_its_containers() -> None:
    """Moving settings to the pod weakens nothing."""
    for_all = ", securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}"
    own = HARD.replace("runAsNonRoot: true, ", "").replace(
        ", seccompProfile: {type: RuntimeDefault}", ""
    )
    assert remarks(deployment(HARD), deployment(own, for_all)) == []


def test_a_token_and_a_namespaces_level() -> None:
    assert remarks(deployment(pod=NO_TOKEN), deployment()) == [
        "! security weakened: a service account token is mounted"
    ]
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x, labels: {pod-security.kubernetes.io/enforce: LEVEL}}\n"
    levels = (space.replace("LEVEL", one) for one in ("restricted", "baseline"))
    assert said(change(*levels)) == ["! security weakened: enforces restricted → baseline"]


def test_a_container_under_a_new_name_weakens_nothing() -> None:
    assert remarks(deployment(), deployment().replace("name: main", "name: server")) == []


def test_what_is_the_default_anyway_restarts_nothing() -> None:
    old, new = deployment(), deployment(pod=", schedulerName: default-scheduler")
    assert said(change(old, new)) == []
    assert said(change(old, new.replace("default-scheduler", "volcano"))) == [RESTARTS]


# ------------------------------------------------------------------------------------ secrets

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: hf, namespace: serving}\n"


def test_the_data_of_a_secret_is_never_told() -> None:
    old = SECRET + "stringData: {token: hunter1, kept: hunter0}\n"
    new = SECRET + "stringData: {token: hunter2, kept: hunter0}\ndata: {more: aHVudGVyMw==}\n"
    found = change(old, new)
    assert [(one.path, one.change, one.hidden) for one in found.fields] == [
        ("stringData.token", "changed", True),
        ("data.more", "added", True),
    ]
    assert "hunter" not in repr(compared(old, new))
    assert "aHVudGVy" not in repr(compared(old, new))
    for pair in ((OTHER, new), (new, OTHER), (OTHER + new, OTHER + new.replace("hf", "hf2"))):
        assert "hunter" not in repr(compared(*pair))


OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n---\n"


def test_a_variable_named_like_a_secret_is_not_told() -> None:
    old = deployment(", env: [{name: HF_TOKEN, value: hunter1}]")
    new = deployment(", env: [{name: HF_TOKEN, value: hunter2}, {name: API_KEY, value: hunter3}]")
    found = change(old, new)
    assert told(found)[-1].endswith(f"{{'name': 'API_KEY', 'value': '{MASK}'}}")
    assert "hunter" not in repr(found)
    plain = deployment(", env: [{name: MAX_TOKENS, value: '5'}]")
    assert "'5'" in told(change(deployment(), plain))[0]


def test_whose_variables_wait_for_a_restart() -> None:
    reader = deployment(", env: [{name: A, valueFrom: {secretKeyRef: {name: hf, key: token}}}]")
    old, new = (f"{reader}---\n{SECRET}stringData: {{token: {value}}}\n" for value in "ab")
    assert said(change(old, new)) == [
        "variables of Deployment serving/chat change only when its pods restart"
    ]


@pytest.mark.parametrize("written", ["99999999999999999999", '"lots"', "-1", "[1]"])
def test_what_is_no_amount_is_not_counted_as_nothing(written: str) -> None:
    old = deployment(", resources: {limits: {nvidia.com/gpu: 4}}")
    new = deployment(f", resources: {{limits: {{nvidia.com/gpu: {written}}}}}")
    found = compared(old, new)
    (one,) = found.changes
    (told,) = (remark.text for remark in one.remarks if remark.alarm)
    assert told.startswith("GPUs: `")
    assert told.endswith("` is not a quantity and is not counted")
    assert one.amounts == ()
    assert found.totals == ()
    back = compared(new, old)
    assert back.totals == ()
    assert not any(remark.alarm for remark in back.changes[0].remarks)
