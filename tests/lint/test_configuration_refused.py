"""GPU018: what programs of the platform cannot read of their configuration files."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

MAP = """apiVersion: v1
kind: ConfigMap
metadata: {{name: plugin, namespace: gpu-operator}}
data:
  note: of the team
  file: |
{text}
"""


def said(text: str) -> list[Finding]:
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    found = [one.finding() for one in raised(MAP.format(text=lines))]
    return [one for one in found if one.rule == "GPU018"]


def of_plugin(value: dict[str, Any]) -> list[Finding]:
    return said(json.dumps({"version": "v1", **value}, indent=2))


SHARED = {"sharing": {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}}


def test_the_line_is_that_of_the_file_in_the_block() -> None:
    (found,) = said(
        "version: v1\n"
        "sharing:\n"
        "  timeSlicing:\n"
        "    resources:\n"
        '      - {name: nvidia.com/gpu, replicas: "4"}\n'
    )
    assert (found.line, found.column, found.end_column) == (11, 46, 49)
    assert found.message == (
        '`replicas` must be an integer, not the string "4": the device plugin does not start, and '
        "its nodes advertise no GPU"
    )
    assert found.note == "write 4, without quotes"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_is_the_same_whatever_ends_lines(end: str) -> None:
    text = MAP.format(text='    version: v1\n    flags:\n      migStrategy: "mixd"\n')
    found = [one.finding() for one in raised(text.replace("\n", end))]
    assert [(one.line, one.column) for one in found if one.rule == "GPU018"] == [(9, 20)]


def test_what_is_no_block_is_shown_whole() -> None:
    text = json.dumps({"version": "v2", **SHARED})
    value = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"a": text},
    }
    (found,) = [one.finding() for one in raised(json.dumps(value)) if one.rule.code == "GPU018"]
    assert (found.line, found.path) == (1, "data.a")


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (
            {"flags": {"renameByDefault": True}},
            "move `renameByDefault` to `sharing.timeSlicing`",
        ),
        ({"migStrategy": "mixed"}, "move `migStrategy` to `flags`"),
        ({"flags": {"deviceIDStrategy": "index"}}, "move `deviceIDStrategy` to `flags.plugin`"),
        ({"flags": {"migStrategie": "mixed"}}, "did you mean `migStrategy`?"),
    ],
)
def test_what_the_plugin_does_not_read_is_a_warning(more: dict[str, Any], note: str) -> None:
    (found,) = of_plugin({**SHARED, **more})
    assert (found.severity, found.note) == ("warning", note)
    assert found.line > 6, "the key in the block, not the block's own"


@pytest.mark.parametrize(
    ("strategy", "wrong"),
    [("cdi-cri", []), (["envvar", "cdi-annotations"], []), (["envvar", "cdi"], ["error"])],
)
def test_a_device_list_is_passed_in_one_of_four_ways(strategy: object, wrong: list[str]) -> None:
    found = of_plugin({"flags": {"plugin": {"deviceListStrategy": strategy}}})
    assert [one.severity for one in found] == wrong
    assert all("`cdi-annotations`" in one.message for one in found)


def test_go_reads_keys_in_other_capitals() -> None:
    assert of_plugin({**SHARED, "flags": {"migstrategy": "mixed"}}) == []


@pytest.mark.parametrize(
    ("text", "said_of"),
    [
        ("version: v1\nmig-configs: {}", "must have at least one field"),
        ("mig-configs: {a: [{devices: all, mig-enabled: false}]}", "required field `version`"),
        ("version: v1\nmig-configs: {a: [{devices: all}]}", "required field `mig-enabled`"),
        (
            'version: v1\nmig-configs: {a: [{devices: all, mig-enabled: "true"}]}',
            "must be a boolean, not the string",
        ),
        (
            "version: v1\nmig-configs: {a: [{device: all, devices: all, mig-enabled: false}]}",
            "unknown field `device`",
        ),
    ],
)
def test_the_mig_manager_reads_all_or_nothing(text: str, said_of: str) -> None:
    (found,) = said(text)
    assert found.severity == "error"
    assert said_of in found.message


@pytest.mark.parametrize(
    "text",
    [
        "sharing: of tables\nnothing: else",
        "version: v1\nflags: {verbose: true}",
        "version: v1\nmig-configs: {a: [{devices: [0, 1], mig-enabled: true, mig-devices: {1g.10gb: 7}}]}",
        "{{ not yaml",
    ],
)
def test_what_is_right_or_somebody_elses_is_silent(text: str) -> None:
    assert said(text) == []


def in_map(name: str, key: str, text: str) -> list[tuple[str, str]]:
    """Findings of a ConfigMap of a name with one key: severity and message."""
    value = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "kube-system"},
        "data": {key: text},
    }
    found = [one.finding() for one in raised(json.dumps(value))]
    return [(one.severity, one.message) for one in found if one.rule == "GPU018"]


KUEUE = """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
waitForPodsReady: {timeout: 10m}
integrations:
  frameworks: [batch/job, kubeflow.org/pytorchjob]
