"""Start-up and probes: how loud each rule is, and where it is silent."""

import pytest
import yaml

from gpuspec.lint.analysis.serving.probes import always_true
from gpuspec.lint.model import Finding
from gpuspec.manifests import Quantity
from gpuspec.settings.config import Facts
from tests.lint.edges import Edge, spoken
from tests.lint.pages import raised
from tests.lint.patched import cluster, main, said

SIZED = Facts(models={"/models/qwen3-8b": Quantity.parse("16Gi")})
HUB = "args: [--model=org/big]\nenv: null"
BIG = Facts(models={"org/big": Quantity.parse("100G")})
TRITON = """
image: nvcr.io/nvidia/tritonserver:26.07-py3
command: null
args: [tritonserver, --model-repository=/models]
"""
SGLANG = """
image: lmsysorg/sglang:v0.5.23
command: [python3, -m, sglang.launch_server]
args: [--model-path, /models/m, --port, "8000"{more}]
"""


def levels(found: list[Finding]) -> list[str]:
    return [one.severity for one in found]


BARE = "startupProbe: null\nreadinessProbe: null\nlifecycle: null"


class TestLivenessAndStartup:
    """C-24: liveness must not end a server that loads; the startup budget covers the load."""

    @pytest.mark.parametrize(
        ("delay", "level"), [(0, "warning"), (209, "warning"), (210, "info"), (4800, "info")]
    )
    def test_liveness_without_a_startup_probe(self, delay: int, level: str) -> None:
        # 15 s × 6 come on top.
        patch = main(f"startupProbe: null\nlivenessProbe: {{initialDelaySeconds: {delay}}}")
        assert levels(said("GPU501", "deployment", patch)) == [level]

    @pytest.mark.parametrize(
        ("delay", "period", "words"),
        [
            (900, 5, "the kubelet notices no hang in the first 900 s"),
            (0, 60, "the kubelet notices a hang only after 360 s"),
        ],
    )
    def test_when_a_hang_is_noticed_depends_on_what_gives_the_time(
        self, delay: int, period: int, words: str
    ) -> None:
        live = f"{{initialDelaySeconds: {delay}, periodSeconds: {period}}}"
        (found,) = said("GPU501", "deployment", main(f"startupProbe: null\nlivenessProbe: {live}"))
        assert found.message.endswith(words)

    @pytest.mark.parametrize(("period", "level"), [(14, ["warning"]), (15, [])])
    def test_of_an_unknown_program_less_is_said(self, period: int, level: list[str]) -> None:
        live = f"livenessProbe: {{periodSeconds: {period}}}"
        patch = main(f"image: example.com/server:1\ncommand: null\nstartupProbe: null\n{live}")
        assert levels(said("GPU501", "deployment", patch)) == level

    @pytest.mark.parametrize("image", ["jellyfin/jellyfin:10.11.0", "quay.io/a/jupyter-pytorch:1"])
    def test_media_servers_and_studios_load_no_model(self, image: str) -> None:
        live = "startupProbe: null\nlivenessProbe: {periodSeconds: 9}"
        patch = main(f"image: {image}\ncommand: null\nargs: null\n{live}")
        assert said("GPU501", "deployment", patch) == []

    def test_a_model_that_is_read_in_time_is_no_error(self) -> None:
        patch = main("startupProbe: null\nlivenessProbe: {initialDelaySeconds: 400}")
        slow = cluster(bandwidth={"default": "1G", "claims": {"weights": "10M"}})
        assert levels(said("GPU501", "deployment", patch, facts=SIZED)) == ["info"]
        found = said("GPU501", "deployment", patch, facts=SIZED, profile=slow)
        assert levels(found) == ["error"]
        assert "17.2 GB ÷ 10 MB/s" in (found[0].note or "")

    @pytest.mark.parametrize(
        ("failures", "rate", "level"),
        [
            (99, "100M", ["error"]),
            (100, "100M", ["warning"]),  # read in 1000 s, and the engine takes its own time
            (140, "100M", []),
            (99, None, ["warning"]),  # an assumed rate is no evidence
        ],
    )
    def test_the_budget_against_bytes_and_bandwidth(
        self, failures: int, rate: str | None, level: list[str]
    ) -> None:
        patch = main(f"{HUB}\nstartupProbe: {{failureThreshold: {failures}}}")
        given = cluster(bandwidth={"download": rate} if rate else {})
        assert levels(said("GPU502", "deployment", patch, profile=given, facts=BIG)) == level

    def test_a_cache_that_outlives_the_container_makes_it_a_warning(self) -> None:
        cache = "volumeMounts: [{name: weights, mountPath: /root/.cache/huggingface}]"
        patch = main(f"{HUB}\n{cache}\nstartupProbe: {{failureThreshold: 30}}")
        given = cluster(bandwidth={"download": "100M"})
        found = said("GPU502", "deployment", patch, profile=given, facts=BIG)
        assert levels(found) == ["warning"]
        assert "continues where it stopped" in found[0].message

    @pytest.mark.parametrize(("failures", "level"), [(12, ["warning"]), (13, ["info"]), (24, [])])
    def test_without_a_size_the_server_alone_counts(self, failures: int, level: list[str]) -> None:
        patch = main(f"startupProbe: {{failureThreshold: {failures}}}")
        assert levels(said("GPU502", "deployment", patch)) == level


