"""Charts of the table: what is said of their values, and where."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.charts.tables import DATA, chart_of, names_of
from gpuspec.charts.values import tables as read_values
from gpuspec.lint.model import Finding
from gpuspec.numbers import read_version
from tests.charts.written import release

OPERATOR = "operator: {defaultRuntime: containerd}\n"
PLUGIN = """\
config:
  map:
    shared: |
      version: v1
      sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}
"""
SERVICE = """\
modelArtifacts: {uri: hf://meta-llama/Llama-3.1-70B-Instruct}
decode:
  parallelism: {tensor: 4}
  containers:
    - name: vllm
      image: ghcr.io/llm-d/llm-d-cuda:v0.4.0
      modelCommand: vllmServe
      args: [--tensor-parallel-size=8]
"""
HUB = """\
singleuser:
  profileList:
    - display_name: half
      kubespawner_override: {extra_resource_limits: {nvidia.com/gpu: "0.5"}}
"""
EXPORTER = "image: {tag: 4.2.3-4.1.3}\nresources: {limits: {memory: 128Mi}}\n"
TRITON = """\
image: {imageName: "nvcr.io/nvidia/tritonserver:26.07-py3", numGpus: 1}
serverArgs: [--model-repository=/models, --modell-control-mode=none]
"""
SHARED = """\
devicePlugin:
  config: {create: true, data: {any: 7}}
driver: {resources: {limits: {nvidia.com/gpu: 0.5}}}
"""


def chart(name: str, version: str = "") -> str:
    said = f", version: {version}" if version else ""
    return f"chart: {{spec: {{chart: {name}{said}, sourceRef: {{kind: HelmRepository, name: x}}}}}}"


def found(values: str, name: str, version: str = "") -> dict[str, Finding]:
    text = release(values, chart(name, version))
    return {one.rule: one for one in gpuspec.lint_text(text, "release.yaml").findings}


@pytest.mark.parametrize(
    ("name", "values", "rule", "path"),
    [
        ("nvidia-device-plugin", PLUGIN, "GPU306", "config.map.shared"),
        ("dcgm-exporter", EXPORTER, "GPU792", "limits.memory"),
        ("llm-d-modelservice", SERVICE, "GPU731", "decode.containers[0].args[0]"),
        ("jupyterhub", HUB, "GPU101", 'extra_resource_limits["nvidia.com/gpu"]'),
        ("gpu-operator", SHARED, "GPU101", 'driver.resources.limits["nvidia.com/gpu"]'),
        ("ollama", "podSecurityContext: {capabilities: {}}\n", "GPU010", "capabilities"),
        ("open-webui", "ollama: {ollama: {models: [a]}}\n", "GPU789", "ollama.ollama.models"),
        ("nvidia-device-plugin", "compatWithCPUManager: 'false'\n", "GPU835", "CPUManager"),
        ("nvidia-device-plugin", "deviceListStrategy: [envvar]\n", "GPU835", "ListStrategy"),
        ("nvidia-device-plugin", "deviceListStrategy: envvar,cdi\n", "GPU835", "ListStrategy"),
        ("gpu-operator", "mig: {strategy: dual}\n", "GPU835", "mig.strategy"),
        ("gpu-operator", "mig: {Strategy: mixed}\n", "GPU789", "mig.Strategy"),
        ("gpu-operator", "devicePlugin: {config: {default: any}}\n", "GPU789", "config.default"),
        ("nvidia-device-plugin", "config: {default: shared}\n", "GPU789", "config.default"),
        (
            "immich",
            "machine-learning: {controllers: {main: {runtimeClassName: nvidia}}}\n",
            "GPU789",
            "controllers.main.runtimeClassName",
        ),
        ("nim-llm", "env: [{name: NIM_KV_CACHE_PERCENT, value: '1'}]\n", "GPU704", "env[0].name"),
        (
            "nim-llm",
            "resources: {limits: {nvidia.com/gpu: 0.5}}\n",
            "GPU101",
            'limits["nvidia.com/gpu"]',
        ),
        (
            "nim-llm",
            "persistence: {enabled: true, accessModes: [ReadWriteOnce]}\n",
            "GPU789",
            "accessModes",
        ),
        ("triton-inference-server", TRITON, "GPU748", "serverArgs[1]"),
        ("triton-inference-server", TRITON.replace("s: 1", "s: 0.5"), "GPU101", "numGpus"),
    ],
)
def test_a_finding_stands_at_the_value(name: str, values: str, rule: str, path: str) -> None:
    said = found(values, name)
    assert said[rule].path.startswith("spec.values")
    assert said[rule].path.endswith(path)
    assert said[rule].severity == "warning"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("nvidia-device-plugin", "nfd: {enabled: false}\n"),
        ("nvidia-device-plugin", "config: {name: shared, default: any}\n"),
        (
            "gpu-operator",
            "devicePlugin: {config: {create: true, name: parts, data: {any: ''}, default: any}}\n",
        ),
        ("immich", "machine-learning: {controllers: {main: {pod: {runtimeClassName: nvidia}}}}\n"),
        ("nvidia-device-plugin", "deviceListStrategy: 'envvar, cdi-cri'\nmigStrategy: ${MIG}\n"),
        ("nvidia-device-plugin", "migStrategy: null\ncompatWithCPUManager: true\n"),
        ("gpu-operator", "toolkit: {enabled: false, resources: {limits: {cpu: x}}}\n"),
        ("llm-d-modelservice", SERVICE.replace("=8", "=4")),
        ("dcgm-exporter", EXPORTER.replace("128Mi", "1Gi")),
        ("ollama", "ollama: {gpu: {enabled: true, number: 1}}\n"),
        (
            "vllm-stack",
            "servingEngineSpec: {modelSpec: [{name: a, requestGPU: 1, requestCPU: 8, requestMemory: 8Gi}]}\n",
        ),
        ("nim-llm", "model: {ngcAPISecret: ngc}\npersistence: {enabled: true}\n"),
        ("triton-inference-server", TRITON.replace("modell", "model")),
    ],
)
def test_what_is_right_is_passed(name: str, values: str) -> None:
    assert not found(values, name)


@pytest.mark.parametrize(
    ("version", "said"),
    [("24.9.2", ""), ("25.3.0", "24.9.2 was the last release with it"), ("", ""), ("25.x", "")],
)
def test_keys_are_judged_by_the_release(version: str, said: str) -> None:
    message = found(OPERATOR, "gpu-operator", version).get("GPU789")
    assert (said in message.message) if message and said else bool(message) is bool(said)


def test_a_key_of_later_releases_is_said_to_come() -> None:
    said = found("cdi: {nriPluginEnabled: true}\n", "gpu-operator", "25.3.0")["GPU789"]
    assert "is the first release with it" in said.message


@pytest.mark.parametrize(("version", "refused"), [("4.0.0", True), ("99.0.0", False)])
def test_a_schema_refuses_any_other_key_in_the_releases_that_were_read(
    version: str, refused: bool
) -> None:
    said = found("hub: {wholly_unknown: 1}\n", "jupyterhub", version)
    assert ("GPU789" in said) is refused
    assert not refused or "Helm refuses the release" in said["GPU789"].message


def test_a_word_that_is_near_is_shown() -> None:
    said = found("dcgmExporter: {serviceMonitors: {enabled: true}}\n", "gpu-operator")["GPU789"]
    assert said.note is not None
    assert "did you mean `serviceMonitor`?" in said.note


@pytest.mark.parametrize("name", sorted(names_of()))
def test_every_table_holds_together(name: str) -> None:
    known = chart_of(name)
    assert known is not None
    assert known.source
    assert all(chart_of(other) is not None for other in known.subcharts.values())
    for closed in known.mappings:
        assert {*closed.since, *closed.until} <= set(closed.keys)
        assert all(map(read_version, (*closed.since.values(), *closed.until.values())))
        has_releases = (known.releases or closed.span) is not None
        assert has_releases or not (closed.since or closed.until or closed.refused)


def test_every_table_has_a_name() -> None:
    files = {file.stem for file in Path(DATA).glob("*.yaml")} - {"names", "operators"}
    assert files | read_values.files() == set(names_of().values())


def test_where_a_key_belongs_is_said_of_the_same_part() -> None:
    said = found("machine-learning: {controllers: {main: {runtimeClassName: nvidia}}}\n", "immich")
    assert said["GPU789"].note == "move the value to `machine-learning.controllers.*.pod`"


def test_a_key_that_a_chart_reads_of_a_secret_is_looked_for_there() -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {{name: ngc, namespace: media}}\nstringData: {{{}: x}}\n"
    text = release("model: {ngcAPISecret: ngc}\n", chart("nim-llm", "1.1.2"))
    wrong, right = (
        gpuspec.lint_text(text + secret.format(key), "all.yaml").findings
        for key in ("NGC_KEY", "NGC_API_KEY")
    )
    assert [(one.rule, one.path) for one in wrong if one.rule == "GPU022"] == [
        ("GPU022", "spec.values.model.ngcAPISecret")
    ]
    assert "GPU022" not in {one.rule for one in right}


STACK = """\
servingEngineSpec:
  modelSpec:
    - name: a
      shmSize: 8Gi
      vllmConfig: {extraArgs: [--tensor-parallel-size=2]}
"""


@pytest.mark.parametrize(
    ("values", "is_found"),
    [
        (STACK, True),
        (STACK.replace("extraArgs: [", "tensorParallelSize: 2, extraArgs: ["), False),
        (STACK.replace("extraArgs: [", "tensorParallelSize: 0, extraArgs: ["), False),
        (STACK.replace("shmSize: 8Gi", "shmSize: null"), False),
    ],
)
def test_a_value_that_is_read_only_with_another_wants_it(values: str, is_found: bool) -> None:
    said = found(values, "vllm-stack", "0.1.11").get("GPU789")
    assert (said is not None) is is_found
    assert said is None or said.message == (
        "`shmSize` alone has no effect in chart vllm-stack: the templates read the value only if "
        "`vllmConfig.tensorParallelSize` is set"
    )


@pytest.mark.parametrize(
    ("values", "version", "is_found"),
    [
        ("serviceMonitor: {enabled: true, wholly: 1}\n", "4.8.1", True),
        # A release that was not read, and none.
        ("serviceMonitor: {enabled: true, wholly: 1}\n", "99.0.0", False),
        ("serviceMonitor: {enabled: true, wholly: 1}\n", "", False),
        # Parts for anchors; a text that may read any value.
        ("serviceMonitor: {enabled: true, x-wholly: 1}\n", "4.8.1", False),
        (
            "serviceMonitor: {wholly: 1}\npodAnnotations: {a: '{{ .Values.serviceMonitor }}'}\n",
            "4.8.1",
            False,
        ),
        # Another chart of the name.
        ("exporter: {port: 1}\nwholly: 1\nother: 1\nserviceMonitor: {wholly: 1}\n", "4.8.1", False),
    ],
)
def test_any_other_key_of_a_release_that_was_read_is_ignored(
    values: str, version: str, is_found: bool
) -> None:
    said = found(values, "dcgm-exporter", version).get("GPU789")
    assert (said is not None) is is_found
    assert said is None or said.message.endswith("Helm ignores the key")


@pytest.mark.parametrize(
    ("port", "is_found"), [("9400", False), ("[]", False), ("[9400]", True), ("{a: 1}", True)]
)
def test_what_the_templates_print_in_a_line_is_no_list(port: str, is_found: bool) -> None:
    said = found(f"service: {{port: {port}}}\n", "dcgm-exporter", "4.8.1")
    assert ("GPU835" in said) is is_found


def test_numbers_of_releases_that_began_anew() -> None:
    values = "imex: {mode: hostManaged}\ngpuResourcesEnabledOverride: true\n"
    assert "GPU789" in found(values, "dra-driver-nvidia-gpu", "0.4.1")
    assert "GPU789" in found(values, "dra-driver-nvidia-gpu", "25.8.0")
    assert "GPU789" not in found(values, "dra-driver-nvidia-gpu", "0.5.0")
    values = "altProcDevices: /x\ngpuResourcesEnabledOverride: true\n"
    said = found(values, "dra-driver-nvidia-gpu", "25.8.0")["GPU789"].message
    assert "only newer releases do, such as 0.4.1" in said
    assert "GPU789" not in found(values, "dra-driver-nvidia-gpu", "0.5.0")