"""


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (KUEUE.replace("kubeflow.org/", ""), "Kueue does not know `pytorchjob`"),
        (KUEUE.replace("timeout: 10m", "enable: true"), "unknown field `enable`"),
        (KUEUE.replace("timeout: 10m", "timeout: 10"), "`timeout` must be a string"),
        (KUEUE.replace("frameworks", "framework"), "unknown field `framework`"),
        (
            KUEUE.replace("batch/job", "pod") + "managedJobsNamespaceSelector: {}\n",
            "matches `kube-system`",
        ),
    ],
)
def test_kueue_does_not_start(text: str, part: str) -> None:
    ((severity, message),) = in_map("kueue-manager-config", "controller_manager_config.yaml", text)
    assert severity == "error" and part in message and message.endswith("Kueue does not start")


@pytest.mark.parametrize(
    "text",
    [
        KUEUE,
        KUEUE.replace("v1beta2", "v1beta1").replace("timeout: 10m", "enable: true"),
        KUEUE.replace("batch/job", "pod"),
        KUEUE + "managedJobsNamespaceSelector: {}\n",
    ],
)
def test_kueue_reads_its_file(text: str) -> None:
    assert in_map("kueue-manager-config", "controller_manager_config.yaml", text) == []


def test_a_file_in_the_values_of_a_chart_is_read_too() -> None:
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "kueue", "namespace": "kueue-system"},
        "spec": {
            "interval": "5m",
            "chart": {"spec": {"chart": "kueue", "sourceRef": {"kind": "HelmRepository"}}},
            "values": {
                "managerConfig": {"controllerManagerConfigYaml": KUEUE.replace("job,", "jobs,")}
            },
        },
    }
    found = [one.finding() for one in raised(json.dumps(release))]
    (said_of_it,) = [one for one in found if one.rule == "GPU018"]
    assert (
        said_of_it.message
        == "`frameworks[0]`: Kueue does not know `batch/jobs`: Kueue does not start"
    )


VOLCANO = """actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: ours
"""


@pytest.mark.parametrize(
    ("text", "severity", "part"),
    [
        (VOLCANO.replace("backfill", "back-fill"), "error", "ignores the whole file"),
        (VOLCANO.replace("predicates", "predicate"), "warning", "does not know `predicate`"),
        (VOLCANO.replace("tiers:", "tier: []\ntiers:"), "warning", "unknown field `tier`"),
        (
            VOLCANO.replace("gang", "capacity").replace("predicates", "proportion"),
            "warning",
            "does not support the two together",
        ),
        (
            VOLCANO.replace(
                "gang",
                "deviceshare\n    arguments: {deviceshare.VGPUEnable: true, "
                "deviceshare.GPUSharingEnable: true}",
            ),
            "error",
            "cannot be enabled together",
        ),
    ],
)
def test_volcanos_scheduler(text: str, severity: str, part: str) -> None:
    (found,) = in_map("volcano-scheduler-configmap", "volcano-scheduler.conf", text)
    assert found[0] == severity and part in found[1]


def test_plugins_that_others_build_are_no_slips() -> None:
    assert in_map("volcano-scheduler-configmap", "volcano-scheduler.conf", VOLCANO) == []
    assert in_map("anything", "tiers.yaml", VOLCANO.replace("gang", "gan")) == []


QUEUES = """partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: org
            resources: {max: {nvidia.com/gpu: 16}}
            queues:
              - name: team
                resources:
                  guaranteed: {nvidia.com/gpu: 8, vcore: 500m}
                  max: {nvidia.com/gpu: 8}