class TestReadiness:
    """C-25: readiness proves that the model answers."""

    def test_without_a_service_it_is_information(self) -> None:
        patch = main("readinessProbe: null\nstartupProbe: null")
        assert levels(said("GPU503", "deployment", patch)) == ["warning"]
        other = yaml.safe_load(patch)
        other["spec"]["template"]["metadata"] = {"labels": {"app": "other"}}
        assert levels(said("GPU503", "deployment", yaml.safe_dump(other))) == ["info"]

    def test_a_startup_probe_holds_requests_off(self) -> None:
        assert levels(said("GPU503", "deployment", main("readinessProbe: null"))) == ["info"]

    def test_a_worker_of_a_group_is_not_asked(self) -> None:
        probes = "readinessProbe: null, startupProbe: null"
        one = f"spec: {{containers: [{{name: main, {probes}}}]}}"
        patch = f"spec: {{leaderWorkerTemplate: {{workerTemplate: {{{one}}}}}}}"
        assert said("GPU503", "leaderworkerset", patch) == []
        patch = f"spec: {{leaderWorkerTemplate: {{leaderTemplate: {{{one}}}}}}}"
        assert len(said("GPU503", "leaderworkerset", patch)) == 1

    def test_where_ranks_meet_no_client_asks(self) -> None:
        pod = yaml.safe_load(main(f"image: a/b:1\ncommand: [/setup.sh]\nargs: null\n{BARE}"))
        pod["spec"]["template"]["metadata"] = {"labels": {"app": "ranks"}}
        patch = yaml.safe_dump(pod)
        for port, level in (("{name: ssh, port: 22}", []), ("{name: api, port: 80}", ["warning"])):
            service = (
                "apiVersion: v1\nkind: Service\nmetadata: {name: ranks}\nspec: {clusterIP: None, "
                f"selector: {{app: ranks}}, ports: [{port}, {{name: torchrun, port: 29500}}]}}"
            )
            for code in ("GPU503", "GPU510"):
                assert levels(said(code, "deployment", patch, service)) == level

    def test_a_program_that_serves_nothing_is_not_asked(self) -> None:
        command = "command: [python3, -m, vllm.entrypoints.openai.run_batch]\nports: null"
        assert said("GPU503", "deployment", main(f"{command}\nreadinessProbe: null")) == []

    @pytest.mark.parametrize(("path", "number"), [("/v2/health/live", 1), ("/v2/health/ready", 0)])
    def test_a_path_that_answers_early(self, path: str, number: int) -> None:
        patch = main(f"{TRITON}\nreadinessProbe: {{httpGet: {{path: {path}}}}}")
        assert len(said("GPU504", "deployment", patch)) == number

    @pytest.mark.parametrize(
        ("path", "more", "number"),
        [
            ("/v1/models", "", 1),
            ("/get_model_info", "", 1),
            ("/ping", "", 1),
            ("/v1/models", ", --skip-server-warmup", 0),
            ("/health", "", 0),
            ("/health_generate", "", 0),
        ],
    )
    def test_a_path_that_answers_during_the_warm_up(
        self, path: str, more: str, number: int
    ) -> None:
        probe = f"readinessProbe: {{httpGet: {{path: {path}}}, timeoutSeconds: 10}}"
        found = said("GPU504", "deployment", main(f"{SGLANG.format(more=more)}\n{probe}"))
        assert levels(found) == ["warning"] * number

    @pytest.mark.parametrize(
        ("path", "number"), [("/v1/models", 1), ("/models", 1), ("/health", 0)]
    )
    def test_a_list_of_models_that_answers_while_one_is_loaded(
        self, path: str, number: int
    ) -> None:
        server = "image: ghcr.io/ggml-org/llama.cpp:server-cuda\ncommand: null\nargs: [-m, /m.gguf]"
        patch = main(f"{server}\nreadinessProbe: {{httpGet: {{path: {path}}}}}")
        assert len(said("GPU504", "deployment", patch)) == number

    def test_the_list_of_models_of_vllm_is_there_with_its_engine(self) -> None:
        patch = main("readinessProbe: {httpGet: {path: /v1/models}}")
        assert said("GPU504", "deployment", patch) == []

    @pytest.mark.parametrize(("rank", "level"), [("0", []), ("1", ["info"])])
    def test_a_rank_that_always_answers(self, rank: str, level: list[str]) -> None:
        more = f', --node-rank, "{rank}"'
        patch = main(SGLANG.format(more=more))
        assert levels(said("GPU504", "deployment", patch)) == level

    @pytest.mark.parametrize(
        ("command", "number"),
        [
            ("[pgrep, -f, vllm]", 1),
            ("[/usr/bin/pidof, python3]", 1),
            ("[sh, -c, 'pgrep -f vllm >/dev/null 2>&1 || exit 1']", 1),
            ("[sh, -c, 'ps aux | grep -v grep | grep vllm']", 1),
            ("[bash, -c, 'pgrep vllm && curl -fs localhost:8000/health']", 0),
            ("[sh, -c, 'test $(pgrep -c vllm) -gt 8']", 0),
            ("[sh, -c, 'grep -q ready /tmp/state']", 0),
            ("[python3, /probe.py]", 0),
        ],
    )
    def test_a_process_that_is_there_may_have_no_model_yet(self, command: str, number: int) -> None:
        patch = main(f"readinessProbe: {{httpGet: null, exec: {{command: {command}}}}}")
        assert levels(said("GPU504", "deployment", patch)) == ["warning"] * number

    def test_a_start_that_a_process_ends_leaves_liveness_to_the_loading(self) -> None:
        look = "{httpGet: null, exec: {command: [pgrep, -f, vllm]}}"
        (found,) = said("GPU505", "deployment", main(f"startupProbe: {look}"))
        assert found.path.endswith("startupProbe.exec.command")
        assert "the liveness probe kills the server while it loads" in found.message
        both = main(f"startupProbe: {look}\nlivenessProbe: {look}")
        assert levels(said("GPU505", "deployment", both)) == ["info"]
        script = main(f"startupProbe: {look.replace('[pgrep, -f, vllm]', '[/ready.sh]')}")
        assert said("GPU505", "deployment", script) == []

    def test_a_process_that_is_there_may_hang(self) -> None:
        patch = main("livenessProbe: {httpGet: null, exec: {command: [pidof, python3]}}")
        (found,) = said("GPU505", "deployment", patch)
        assert found.severity == "info" and "restarted anyway" in found.message

    def test_a_rank_that_answers_nobody_may_be_asked_for_its_process(self) -> None:
        probe = "readinessProbe: {httpGet: null, exec: {command: [pgrep, vllm]}}"
        words = "args: [/m, --headless, --nnodes, '2', --node-rank, '1']"
        assert said("GPU504", "deployment", main(f"{probe}\n{words}")) == []
        one = f"spec: {{containers: [{{name: main, {probe}}}]}}"
        patch = f"spec: {{leaderWorkerTemplate: {{workerTemplate: {{{one}}}}}}}"
        assert said("GPU504", "leaderworkerset", patch) == []

    def test_a_port_of_an_unknown_program_may_be_all_there_is(self) -> None:
        probe = "readinessProbe: {httpGet: null, tcpSocket: {port: http}}"
        patch = main(f"image: example.com/server:1\ncommand: null\n{probe}")
        assert said("GPU504", "deployment", patch) == []


