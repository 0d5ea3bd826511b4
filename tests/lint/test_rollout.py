"""Rollout and shutdown: how loud each rule is, and where it is silent."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.lint.analysis.serving.rollout import replacing
from gpuspec.lint.model import Finding
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from tests.lint.pages import raised
from tests.lint.patched import cluster, main, said


def levels(found: list[Finding]) -> list[str]:
    return [one.severity for one in found]


class TestDrain:
    """C-28: replicas end gracefully."""

    def test_a_single_replica_is_not_spoken_of(self) -> None:
        assert len(said("GPU510", "deployment", main("lifecycle: null"))) == 1
        assert said("GPU510", "deployment", main("lifecycle: null", replicas=1)) == []

    def test_an_autoscaler_makes_replicas_too(self) -> None:
        found = said("GPU510", "autoscaled-deployment", main("lifecycle: null"))
        assert "HorizontalPodAutoscaler `chat` removes a replica" in found[0].message

    @pytest.mark.parametrize(
        ("patch", "words", "note"),
        [
            (
                "name: main",
                "vLLM cuts off running answers",
                "add `--shutdown-timeout` with",
            ),
            ("image: vllm/vllm-openai:v0.7.0", "running answers", "let `preStop` sleep as"),
            ("args: [/models/m, --shutdown-timeout, '90']", "after SIGTERM fail", ""),
            ("image: lmsysorg/sglang:v0.5.9\ncommand: null", "after SIGTERM fail", ""),
        ],
    )
    def test_the_end_of_running_answers_depends_on_the_server(
        self, patch: str, words: str, note: str
    ) -> None:
        (found,) = said("GPU510", "deployment", main(f"{patch}\nlifecycle: null"))
        assert found.message.endswith(words)
        assert (found.note or "").startswith(note)
        assert bool(found.note) is bool(note)

    @pytest.mark.parametrize(
        ("hook", "grace", "level"),
        [
            ("{sleep: {seconds: 15}}", 14, ["error"]),  # the API server refuses it
            ("{sleep: {seconds: 15}}", 15, ["warning"]),  # nothing is left for the process
            ("{sleep: {seconds: 15}}", 16, []),
            ("{exec: {command: [sh, -c, sleep 60 && nginx -s quit]}}", 30, ["warning"]),
            ("{exec: {command: [/drain]}}", 30, []),
        ],
    )
    def test_the_grace_period(self, hook: str, grace: int, level: list[str]) -> None:
        patch = yaml.safe_load(main(f"lifecycle: {{preStop: {hook}}}"))
        if "exec" in hook:
            patch["spec"]["template"]["spec"]["containers"][0]["lifecycle"]["preStop"]["sleep"] = (
                None
            )
        patch["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = grace
        assert levels(said("GPU511", "deployment", yaml.safe_dump(patch))) == level


SURGES = main("{}", strategy={"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}})
HOLDER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: warm, namespace: serving}
spec:
  strategy: {type: Recreate}
  template:
    spec:
      priorityClassName: gpu-placeholder
      containers: [{name: pause, image: p, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


class TestRollout:
    """C-27: warm replicas stay until new ones are ready, and surge needs spare GPUs."""

    @pytest.mark.parametrize(
        ("nodes", "spare", "level"),
        [
            (1, 0, ["error"]),  # two GPUs, two replicas
            (2, 0, ["warning"]),
            (1, 1, []),
            ({"min": 1, "max": 2}, 0, ["info"]),
            (None, 0, ["warning"]),
        ],
    )
    def test_the_profile_decides(
        self, nodes: int | dict[str, int] | None, spare: int, level: list[str]
    ) -> None:
        given = cluster(nodes, spare)
        assert levels(said("GPU512", "deployment", SURGES, profile=given)) == level

    def test_without_a_profile_it_is_a_warning_at_most(self) -> None:
        assert levels(said("GPU512", "deployment", SURGES)) == ["warning"]
        waits = yaml.safe_load(SURGES)
        waits["spec"]["template"]["spec"]["containers"] = [
            {"name": "main", "command": ["sh", "-c", "while true; do sleep 30; done"], "args": None}
        ]
        assert levels(said("GPU512", "deployment", yaml.safe_dump(waits))) == ["info"]
        waits["spec"]["template"]["spec"]["containers"] = [
            {"name": "main", "image": "registry.k8s.io/pause:3.10", "command": None, "args": None}
        ]
        assert levels(said("GPU512", "deployment", yaml.safe_dump(waits))) == ["info"]
        chosen = main("{}", strategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})
        assert levels(said("GPU512", "deployment", chosen)) == ["info"]

    def test_a_placeholder_gives_way(self) -> None:
        assert said("GPU512", "deployment", SURGES, HOLDER) == []
        big = HOLDER.replace("gpu: 1", "gpu: 0")
        assert len(said("GPU512", "deployment", SURGES, big)) == 1

    def test_a_group_waits_for_the_gpus_of_all_its_pods(self) -> None:
        """Two pods of eight; and a LeaderWorkerSet has no `Recreate`."""
        bounds = "rollingUpdateConfiguration: {maxSurge: 1, maxUnavailable: 0}"
        patch = f"spec: {{rolloutStrategy: {{type: RollingUpdate, {bounds}}}}}"
        (found,) = said("GPU512", "leaderworkerset", patch)
        assert "needs 16 more GPUs before it stops an old group" in found.message
        assert "Recreate" not in (found.note or "")

    def test_four_replicas_may_lose_one(self) -> None:
        strategy = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
        assert said("GPU512", "deployment", main("{}", replicas=4, strategy=strategy)) == []

    @given(
        replicas=st.integers(1, 200),
        surge=st.integers(0, 100),
        away=st.integers(0, 100),
    )
    def test_percentages_round_as_the_controller_rounds(
        self, replicas: int, surge: int, away: int
    ) -> None:
        numbers = {"maxSurge": f"{surge}%", "maxUnavailable": f"{away}%"}
        owner = Object(
            {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "spec": {"replicas": replicas, "strategy": {"rollingUpdate": numbers}},
            }
        )
        how = replacing(owner, Collection())
        assert how is not None
        assert 0 <= how.surge - replicas * surge / 100 < 1
        assert how.surge + how.unavailable > 0
        assert how.unavailable <= replicas
        if surge or replicas * away >= 100:
            assert 0 <= replicas * away / 100 - how.unavailable < 1

    def test_both_are_nought_in_percent_too(self) -> None:
        patch = "spec: {strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}}"
        assert levels(said("GPU513", "deployment", patch)) == ["error"]

    @pytest.mark.parametrize(("replicas", "number"), [(1, 0), (2, 1)])
    def test_recreate_is_for_one_replica(self, replicas: int, number: int) -> None:
        patch = main("{}", replicas=replicas, strategy={"type": "Recreate"})
        assert len(said("GPU514", "deployment", patch)) == number

    @pytest.mark.parametrize(
        ("written", "level"), [(899, ["warning"]), (900, []), (None, ["info"])]
    )
    def test_the_deadline_of_a_rollout(self, written: int | None, level: list[str]) -> None:
        patch = main("{}", progressDeadlineSeconds=written)
        assert levels(said("GPU515", "deployment", patch)) == level

    @pytest.mark.parametrize(
        ("written", "level"),
        [("899s", ["warning"]), ("15m", []), ("null", ["info"]), ("soon", [])],
    )
    def test_the_deadline_of_a_revision(self, written: str, level: list[str]) -> None:
        annotations = f"{{annotations: {{serving.knative.dev/progress-deadline: {written}}}}}"
        patch = f"spec: {{template: {{metadata: {annotations}}}}}"
        assert levels(said("GPU515", "knative-service", patch)) == level

    @pytest.mark.parametrize(
        ("mode", "uri", "deadline", "level"),
        [
            ("Serverless", "s3://m/llama-3.3-70b-instruct", "null", ["warning"]),
            ("Knative", "s3://m/llama-3.3-70b-instruct", "20m", ["warning"]),
            ("Serverless", "s3://m/llama-3.3-70b-instruct", "30m", []),
            ("Serverless", "pvc://weights/llama-3.3-70b-instruct", "12m", []),
            ("Serverless", "s3://m/llama-3.1-8b", "null", []),
            ("Serverless", "s3://m/chat", "null", []),
            ("Standard", "s3://m/llama-3.3-70b-instruct", "null", []),
        ],
    )
    def test_weights_that_take_longer_than_knative_waits(
        self, mode: str, uri: str, deadline: str, level: list[str]
    ) -> None:
        own = f"serving.kserve.io/deploymentMode: {mode}"
        patch = f"""
