"""Serving and scaling: what each rule hears, and where it is silent."""

import pytest
import yaml

from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.analysis.serving.signals import emitters, metrics_in
from gpuspec.lint.model import Finding
from tests.lint.patched import cluster, main, of, said

TARGET = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}"


def levels(found: list[Finding]) -> list[str]:
    return [one.severity for one in found]


def hpa(metric: str) -> str:
    """A patch that gives the autoscaler one metric."""
    return yaml.safe_dump({"spec": {"metrics": [yaml.safe_load(metric)]}})


def pods(name: str) -> str:
    target = "{type: AverageValue, averageValue: '5'}"
    return f"{{type: Pods, pods: {{metric: {{name: '{name}'}}, target: {target}}}}}"


CPU = "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}"
KEDA = """
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: serving}
spec: {scaleTargetRef: {name: chat}, minReplicaCount: 1, triggers: [%s]}
"""


class TestSignals:
    """C-30: CPU misleads for a GPU server, its queue does not."""

    def test_cpu_beside_a_better_signal_is_information(self) -> None:
        both = [yaml.safe_load(CPU), yaml.safe_load(pods("vllm_num_requests_waiting"))]
        patch = yaml.safe_dump({"spec": {"metrics": both}})
        assert levels(said("GPU801", "horizontalpodautoscaler", patch)) == ["info"]

    def test_what_it_costs_is_that_of_whole_groups(self) -> None:
        scaler = yaml.safe_dump(
            {
                "apiVersion": "autoscaling/v2",
                "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "chat-405b", "namespace": "serving"},
                "spec": {
                    "scaleTargetRef": {"kind": "LeaderWorkerSet", "name": "chat-405b"},
                    "maxReplicas": 3,
                    "metrics": [yaml.safe_load(CPU)],
                },
            }
        )
        found = said("GPU801", "leaderworkerset", "{}", scaler)
        assert all("up to 48 GPUs" in one.message for one in found)
        assert found

    @pytest.mark.parametrize(
        ("patch", "path"),
        [
            ("spec: {metrics: null}", "spec.metrics"),  # Kubernetes' own default
            (
                "{apiVersion: autoscaling/v1, "
                "spec: {metrics: null, targetCPUUtilizationPercentage: 50}}",
                "spec.targetCPUUtilizationPercentage",
            ),
        ],
    )
    def test_cpu_without_its_name(self, patch: str, path: str) -> None:
        assert [one.path for one in said("GPU801", "horizontalpodautoscaler", patch)] == [path]

    @pytest.mark.parametrize(("container", "number"), [("main", 1), ("tokenizer", 0)])
    def test_cpu_of_another_container_is_another_matter(self, container: str, number: int) -> None:
        metric = (
            f"{{type: ContainerResource, containerResource: {{name: cpu, container: {container}}}}}"
        )
        assert len(said("GPU801", "horizontalpodautoscaler", hpa(metric))) == number

    @pytest.mark.parametrize(("trigger", "number"), [("{type: cpu}", 1), ("{type: kafka}", 0)])
    def test_triggers_of_keda(self, trigger: str, number: int) -> None:
        assert len(said("GPU801", "deployment", "{}", KEDA % trigger)) == number

    def test_a_gateway_may_scale_on_cpu(self) -> None:
        text = f"""
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: chat}}
spec: {{{TARGET}, maxReplicas: 9, metrics: [{CPU}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec: {{template: {{spec: {{containers: [{{name: proxy, image: envoy}}]}}}}}}
"""
        assert of("GPU801", text) == []

    @pytest.mark.parametrize("metric", ["cpu", "memory"])
    def test_what_an_object_says_of_its_own_scaling(self, metric: str) -> None:
        patch = f"spec: {{predictor: {{scaleMetric: {metric}}}}}"
        found = said("GPU801", "inferenceservice", patch)
        assert [one.path for one in found] == ["spec.predictor.scaleMetric"]
        patch = "spec: {predictor: {scaleMetric: concurrency}}"
        assert said("GPU801", "inferenceservice", patch) == []

    @pytest.mark.parametrize(
        ("name", "image", "level"),
        [
            ("DCGM_FI_DEV_GPU_UTIL", None, ["warning"]),
            ("kubernetes.io|container|accelerator|duty_cycle", None, ["warning"]),
            ("DCGM_FI_DEV_FB_USED", None, ["warning"]),
            ("DCGM_FI_DEV_GPU_UTIL", "nvcr.io/nvidia/tritonserver:26.07-py3", ["info"]),
            ("DCGM_FI_DEV_FB_USED", "nvcr.io/nvidia/tritonserver:26.07-py3", []),
            ("cluster:gpu_utilization:avg", None, ["warning"]),
            ("vllm_num_requests_waiting", None, []),
        ],
    )
    def test_utilisation_and_memory(self, name: str, image: str | None, level: list[str]) -> None:
        text = f"image: {image}\ncommand: null\nargs: []" if image else "{}"
        scaler = yaml.safe_dump(
            {
                "apiVersion": "autoscaling/v2",
                "kind": "HorizontalPodAutoscaler",
                "metadata": {"name": "chat", "namespace": "serving"},
                "spec": {
                    **yaml.safe_load(f"{{{TARGET}}}"),
                    "metrics": [yaml.safe_load(pods(name))],
                },
            }
        )
        found = said("GPU802", "deployment", main(text), scaler)
        assert levels(found) == level
        # The metric's whole name, behind what a cloud puts in front of it.
        assert all(f"`{name.rpartition('|')[2]}`" in one.message for one in found)

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ('sum(vllm:num_requests_waiting{model="a b"})', ("vllm:num_requests_waiting",)),
            ("sum by (pod) (rate(http_requests_total[5m])) or vector(0)", ("http_requests_total",)),
            ("a / on (instance) group_left (node) b > 0.5", ("a", "b")),
            ("", ()),
        ],
    )
    def test_the_series_of_a_query(self, query: str, names: tuple[str, ...]) -> None:
        assert metrics_in(query) == names

    @pytest.mark.parametrize(
        ("metric", "server"),
        [
            ("vllm:num_requests_waiting", "vllm"),
            ("vllm_num_requests_running", "vllm"),
            ("prometheus.googleapis.com|tgi_queue_size|gauge", "tgi"),
            ("nv_inference_queue_duration_us", "triton"),
            ("sglang:num_queue_reqs", "sglang"),
        ],
    )
    def test_who_emits_a_metric(self, metric: str, server: str) -> None:
        assert server in emitters(metric)

    @pytest.mark.parametrize("metric", ["nvidia_gpu_duty_cycle", "http_requests_total", "", "|"])
    def test_what_no_server_emits(self, metric: str) -> None:
        assert not emitters(metric)

    @pytest.mark.parametrize(("more", "number"), [("", 1), (", --enable-metrics", 0)])
    def test_metrics_that_are_off(self, more: str, number: int) -> None:
        server = f"""
image: lmsysorg/sglang:v0.5.23
command: [python3, -m, sglang.launch_server]
args: [--model-path, /models/m{more}]
"""
        trigger = "{type: prometheus, metadata: {query: 'sum(sglang:num_queue_reqs)'}}"
        found = said("GPU809", "deployment", main(server), KEDA % trigger)
        assert len(found) == number

    @pytest.mark.parametrize(
        ("query", "number"),
        [
            ("sum(vllm_num_requests_waiting)", 1),
            ("sum(vllm:num_requests_waiting)", 0),
            ("sum(ray_vllm_num_requests_waiting)", 0),  # Ray's exporter spells it so
            ("sum(vllm_queue_of_mine)", 0),  # a recording rule, perhaps
        ],
    )
    def test_a_colon_in_a_query_is_no_underscore(self, query: str, number: int) -> None:
        """An adapter may rename what an HPA sees; a query goes to Prometheus itself."""
        trigger = f"{{type: prometheus, metadata: {{query: '{query}'}}}}"
        assert len(said("GPU898", "deployment", "{}", KEDA % trigger)) == number
        name = pods("vllm_num_requests_waiting")
        assert said("GPU898", "horizontalpodautoscaler", hpa(name)) == []