"""


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (QUEUES.replace("max: {nvidia.com/gpu: 8}", "max: {nvidia.com/gpu: 4}"), "has at most 4"),
        (
            QUEUES.replace("gpu: 16}", "gpu: 4}").replace("gpu: 8, vcore", "gpu: 4, vcore"),
            "parent `org`",
        ),
        (QUEUES.replace("- name: root", "- name: root\n        submitACL: x"), "`submitACL`"),
    ],
)
def test_yunikorn_refuses_queues(text: str, part: str) -> None:
    ((severity, message),) = in_map("yunikorn-configs", "queues.yaml", text)
    assert severity == "error" and part in message and "keeps its previous queues" in message


TEAMS = """partitions:
  - name: default
    placementrules:
      - {name: tag, value: namespace, create: true, filter: {type: allow, users: [a]}}
    queues:
      - name: root
        queues:
          - name: ml
            submitacl: "alice,bob ml"
            properties: {preemption.policy: fence}
            resources: {max: {nvidia.com/gpu: 16, vcore: 500m, memory: 1 Gi}}
            limits:
              - {limit: a, users: [alice], groups: [ml], maxresources: {nvidia.com/gpu: 8}}
              - {limit: b, users: ["*"], groups: ["*"], maxapplications: 2}
"""


@pytest.mark.parametrize(
    ("old", "new", "level", "part"),
    [
        ("{name: tag,", "{name: namespace,", "error", "no placement rule `namespace`"),
        ("value: namespace, ", "", "error", "the rule `tag` has no `value`"),
        ("type: allow", "type: permit", "error", "must be `allow` or `deny`, not `permit`"),
        ('users: ["*"], groups: ["*"], ', "", "error", "names no users and no groups"),
        (", maxapplications: 2", "", "error", "neither `maxresources` nor"),
        ("nvidia.com/gpu: 8}", "nvidia.com/gpu: 32}", "error", "is above the 16 of queue `ml`"),
        (", groups: [ml]", "", "error", "the only limit of groups is that of `*`"),
        ('users: ["*"]', "users: [alice]", "error", "`alice` has a limit already"),
        ('"alice,bob ml"', '"alice bob ml"', "error", "more than two parts"),
        ("vcore: 500m", "cpu: 500", "warning", "counts CPUs as `vcore`"),
        ("policy: fence", "policy: never", "warning", "YuniKorn uses `default`"),
        ("1 Gi", "1GB", "error", "`memory` must be text that matches"),
        ("- name: ml", "- name: ml team", "error", "`name` must be text that matches"),
        ("maxapplications: 2", "maxapplications: -2", "error", "at least 0"),
    ],
)
def test_yunikorn_s_rules_and_limits(old: str, new: str, level: str, part: str) -> None:
    assert in_map("yunikorn-configs", "queues.yaml", TEAMS) == []
    ((severity, message),) = in_map("yunikorn-configs", "queues.yaml", TEAMS.replace(old, new))
    assert severity == level and part in message


def test_yunikorn_takes_queues() -> None:
    assert in_map("yunikorn-configs", "queues.yaml", QUEUES) == []
    assert in_map("slurm", "conf.yaml", "partitions: [{name: a, nodes: b}]") == []


EXPANDER = "cluster-autoscaler-priority-expander"


@pytest.mark.parametrize(
    ("name", "key", "text", "part"),
    [
        (EXPANDER, "priorities.yaml", "10: [a]", "no key `priorities`"),
        (f"{EXPANDER}-h2c9k", "priorities", "10: [a]", "reads only the ConfigMap"),
        (EXPANDER, "priorities", "10: ['*spot*']", "`*spot*` is not a valid regular expression"),
        (EXPANDER, "priorities", "high: [spot]", "`high` is not a whole number"),
        (EXPANDER, "priorities", "10: spot", "the priority 10 has no list"),
        (EXPANDER, "priorities", "- spot", "is not a map"),
        (EXPANDER, "priorities", "10: [", "is not valid YAML"),
    ],
)
def test_priorities_that_the_autoscaler_ignores(name: str, key: str, text: str, part: str) -> None:
    ((severity, message),) = in_map(name, key, text)
    assert severity == "warning" and part in message and message.endswith("at random")


def test_priorities_that_the_autoscaler_uses() -> None:
    assert in_map(EXPANDER, "priorities", "10:\n- .*on-?demand.*\n50:\n- ^gpu-spot") == []
    assert in_map(f"release-{EXPANDER}", "priorities", "10: [a]") == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("apiVersion: kubescheduler.config.k8s.io/v1beta3", "must be `kubescheduler"),
        ("apiVersion: kubescheduler.config.k8s.io/v1\nprofile: []", "unknown field `profile`"),
    ],
)
def test_a_second_scheduler_does_not_start(text: str, part: str) -> None:
    ((severity, message),) = in_map("second", "config.yaml", text)
    assert severity == "error" and part in message and message.endswith("stay Pending")


RAY = """\
apiVersion: ray.io/v1
kind: RayService
metadata: {name: llm, namespace: serving}
spec:
  serveConfigV2: |
    applications:
      - name: llm
        import_path: ray.serve.llm:build_openai_app
        args:
          llm_configs:
            - model_loading_config: {model_id: a}
              accelerator_type: A100-80G
              llm_engine: vLLM
              deployment_config: {autoscaling_config: {min_replicas: 1, max_replicas: 2}}
            - model_loading_config: {model_id: b}