class TestLiveness:
    """C-26: liveness is for stuck, not for slow."""

    @pytest.mark.parametrize(
        ("probe", "level"),
        [
            ("{failureThreshold: 1}", ["warning"]),
            ("{failureThreshold: 3, timeoutSeconds: null}", ["info"]),
            ("{failureThreshold: 3, timeoutSeconds: 2}", []),
            ("{failureThreshold: 4, timeoutSeconds: 1}", []),
        ],
    )
    def test_its_patience(self, probe: str, level: list[str]) -> None:
        found = said("GPU508", "deployment", main(f"livenessProbe: {probe}"))
        assert levels(found) == level

    @pytest.mark.parametrize(
        ("path", "env", "timeout", "level"),
        [
            ("/health_generate", "", 1, ["error"]),
            ("/health_generate", "", 2, []),
            ("/health", "", 1, ["warning"]),
            ("/health", "false", 1, []),
        ],
    )
    def test_a_path_that_takes_its_time(
        self, path: str, env: str, timeout: int, level: list[str]
    ) -> None:
        probe = f"readinessProbe: {{httpGet: {{path: {path}}}, timeoutSeconds: {timeout}}}"
        name = "SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION"
        value = f"\nenv: [{{name: {name}, value: '{env}'}}]" if env else ""
        patch = main(SGLANG.format(more="") + probe + value)
        assert levels(said("GPU507", "deployment", patch)) == level

    @pytest.mark.parametrize(
        ("command", "true"),
        [
            (["true"], True),
            (["/bin/true"], True),
            (["sh", "-c", "exit 0"], True),
            (["/bin/sh", "-c", "echo ok"], True),
            (["sleep", "5"], True),
            (["sh", "-c", "exit 1"], False),
            (["sh", "-c", "echo ok && test -f /ready"], False),
            (["sh", "-c", "echo $(curl localhost)"], False),
            (["cat", "/tmp/healthy"], False),
            (["nvidia-smi"], False),
            ([], False),
        ],
    )
    def test_commands_that_cannot_fail(self, command: list[str], true: bool) -> None:
        assert (always_true({"exec": {"command": command}}) is not None) is true