class TestBounds:
    """Zero, bounds that cross, and pools that are smaller than both."""

    @pytest.mark.parametrize(
        ("version", "kind", "level"),
        [
            ("1.36", "Pods", ["error"]),
            ("1.37", "Pods", ["error"]),
            ("1.36", "External", ["warning"]),
            ("1.37", "External", []),
            (None, "External", ["info"]),
        ],
    )
    def test_an_hpa_at_zero(self, version: str | None, kind: str, level: list[str]) -> None:
        given = cluster(kubernetes=version) if version else None
        metric = f"{{type: {kind}, {kind.lower()}: {{metric: {{name: queue}}}}}}"
        patch = yaml.safe_dump({"spec": {"minReplicas": 0, "metrics": [yaml.safe_load(metric)]}})
        found = said("GPU803", "horizontalpodautoscaler", patch, profile=given)
        assert levels(found) == level

    @pytest.mark.parametrize(
        ("base", "spec"),
        [
            ("horizontalpodautoscaler", "{minReplicas: 5}"),
            ("scaledobject", "{minReplicaCount: 5}"),
            ("scaledobject", "{idleReplicaCount: 2}"),
            (
                "scaledobject",
                "{minReplicaCount: 0, triggers: [{type: cpu, metadata: {value: '80'}}]}",
            ),
        ],
    )
    def test_what_is_refused(self, base: str, spec: str) -> None:
        assert levels(said("GPU803", base, f"spec: {spec}")) == ["error"]

    @pytest.mark.parametrize(
        ("trigger", "lacking"),
        [
            ("{type: prometheus, metadata: {query: up, threshold: '1'}}", ["serverAddress"]),
            ("{type: prometheus, metadata: {serverAddress: '', query: up}}", ["serverAddress"]),
            # Prometheus' address is read from `metadata` alone.
            (
                "{type: prometheus, metadata: {serverAddressFromEnv: A, query: up, threshold: '1'}}",
                ["serverAddress"],
            ),
            ("{type: cron, metadata: {timezone: UTC, start: a, end: b}}", ["desiredReplicas"]),
            ("{type: kafka, metadata: {topic: t}}", ["bootstrapServers"]),
            ("{type: kafka, metadata: {bootstrapServersFromEnv: A, consumerGroup: g}}", []),
        ],
    )
    def test_what_a_trigger_has_to_be_told(self, trigger: str, lacking: list[str]) -> None:
        whole = "{type: prometheus, metadata: {serverAddress: a, query: b, threshold: '1'}}"
        found = said("GPU803", "deployment", "{}", KEDA % f"{whole}, {trigger}")
        assert [one.path for one in found] == [f"spec.triggers[1].metadata.{x}" for x in lacking]

    @pytest.mark.parametrize(("replicas", "number"), [(2, 0), (3, 1)])
    def test_fixed_replicas_against_the_pool(self, replicas: int, number: int) -> None:
        found = said("GPU810", "deployment", main("{}", replicas=replicas), profile=cluster(1))
        assert len(found) == number
        assert all("1 of 3 replicas stay Pending" in one.message for one in found)

    @pytest.mark.parametrize("pod", ["{hostNetwork: true}", "{hostNetwork: false}"])
    def test_pods_that_take_a_port_of_the_host_are_one_on_each_node(self, pod: str) -> None:
        """Two GPUs of one node are room for two pods, unless both want its port 8000."""
        patch = f"spec: {{replicas: 2, template: {{spec: {pod}}}}}"
        found = said("GPU810", "deployment", patch, profile=cluster(1))
        assert [one.message.partition(": ")[2] for one in found] == (
            ["`a100` has nodes for only 1, one on each, since they use a port of the host"]
            if "true" in pod
            else []
        )

    def test_nodes_that_come_late(self) -> None:
        """C-31: time to capacity, as an estimate."""
        given = cluster({"min": 1, "max": 4})
        found = said("GPU811", "horizontalpodautoscaler", profile=given)
        assert levels(found) == ["info"]
        assert "9 minutes" in found[0].message
        assert said("GPU811", "horizontalpodautoscaler", profile=cluster(2)) == []
        warm = cluster({"min": 1, "max": 4}, spare=1)
        assert said("GPU811", "horizontalpodautoscaler", profile=warm) == []

    @pytest.mark.parametrize(
        ("spec", "number"),
        [
            ("{minReplicaCount: 0}", 1),
            ("{minReplicaCount: null}", 1),  # the default
            ("{idleReplicaCount: 0}", 1),
            ("{minReplicaCount: 1}", 0),
            ("{minReplicaCount: 0, triggers: [{type: rabbitmq}]}", 0),
            (
                "{minReplicaCount: 0, triggers: [{type: prometheus, metadata: "
                "{query: 'sum(vllm:num_requests_waiting) + sum(envoy_cluster_rq)'}}]}",
                0,
            ),
        ],
    )
    def test_what_wakes_a_server(self, spec: str, number: int) -> None:
        assert len(said("GPU808", "scaledobject", f"spec: {spec}")) == number

    @pytest.mark.parametrize(
        ("metric", "number"),
        [
            ("vllm_num_requests_waiting", 1),
            ("inference_pool_average_queue_size", 1),
            ("inference_extension_flow_control_queue_size", 0),
            ("envoy_cluster_upstream_rq_active", 0),
        ],
    )
    def test_an_hpa_that_goes_to_zero(self, metric: str, number: int) -> None:
        """From Kubernetes 1.37 on, by a metric of type `External`."""
        target = "{type: AverageValue, averageValue: '5'}"
        held = f"{{type: External, external: {{metric: {{name: {metric}}}, target: {target}}}}}"
        spec = f"spec: {{minReplicas: 0, metrics: [{held}]}}"
        assert len(said("GPU808", "horizontalpodautoscaler", spec)) == number