"""
LMCACHE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: cache, namespace: serving}
data:
  lmcache.yaml: |
    chunk_size: 256
    local_cpu: true
    remote_url: redis://redis:6379
    remote_serde: naive
"""
PICKER = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: picker, namespace: serving}
data:
  picker.yaml: |
    apiVersion: inference.networking.x-k8s.io/v1alpha1
    kind: EndpointPickerConfig
    plugins: [{type: queue-scorer}]
    schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer}]}]
"""


@pytest.mark.parametrize(
    ("text", "before", "after", "message"),
    [
        (RAY, "accelerator_type:", "accelerator:", "unknown field `accelerator`"),
        (RAY, "A100-80G", "A100-80GB", "does not know `A100-80GB`"),
        (RAY, "vLLM", "sglang", "no engine but `vLLM`"),
        (RAY, "model_id: b", "model_id: a", "two models have the same"),
        (RAY, "{model_id: b}", "{model_source: b}", "required field `model_id`"),
        (RAY, "min_replicas: 1", "min_replicas: 3", "is above `max_replicas`"),
        (RAY, "min_replicas: 1", "max_ongoing_requests: 9", "belongs to `deployment_config`"),
        (RAY, "{autoscaling", "{num_replicas: 2, autoscaling", "exclude each other"),
        (LMCACHE, "chunk_size", "chunksize", "unknown field `chunksize`"),
        (LMCACHE, "naive", "zip", "has no such format"),
        (LMCACHE, "redis://redis", "redis", "has no scheme"),
        (PICKER, "schedulingProfiles", "schedulerProfiles", "unknown field `schedulerProfiles`"),
    ],
)
def test_files_of_servers(text: str, before: str, after: str, message: str) -> None:
    def said(text: str) -> list[str]:
        return [one.found.message for one in raised(text) if one.rule.code == "GPU018"]

    assert not said(text)
    (found,) = said(text.replace(before, after))
    assert message in found


def test_a_field_of_a_newer_picker_is_left_alone() -> None:
    newer = PICKER.replace("    plugins:", "    quantumTunnel: {}\n    plugins:", 1)
    assert "GPU018" not in [one.rule.code for one in raised(newer)]