class TestPorts:
    """Probes, container ports and the command line tell one story."""

    @pytest.mark.parametrize(
        ("patch", "level"),
        [
            ("readinessProbe: {httpGet: {port: web}}", ["error"]),
            ("readinessProbe: {httpGet: {port: 8000}}", []),
            ("args: [/m, --port, '8000']\nreadinessProbe: {httpGet: {port: 9000}}", ["error"]),
            ("readinessProbe: {httpGet: {port: 9000}}", ["warning"]),
            # One fault, however many probes go by the port's name.
            ("args: [/m, --port, '9000']", ["error"]),
            ("args: [/m, --port, $(PORT)]\nreadinessProbe: {httpGet: {port: 9000}}", []),
            ("args: [/m, --config, /c.yaml]\nreadinessProbe: {httpGet: {port: 9000}}", []),
        ],
    )
    def test_what_agrees_and_what_does_not(self, patch: str, level: list[str]) -> None:
        assert levels(said("GPU506", "deployment", main(patch))) == level

    def test_another_program_may_listen_where_the_server_does_not(self) -> None:
        patch = main("args: [/m, --port, '8000']\nreadinessProbe: {httpGet: {port: 9000}}")
        beside = yaml.safe_load(patch)
        helper = {"name": "helper", "image": "ghcr.io/example/helper:1"}
        beside["spec"]["template"]["spec"]["containers"].append(helper)
        assert levels(said("GPU506", "deployment", yaml.safe_dump(beside))) == ["warning"]
        script = main(
            "command: [sh, -c]\nargs: ['proxy 9000 & vllm serve /m --port 8000']\n"
            "readinessProbe: {httpGet: {port: 9000}}"
        )
        assert levels(said("GPU506", "deployment", script)) == ["warning"]

    def test_the_port_of_a_proxy(self) -> None:
        proxy = {"name": "proxy", "image": "p", "ports": [{"containerPort": 9000}]}
        patch = yaml.safe_load(main("livenessProbe: {httpGet: {port: 9000}}"))
        patch["spec"]["template"]["spec"]["containers"].append(proxy)
        found = said("GPU506", "deployment", yaml.safe_dump(patch))
        assert levels(found) == ["warning"]
        assert "`proxy`" in found[0].message