metadata: {{annotations: {{{own}, serving.knative.dev/progress-deadline: {deadline}}}}}
spec: {{predictor: {{model: {{storageUri: "{uri}"}}}}}}
"""
        assert levels(said("GPU515", "inferenceservice", patch)) == level


@pytest.mark.parametrize(
    ("surge", "away", "hangs"),
    [
        (1, 0, True),
        (0, 1, True),
        (1, 1, False),
        ("25%", "50%", False),
        ("100%", 0, False),
    ],
)
def test_a_gang_of_new_pods_needs_them_at_once(
    surge: int | str, away: int | str, hangs: bool
) -> None:
    """GPU411, and then not GPU512, whose advice would not help."""
    patch = yaml.safe_load(
        main("{}", strategy={"rollingUpdate": {"maxSurge": surge, "maxUnavailable": away}})
    )
    patch["metadata"] = {"annotations": {"scheduling.volcano.sh/group-min-member": "2"}}
    patch["spec"]["template"]["spec"]["schedulerName"] = "volcano"
    text = yaml.safe_dump(patch)
    assert bool(said("GPU411", "deployment", text)) is hangs
    assert not (hangs and said("GPU512", "deployment", text))


@pytest.mark.parametrize(
    ("mode", "more", "level"),
    [
        ("Standard", "", ["warning"]),
        ("RawDeployment", "", ["warning"]),
        ("Knative", "", []),
        ("Standard", ", workerSpec: {pipelineParallelSize: 2}", []),
        ("Standard", ", minReplicas: 4", []),
    ],
)
def test_an_inferenceservice_rolls_as_a_deployment_where_it_is_one(
    mode: str, more: str, level: list[str]
) -> None:
    """C-27: KServe's default is a Deployment's, 25 % both."""
    patch = f"""
metadata: {{annotations: {{serving.kserve.io/deploymentMode: {mode}}}}}
spec: {{predictor: {{deploymentStrategy: null, maxReplicas: 4{more}}}}}
"""
    found = said("GPU512", "inferenceservice", patch)
    assert levels(found) == level
    assert all("`minReplicas` 1" in one.message for one in found)


DAEMONS = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: burn, namespace: ml}
spec:
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: burn}}
  template:
    metadata: {labels: {app: burn}}
    spec:
      containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]
"""


@pytest.mark.parametrize(("gpus", "severity"), [(8, "warning"), (1, "info")])
def test_a_daemon_set_that_surges_wants_its_gpus_twice(gpus: int, severity: str) -> None:
    text = DAEMONS.replace("gpu: 8", f"gpu: {gpus}")
    found = [one.finding() for one in raised(text) if one.rule.code == "GPU512"]
    assert [one.severity for one in found] == [severity]
    usual = text.replace("maxSurge: 1, maxUnavailable: 0", "maxUnavailable: 1")
    assert "GPU512" not in [one.rule.code for one in raised(usual)]
