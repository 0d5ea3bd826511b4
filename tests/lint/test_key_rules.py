"""Values of keys, what they need beside them, and what went out of use."""

import pytest

from tests.lint.pages import raised
from tests.lint.patched import of
from tests.lint.plain import an, text

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x, labels: {LABELS}, annotations: {ANNOTATIONS}}
spec:
  nodeSelector: {SELECTOR}
  containers:
    - name: main
      image: IMAGE
      envFrom: [FROM]
      env: [ENV]
"""


def said(
    code: str, *, of: str = POD, image: str = "example.com/train:1", **parts: str
) -> list[str]:
    text = of.replace("IMAGE", image)
    for name in ("LABELS", "ANNOTATIONS", "SELECTOR", "FROM", "ENV"):
        text = text.replace(name, parts.get(name.lower(), ""))
    return [each.found.message for each in raised(text) if each.rule.code == code]


def levels(code: str, env: str) -> list[str]:
    """How loud a rule is about a variable of vLLM."""
    text = POD.replace("IMAGE", "vllm/vllm-openai:v0.33.0").replace("ENV", env)
    for name in ("LABELS", "ANNOTATIONS", "SELECTOR", "FROM"):
        text = text.replace(name, "")
    return [each.finding().severity for each in raised(text) if each.rule.code == code]


def variable(name: str, value: str) -> str:
    return f"{{name: {name}, value: '{value}'}}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NCCL_DEBUG", "info"),
        ("NCCL_DEBUG", "$(LEVEL)"),
        ("NCCL_DEBUG", "{{ .Values.level }}"),
        ("NCCL_IB_DISABLE", "0"),
        ("NCCL_BUFFSIZE", "0x400000"),
        ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1"),
        ("NCCL_SOCKET_IFNAME", "^lo,docker0"),
        ("NCCL_ALGO", "allreduce:tree;broadcast:ring"),
        (
            "PYTORCH_CUDA_ALLOC_CONF",
            "expandable_segments:True,roundup_power2_divisions:[256:1,>:2]",
        ),
        ("NVIDIA_DRIVER_CAPABILITIES", "compute,utility"),
        ("HF_HUB_OFFLINE", "YES"),
        ("VLLM_ENGINE_READY_TIMEOUT_S", "1_800"),
        ("SGLANG_ENABLE_TORCH_INFERENCE_MODE", "y"),
        ("OLLAMA_KEEP_ALIVE", "-1"),
        ("LMCACHE_LOCAL_CPU", "True"),
        ("LMCACHE_MAX_LOCAL_CPU_SIZE", "20.5"),
        ("LLAMA_ARG_N_GPU_LAYERS", "all"),
        ("LLAMA_ARG_CTX_SIZE", "8192"),
        ("MY_DEBUG", "whatever"),
    ],
)
def test_a_value_that_is_taken_is_quiet(name: str, value: str) -> None:
    assert said("GPU706", env=variable(name, value)) == []


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        (
            "NCCL_IB_DISABLE",
            "true",
            "does not accept `true`: NCCL reads any other text as 0",
        ),
        ("NCCL_P2P_LEVEL", "nvl", "NCCL ignores the value"),
        ("VLLM_NO_USAGE_STATS", "true", "vLLM treats all values but `1` as off"),
        ("HF_HUB_DOWNLOAD_TIMEOUT", "30s", "fails with `ValueError`"),
        ("NVIDIA_DRIVER_CAPABILITIES", "compute utility", "refuses to start the container"),
        ("PYTORCH_ALLOC_CONF", "expandable_segments=True", "PyTorch fails"),
        ("NCCL_DEBUG", "x" * 500, "…`: NCCL logs nothing"),
    ],
)
def test_another_value_is_said_with_what_comes_of_it(name: str, value: str, part: str) -> None:
    (message,) = said("GPU706", env=variable(name, value))
    assert part in message


def test_karpenter_takes_a_duration_too() -> None:
    assert said("GPU706", annotations='karpenter.sh/do-not-disrupt: "4h"') == []
    assert said("GPU706", annotations='karpenter.sh/do-not-disrupt: "yes"') != []


def test_a_value_counts_on_the_kinds_that_its_reader_looks_at() -> None:
    assert said("GPU706", annotations="autoscaling.knative.dev/target: many") == []


def test_a_variable_may_come_from_a_configmap() -> None:
    subsystem = variable("NCCL_DEBUG_SUBSYS", "INIT")
    assert said("GPU707", env=subsystem) != []
    assert said("GPU707", env=subsystem, **{"from": "{configMapRef: {name: nccl}}"}) == []
    assert said("GPU707", env=f"{subsystem}, {variable('NCCL_DEBUG', 'INFO')}") == []


def test_a_companion_may_be_any_of_several() -> None:
    count = 'gpu-fraction-num-devices: "2"'
    assert len(said("GPU707", annotations=count)) == 1
    for share in ('gpu-fraction: "0.5"', 'gpu-memory: "4000"'):
        assert said("GPU707", annotations=f"{count}, {share}") == []


@pytest.mark.parametrize("written", ['""', "null"])
def test_what_is_empty_is_said_where_a_webhook_refuses_it(written: str) -> None:
    (found,) = said(
        "GPU706", annotations=f"kueue.x-k8s.io/podset-unconstrained-topology: {written}"
    )
    assert "does not accept an empty text: Kueue's webhook refuses the object" in found
    assert said("GPU706", annotations=f"kueue.x-k8s.io/elastic-job: {written}") == []


JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: x, annotations: {OUTSIDE}}
spec: {replicatedJobs: [{name: a, template: {spec: {template: {metadata: {annotations: {INSIDE}}, spec: {containers: []}}}}}]}
"""