APP = """
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: serving, namespace: argocd}
spec:
  destination: {namespace: serving}
  syncPolicy: {automated: {selfHeal: true}}
  ignoreDifferences: %s
"""


class TestReplicas:
    """Who moves the number of replicas."""

    @pytest.mark.parametrize(
        ("rows", "number"),
        [
            ("[]", 1),
            ("[{group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}]", 0),
            ("[{group: apps, kind: Deployment, jqPathExpressions: [.spec.replicas]}]", 0),
            ("[{group: '*', kind: '*', name: chat, jsonPointers: [/spec/replicas]}]", 0),
            ("[{group: apps, kind: Deployment, name: other, jsonPointers: [/spec/replicas]}]", 1),
            ("[{group: apps, kind: StatefulSet, jsonPointers: [/spec/replicas]}]", 1),
            ("[{group: apps, kind: Deployment, jsonPointers: [/spec/template]}]", 1),
        ],
    )
    def test_what_argo_cd_leaves_alone(self, rows: str, number: int) -> None:
        found = said("GPU804", "autoscaled-deployment", "spec: {replicas: 2}", APP % rows)
        assert len(found) == number
        assert all("serving heals itself" in one.message for one in found)

    def test_a_scaler_of_another_namespace_is_not_meant(self) -> None:
        other = KEDA.replace("namespace: serving", "namespace: other") % "{type: kafka}"
        assert said("GPU804", "deployment", "{}", other) == []
        assert len(said("GPU804", "deployment", "{}", KEDA % "{type: kafka}")) == 1

    @pytest.mark.parametrize(
        ("target", "path"),
        [
            ("{name: prod-chat}", ["spec.scaleTargetRef.name"]),
            ("{name: chatt}", ["spec.scaleTargetRef.name"]),
            ("{kind: StatefulSet}", ["spec.scaleTargetRef.kind"]),
            ("{name: chat}", []),
            ("{name: speech}", []),  # perhaps in a file that was not given
            ("{name: '${NAME}-chat'}", []),
        ],
    )
    def test_a_target_that_is_not_there(self, target: str, path: list[str]) -> None:
        found = said("GPU805", "horizontalpodautoscaler", f"spec: {{scaleTargetRef: {target}}}")
        assert [one.path for one in found] == path

    def test_a_target_that_an_operator_makes(self) -> None:
        """Grove makes `chat-0-decode`, a PodClique, of the PodCliqueSet `chat`."""
        clique = "{apiVersion: grove.io/v1alpha1, kind: PodClique, name: chat-0-decode}"
        scaler = KEDA.replace("{name: chat}, min", f"{clique}, min") % "{type: kafka}"
        assert "chat-0-decode" in scaler
        patch = "metadata: {name: chat, namespace: serving}"
        assert said("GPU805", "podcliqueset", patch, scaler) == []

    def test_a_target_in_another_namespace(self) -> None:
        found = said("GPU805", "horizontalpodautoscaler", "metadata: {namespace: prod}")
        assert "in namespace `serving`, not in `prod`" in found[0].message

    @pytest.mark.parametrize(
        ("name", "others", "meant"),
        [
            ("chat", ["dev-chat"], "dev-chat"),
            ("dev-chat", ["chat"], "chat"),
            ("chat", ["dev-chat", "prod-chat"], None),  # either
            ("recommender", ["recomender"], "recomender"),
            ("chat", ["chat"], None),
            ("a", ["a-b"], None),
            ("chat", [], None),
        ],
    )
    def test_names_that_come_near(self, name: str, others: list[str], meant: str | None) -> None:
        assert near(name, others) == meant

    def test_a_second_autoscaler(self) -> None:
        found = said("GPU812", "autoscaled-deployment", "{}", KEDA % "{type: kafka}")
        assert levels(found) == ["error"]
        assert "HorizontalPodAutoscaler `chat`" in found[0].message