EDGES = (
    Edge(
        "C-43 one replica",
        "deployment",
        "spec: {replicas: 1, template: {spec: {containers: [{name: main, args: [org/m], env: [{name: "
        "HF_HUB_OFFLINE, value: '0'}]}], volumes: [{name: weights, persistentVolumeClaim: null, "
        "emptyDir: {sizeLimit: 1Gi}}]}}}",
        ("GPU905 info",),
    ),
    Edge("C-43 a folder", "deployment", main("args: [/models/m]")),
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_weights_that_come_from_a_hub(edge: Edge) -> None:
    assert spoken(edge) == sorted(edge.said)


@pytest.mark.parametrize(
    ("folder", "when"), [("/models/hub", "in each new pod"), ("/root/hub", "at each start")]
)
def test_an_empty_dir_keeps_weights_until_the_pod_goes(folder: str, when: str) -> None:
    """C-43"""
    env = f"{{name: HF_HUB_OFFLINE, value: '0'}}, {{name: HF_HUB_CACHE, value: {folder}}}"
    (found,) = said(
        "GPU905",
        "deployment",
        f"spec: {{replicas: 1, template: {{spec: {{containers: [{{name: main, args: [org/m], env: [{env}], "
        "volumeMounts: [{name: weights, mountPath: /models, readOnly: null}]}], "
        "volumes: [{name: weights, persistentVolumeClaim: null, emptyDir: {sizeLimit: 1Gi}}]}}}",
    )
    assert f"downloads `org/m` {when}, because" in found.message


BESIDE = """\
apiVersion: KIND
metadata: {name: front, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/router:1
      ports: [PORT]
      readinessProbe: {httpGet: {path: /ready, port: ASKED}}
"""
RUNTIME = "serving.kserve.io/v1alpha1\nkind: ClusterServingRuntime"


@pytest.mark.parametrize(
    ("kind", "port", "asked", "count"),
    [
        ("v1\nkind: Pod", "{name: http, containerPort: 8000}", "rest", 1),
        (RUNTIME, "", "rest", 1),
        (RUNTIME, "{name: rest, containerPort: 8888}", "rest", 0),
        ("v1\nkind: Pod", '{name: rest, containerPort: "{{ .Values.port }}"}', "rest", 0),
        ("v1\nkind: Pod", "{containerPort: 8000}", "8000", 0),
        ("v1\nkind: Pod", "{containerPort: 8000}", '"8000"', 0),
    ],
)
def test_a_probe_of_any_container_asks_a_port_that_it_has(
    kind: str, port: str, asked: str, count: int
) -> None:
    text = BESIDE.replace("KIND", kind).replace("PORT", port).replace("ASKED", asked)
    found = [one for one in raised(text) if one.rule.code == "GPU506"]
    assert len(found) == count


USES_GPU = """\
apiVersion: KIND
metadata: {name: studio, namespace: media}
spec:
  template:
    spec:
      containers:
        - name: main
          image: IMAGE
          livenessProbe: {httpGet: {path: /health, port: 8080}}
          resources: {limits: {nvidia.com/gpu: 1, memory: 8Gi}}
"""
STATEFUL = "apps/v1\nkind: StatefulSet"


@pytest.mark.parametrize(
    ("kind", "image", "count"),
    [
        (STATEFUL, "ghcr.io/example/model-server:v1", 1),
        (STATEFUL, "ghcr.io/jellyfin/jellyfin:10.11.2", 0),
        (STATEFUL, "ghcr.io/home-operations/plex:1.42", 0),
        (STATEFUL, "ghcr.io/immich-app/immich-machine-learning:v2.1.0-cuda", 0),
        ("kubeflow.org/v1\nkind: Notebook", "registry.example.com/pytorch:2025.2", 0),
    ],
)
def test_liveness_ends_no_load_of_what_loads_nothing_at_its_start(
    kind: str, image: str, count: int
) -> None:
    text = USES_GPU.replace("KIND", kind).replace("IMAGE", image)
    assert [one.rule.code for one in raised(text)].count("GPU501") == count