@pytest.mark.parametrize(
    ("outside", "inside", "code"),
    [
        ("", 'kueue.x-k8s.io/podset-slice-size: "2"', "GPU707"),
        ("", "kueue.x-k8s.io/podset-slice-size: two", "GPU706"),
        ("", "kueue.x-k8s.io/pod-group-name: a", "GPU707"),
        ('kueue.x-k8s.io/podset-slice-size: "2"', "", None),
        ("kueue.x-k8s.io/podset-slice-size: two", "", None),
        ("kueue.x-k8s.io/pod-group-name: a", "", None),
        # What a definition drops is not there.
        (
            "",
            "kueue.x-k8s.io/podset-slice-size: '2', kueue.x-k8s.io/podset-slice-required-topology: null",
            "GPU707",
        ),
    ],
)
def test_a_key_is_refused_where_it_is_read(outside: str, inside: str, code: str | None) -> None:
    text = JOBSET.replace("OUTSIDE", outside).replace("INSIDE", inside)
    found = {one.rule.code for one in raised(text)} & {"GPU706", "GPU707"}
    assert (code in found) if code else not found


@pytest.mark.parametrize(
    ("value", "is_taken"),
    [("3600", True), ("+5", True), ("0x10", False), ("1_000", False), ("0", False)],
)
def test_a_number_is_one_as_go_reads_it(value: str, is_taken: bool) -> None:
    label = f"kueue.x-k8s.io/pod-group-total-count: '{value}', kueue.x-k8s.io/pod-group-name: a"
    assert (said("GPU706", annotations=label) == []) == is_taken


@pytest.mark.parametrize(
    ("image", "part"),
    [
        ("vllm/vllm-openai:v0.33.0", "is ignored since vLLM 0.18.0"),
        ("vllm/vllm-openai:latest", "is ignored by vLLM 0.18.0 and newer"),
        ("vllm/vllm-openai", "is ignored by vLLM 0.18.0 and newer"),
        ("vllm/vllm-openai:v0.10.2", None),
        ("vllm/vllm-openai:custom", None),
        ("example.com/train:1", None),
    ],
)
def test_a_servers_variable_is_held_to_its_version(image: str, part: str | None) -> None:
    found = said("GPU708", image=image, env=variable("VLLM_ATTENTION_BACKEND", "FLASHINFER"))
    if part is None:
        assert found == []
    else:
        (message,) = found
        assert part in message