CLIENT = """
apiVersion: v1
kind: Pod
metadata: {name: agent, namespace: serving, labels: {app: agent}}
spec:
  containers:
    - name: main
      image: a/b:1
      ports: [{containerPort: 9000}]
      env: [{name: BASE_URL, value: "%s"}]
"""


class TestAsksItself:
    """URLs that lead to the pod itself, beside a Service that was meant."""

    @pytest.mark.parametrize(
        ("url", "number"),
        [
            ("http://localhost:8000/v1", 1),
            ("http://127.0.0.1:8000", 1),
            ("http://localhost:9000", 0),  # its own
            ("http://localhost:7000", 0),  # nobody's
            ("http://chat:8000/v1", 0),
        ],
    )
    def test_a_port_of_a_service(self, url: str, number: int) -> None:
        found = said("GPU815", "deployment", "{}", CLIENT % url)
        assert [one.path for one in found] == ["spec.containers[0].env[0].value"] * number

    @pytest.mark.parametrize(
        "more",
        [
            "    - {name: proxy, image: a/proxy:1}",
            "    - {name: proxy, image: a/proxy:1, ports: [{containerPort: 8000}]}",
            "      args: [--listen, ':8000']",
            "  hostNetwork: true",
        ],
    )
    def test_what_may_listen_there(self, more: str) -> None:
        text = CLIENT.rstrip("\n") % "http://localhost:8000" + f"\n{more}\n"
        assert said("GPU815", "deployment", "{}", text) == []

    def test_a_service_of_its_own_leads_to_itself(self) -> None:
        text = CLIENT.replace("app: agent", "app: chat") % "http://localhost:8000"
        assert said("GPU815", "deployment", "{}", text) == []


@pytest.mark.parametrize(
    ("limits", "replicas", "room"),
    [
        ({"nvidia.com/gpumem": 8000}, 20, None),  # ten on each of two cards of 80 GB
        ({"nvidia.com/gpumem": 8000}, 21, 20),
        ({"nvidia.com/gpumem": 40000}, 5, 4),
        ({"nvidia.com/gpumem-percentage": 50}, 5, 4),
        ({"nvidia.com/gpumem": 8000, "nvidia.com/gpucores": 60}, 3, 2),
        ({"nvidia.com/gpucores": 20}, 3, 2),
    ],
)
def test_hami_puts_several_pods_on_one_gpu(
    limits: dict[str, int], replicas: int, room: int | None
) -> None:
    """By what they ask for of its memory and cores; who asks for no memory gets all of it."""
    patch = main(yaml.safe_dump({"resources": {"limits": limits}}), replicas=replicas)
    found = said("GPU810", "deployment", patch, profile=cluster(1))
    assert [f"GPUs for only {room}" in one.message for one in found] == [True] * bool(room)