@pytest.mark.parametrize(
    ("value", "severity", "then"),
    [("1", "info", "the program does the same without it"), ("0", "warning", "it has no effect")],
)
def test_an_old_variable_that_says_what_holds_anyway_is_no_matter(
    value: str, severity: str, then: str
) -> None:
    env = {"name": "VLLM_USE_V1", "value": value}
    one = {"name": "main", "image": "vllm/vllm-openai:v0.13.0", "env": [env]}
    (found,) = of("GPU708", text(an("v1", "Pod", "chat", spec={"containers": [one]})))
    assert (found.severity, found.message.partition(": ")[2]) == (severity, then)
    assert found.note == "remove `VLLM_USE_V1`"


def test_a_server_that_goes_on_reading_an_old_variable_is_not_told_of_it() -> None:
    cache = variable("HUGGINGFACE_HUB_CACHE", "/data")
    assert said("GPU708", env=cache) != []
    for program in ("text-generation-inference:3.3.7", "text-embeddings-inference:1.9"):
        assert said("GPU708", env=cache, image=f"ghcr.io/huggingface/{program}") == []


def test_an_old_variable_beside_the_new_one_loses_nothing() -> None:
    old, new = variable("HUGGING_FACE_HUB_TOKEN", "a"), variable("HF_TOKEN", "a")
    for env in (old, f"{old}, {new}"):
        (found,) = [
            each
            for each in raised(
                POD.replace("ENV", env)
                .replace("FROM", "")
                .replace("LABELS", "")
                .replace("ANNOTATIONS", "")
                .replace("SELECTOR", "")
            )
            if each.rule.code == "GPU708"
        ]
        assert found.found.severity == "info"
        assert (found.found.fix is None) == (env != old)
        assert found.found.note == (
            None if env == old else "remove `HUGGING_FACE_HUB_TOKEN`: `HF_TOKEN` is set too"
        )


def test_an_option_that_replaces_an_old_variable_is_named() -> None:
    env = variable("VLLM_ATTENTION_BACKEND", "FLASHINFER")
    (found,) = of("GPU708", POD.replace("IMAGE", "vllm/vllm-openai:v0.33.0").replace("ENV", env))
    assert found.note == "use `--attention-backend` instead"


def test_a_label_of_nodes_chooses_none_from_a_pod() -> None:
    label = "nvidia.com/gpu.product: NVIDIA-L4"
    (message,) = said("GPU705", labels=label)
    assert message == (
        "`nvidia.com/gpu.product` is a node label: as a label of a pod it selects no node"
    )
    assert said("GPU705", labels=label, selector=label) == []
    assert said("GPU705", labels="accelerator: nvidia") == []


@pytest.mark.parametrize("where", ["labels", "annotations"])
def test_a_resource_in_metadata_asks_for_nothing(where: str) -> None:
    (message,) = said("GPU705", **{where: 'nvidia.com/gpu: "2"'})
    assert message.endswith("it is a resource, which belongs in a container's `limits`")
    (message,) = said("GPU705", **{where: 'nvidia.com/gpu: "true"'})
    assert "is a node label" in message


def test_a_revision_of_knative_is_its_own_template() -> None:
    revision = """\
apiVersion: serving.knative.dev/v1
kind: Revision
metadata: {name: x, annotations: {autoscaling.knative.dev/min-scale: "1"}}
spec: {containers: [{name: a, image: b}]}
"""
    assert said("GPU705", of=revision) == []


@pytest.mark.parametrize(
    ("resource", "meant"),
    [
        ("volcano.sh/vgpu-numbr", "volcano.sh/vgpu-number"),
        ("nvidia.com/gpucore", "nvidia.com/gpucores"),
        ("nvidia.com/gpumem", None),
        ("volcano.sh/vgpu-memory", None),
        ("example.com/vgpu-numbr", None),
    ],
)
def test_a_resource_of_a_part_of_a_gpu_is_known_too(resource: str, meant: str | None) -> None:
    pod = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: x}}
spec: {{containers: [{{name: a, image: b, resources: {{limits: {{{resource}: 1}}}}}}]}}
"""
    found = said("GPU103", of=pod)
    assert (found == []) == (meant is None)
    assert meant is None or f"did you mean `{meant}`?" in found[0]


def test_kueue_takes_the_name_of_a_queue() -> None:
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {name: x, labels: {kueue.x-k8s.io/queue-name: QUEUE}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}
"""
    assert said("GPU706", of=job.replace("QUEUE", "team-a.x")) == []
    (message,) = said("GPU706", of=job.replace("QUEUE", "Team_A"))
    assert message.endswith("does not accept `Team_A`: Kueue's webhook refuses the object")


def test_a_key_that_is_read_anywhere_is_read_from_a_cronjob_too() -> None:
    cronjob = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: x, labels: {KEY: a}}
spec:
  schedule: "0 2 * * *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}
"""
    assert said("GPU705", of=cronjob.replace("KEY", "kai.scheduler/queue")) == []
    (message,) = said("GPU705", of=cronjob.replace("KEY", "kueue.x-k8s.io/queue-name"))
    assert "only the metadata of its Jobs counts" in message


KUEUE = "kueue.x-k8s.io"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: x, labels: {LABELS}}
spec:
  template:
    metadata: {annotations: {ANNOTATIONS}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: IMAGE}]
"""
_SLICE = f"{KUEUE}/podset-slice-required-topology: example.com/rack"


@pytest.mark.parametrize(
    ("label", "says"),
    [
        (
            "queue-name: Team_A",
            "does not accept `Team_A`",
        ),
        ("max-exec-time-seconds: 1h", "does not accept `1h`"),
    ],
)
def test_kueues_webhook_refuses_labels_of_the_jobs_of_others(label: str, says: str) -> None:
    (message,) = said("GPU706", of=JOB, labels=f"{KUEUE}/{label}")
    assert message.endswith(f"{says}: Kueue's webhook refuses the object")


@pytest.mark.parametrize(
    ("annotations", "count"),
    [
        (f"{_SLICE}", 1),
        (f"{_SLICE}, {KUEUE}/podset-slice-size: '4'", 0),
        (f"{KUEUE}/podset-group-name: workers", 1),
        (f"{KUEUE}/podset-group-name: workers, {KUEUE}/podset-preferred-topology: a/b", 0),
        (f"{KUEUE}/podset-required-topology: a/b, {KUEUE}/podset-preferred-topology: a/b", 1),
    ],
)
def test_kueues_webhook_refuses_annotations_that_need_or_exclude_others(
    annotations: str, count: int
) -> None:
    labels = f"{KUEUE}/queue-name: a"
    assert len(said("GPU707", of=JOB, labels=labels, annotations=annotations)) == count


OF_OPENSHIFT = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat, namespace: ml, labels: {LABELS}, annotations: {ANNOTATIONS}}
spec:
  predictor: {model: {modelFormat: {name: vLLM}, storageUri: "hf://Qwen/Qwen3-8B"}}
"""


@pytest.mark.parametrize(
    ("labels", "annotations", "code"),
    [
        ('security.opendatahub.io/enable-auth: "true"', "", "GPU705"),
        ("", "networking.kserve.io/visibility: exposed", "GPU705"),
        ("", "networking.knative.dev/visibility: cluster-local", "GPU705"),
        ("networking.knative.dev/visibility: private", "", "GPU706"),
        ("", "opendatahub.io/hardware-profile-namespace: apps", "GPU707"),
        ("", 'serving.knative.openshift.io/enablePassthrough: "yes"', "GPU706"),
        ("", 'security.opendatahub.io/enable-auth: "true"', None),
        ("networking.kserve.io/visibility: exposed", "", None),
        ("", "opendatahub.io/hardware-profile-name: gpu, opendatahub.io/hardware-profile-namespace: apps", None),
        ('opendatahub.io/dashboard: "true"', "", None),
    ],
)  # fmt: skip
def test_keys_of_openshift_ai(labels: str, annotations: str, code: str | None) -> None:
    text = OF_OPENSHIFT.replace("LABELS", labels).replace("ANNOTATIONS", annotations)
    codes = [one.rule.code for one in raised(text) if one.rule.code.startswith("GPU70")]
    assert codes == ([code] if code else [])
