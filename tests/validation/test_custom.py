"""What `validate` says of custom kinds: one right and one wrong object of each, and the finer points."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from gpuspec.manifests import format_path
from gpuspec.validation import validate
from gpuspec.validation.custom import custom_kinds, is_known

Object = dict[str, Any]
Cases = dict[tuple[str, str], Object]
Put = Callable[[Object, str, object], Object]


def test_there_is_a_case_for_every_kind(cases: Cases) -> None:
    assert sorted(cases) == sorted((known.api_version, known.kind) for known in custom_kinds())


def test_a_right_object_and_a_wrong_one(right: Object, wrong: Object, at: str, says: str) -> None:
    assert validate(right, "1.37") == ()
    found = validate(wrong, "1.37")
    assert [violation.message for violation in found] == [says]
    assert format_path(found[0].path).startswith(at)


@pytest.fixture
def queue() -> Object:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "LocalQueue",
        "metadata": {"name": "research"},
        "spec": {"clusterQueue": "research"},
    }


def lws(**container: Any) -> Object:
    main = {"name": "main", "image": "x", **container}
    template = {"metadata": {"labels": {"app": "big"}}, "spec": {"containers": [main]}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "big"},
        "spec": {"leaderWorkerTemplate": {"size": 2, "workerTemplate": template}},
    }


CONTAINER = "spec.leaderWorkerTemplate.workerTemplate.spec.containers[0]"


def told(value: Any) -> list[tuple[str, str, str | None]]:
    return [(format_path(v.path), v.message, v.hint) for v in validate(value, "1.37")]


@pytest.mark.parametrize("version", ["1.33", "1.37"])
def test_the_kubernetes_version_makes_no_difference(version: str, queue: Object) -> None:
    assert validate(queue, version) == ()
    assert is_known("kueue.x-k8s.io/v1beta2", "LocalQueue", version)
    assert not is_known("kueue.x-k8s.io/v1alpha1", "LocalQueue", version)


def test_custom_kinds_say_where_their_schemas_come_from() -> None:
    known = {(each.api_version, each.kind): each for each in custom_kinds()}
    queue = known["kueue.x-k8s.io/v1beta2", "ClusterQueue"]
    assert (queue.project, queue.repository) == ("kueue", "kubernetes-sigs/kueue")
    assert queue.release.startswith("v0.")
    assert not queue.namespaced
    assert not queue.deprecated
    assert (queue.rules, queue.unchecked) == (4, 0)
    assert known["kueue.x-k8s.io/v1beta2", "Workload"].unchecked > 0
    assert known["kueue.x-k8s.io/v1beta1", "ClusterQueue"].deprecated
    assert known["kueue.x-k8s.io/v1beta2", "LocalQueue"].namespaced


def test_null_counts_as_no_field(queue: Object) -> None:
    queue["spec"]["stopPolicy"] = None
    queue["metadata"]["labels"] = None
    assert told(queue) == []
    queue["spec"]["stopPolicyx"] = None
    assert told(queue) == [
        ("spec.stopPolicyx", "unknown field `stopPolicyx`", "did you mean `stopPolicy`?")
    ]


def test_null_for_a_field_that_must_be_there() -> None:
    value = lws(name=None)
    assert told(value) == [
        (
            f"{CONTAINER}.name",
            "required field `name` is missing",
            "set a value: null counts as absent",
        )
    ]


def test_null_leaves_a_map_emptier(cases: Cases, put: Put) -> None:
    pool = cases["inference.networking.k8s.io/v1", "InferencePool"]
    changed = put(pool, "spec.selector.matchLabels.app", None)
    assert told(changed) == [
        ("spec.selector.matchLabels", "expected at least one field, not an empty map", None)
    ]


def test_null_is_no_item_of_a_list() -> None:
    assert told(lws(args=["a", None]))[0][:2] == (
        f"{CONTAINER}.args[1]",
        "expected a string, not null",
    )


def test_what_has_a_default_need_not_be_there(cases: Cases, put: Put) -> None:
    # `workerGroupSpecs` says that minReplicas and maxReplicas are required, and has defaults.
    cluster = cases["ray.io/v1", "RayCluster"]
    group = cluster["spec"]["workerGroupSpecs"][0]
    reduced = {name: group[name] for name in group if name not in ("minReplicas", "maxReplicas")}
    assert told(put(cluster, "spec.workerGroupSpecs[0]", reduced)) == []


@pytest.mark.parametrize(
    ("container", "path", "message", "hint"),
    [
        (
            {"imagePulPolicy": "Always"},
            "imagePulPolicy",
            "unknown field `imagePulPolicy`",
            "did you mean `imagePullPolicy`?",
        ),
        (
            {"tolerations": []},
            "tolerations",
            "unknown field `tolerations`",
            "move `tolerations` to `spec.leaderWorkerTemplate.workerTemplate.spec`",
        ),
        (
            {"resources": {"limits": {"cpu": 0.5}}},
            "resources.limits.cpu",
            'expected a quantity, such as "500m" or "16Gi", not the number 0.5',
            "put the value in quotes",
        ),
        (
            {"resources": {"limits": {"memory": "16 GB"}}},
            "resources.limits.memory",
            'expected a quantity, such as "500m" or "16Gi", not the string "16 GB"',
            "did you mean 16G (10^9) or 16Gi (2^30)?",
        ),
        (
            {"env": [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}]},
            "env[2]",
            "another item of the list has `name: A` too",
            "the API server rejects the object; keep one of them",
        ),
        (
            {"ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 80}]},
            "ports[1]",
            "another item of the list has `containerPort: 80` and `protocol: TCP` too",
            "the API server rejects the object; keep one of them",
        ),
    ],
)
def test_words_in_a_pod_template(
    container: Object, path: str, message: str, hint: str | None
) -> None:
    assert told(lws(**container)) == [(f"{CONTAINER}.{path}", message, hint)]


def test_ports_that_differ_in_protocol_are_two() -> None:
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]
    assert told(lws(ports=ports)) == []


def test_a_map_whose_definition_has_no_fields_keeps_nothing(cases: Cases, put: Put) -> None:
    runtime = cases["serving.kserve.io/v1alpha1", "ServingRuntime"]
    claim = {"metadata": {"labels": {"a": "b"}}, "spec": {}}
    volume = {"name": "v", "ephemeral": {"volumeClaimTemplate": claim}}
    assert told(put(runtime, "spec.volumes", [volume])) == [
        (
            "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.labels",
            "unknown field `labels`",
            "remove the map: the kind's definition has no fields in it, so the server drops its content",
        )
    ]


def test_a_wrapped_object_is_checked_as_its_own_kind(queue: Object) -> None:
    del queue["spec"]["clusterQueue"]
    queue["spec"]["cluster"] = "research"
    wrapper = {
        "apiVersion": "workload.codeflare.dev/v1beta2",
        "kind": "AppWrapper",
        "metadata": {"name": "wrapped"},
        "spec": {"components": [{"template": queue}, {"template": {"kind": "Pod"}}]},
    }
    assert [(path, message) for path, message, _ in told(wrapper)] == [
        ("spec.components[0].template.spec.cluster", "unknown field `cluster`"),
        ("spec.components[1].template.apiVersion", "required field `apiVersion` is missing"),
    ]


def test_an_item_of_a_list_is_checked(queue: Object) -> None:
    queue["spec"]["clusterQueue"] = 7
    value = {"apiVersion": "v1", "kind": "List", "items": [queue]}
    assert told(value)[0][0] == "items[0].spec.clusterQueue"


def test_the_answer_does_not_depend_on_how_many_came_before(queue: Object) -> None:
    wrong = {**queue, "spec": {"clusterQueue": "R"}}
    first = validate(wrong, "1.36")
    assert len(first) == 1
    for _ in range(250):
        assert validate(queue, "1.36") == ()
    assert validate(wrong, "1.36") == first


@pytest.mark.parametrize(
    ("api_version", "kind", "reason", "message", "hint"),
    [
        (
            "kueue.x-k8s.io/v1alpha1", "ClusterQueue", "not-served",
            r"kueue v\S+ has no `kueue.x-k8s.io/v1alpha1` ClusterQueue",
            "write `apiVersion: kueue.x-k8s.io/v1beta2`",
        ),
        (
            "ray.io/v1beta1", "RayJob", "not-served",
            r"kuberay v\S+ has no `ray.io/v1beta1` RayJob",
            "write `apiVersion: ray.io/v1`",
        ),
        (
            "kubeflow.org/v2", "MPIJob", "not-served",
            r"the Kubeflow training operator v\S+ and the MPI operator have no `kubeflow.org/v2` MPIJob",
            "write `kubeflow.org/v1` or `kubeflow.org/v2beta1`",
        ),
        (
            "kueue.x-k8s.io/v1beta2", "ClusterQueu", "no-schema",
            "no schema for `kueue.x-k8s.io/v1beta2` ClusterQueu: it was not checked",
            "did you mean `ClusterQueue`?",
        ),
        (
            "kubeflow.org/v1", "TrainJob", "no-schema",
            "no schema for `kubeflow.org/v1` TrainJob: it was not checked",
            "write `apiVersion: trainer.kubeflow.org/v1alpha1`",
        ),
        (
            "v1", "JobSet", "not-served",
            r"Kubernetes 1.37 has no kind `JobSet` in `v1`",
            "write `apiVersion: jobset.x-k8s.io/v1alpha2`",
        ),
    ],
)  # fmt: skip
def test_what_no_release_serves(
    api_version: str, kind: str, reason: str, message: str, hint: str
) -> None:
    (violation,) = validate({"apiVersion": api_version, "kind": kind, "x": 1}, "1.37")
    assert violation.reason == reason
    assert re.fullmatch(message, violation.message)
    assert violation.hint == hint


@pytest.mark.parametrize("more", [2**63, 2**64, 1e300])
def test_a_number_that_a_server_cannot_hold(more: float) -> None:
    monitor: Object = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {"name": "vllm"},
        "spec": {"selector": {}, "endpoints": [{"port": "http"}], "sampleLimit": 2**63 - 1},
    }
    assert validate(monitor, "1.37") == ()
    monitor["spec"] = {**monitor["spec"], "sampleLimit": more}
    ((path, message, _),) = told(monitor)
    assert path == "spec.sampleLimit"
    assert message.startswith("expected a number of at most 9223372036854775807, not ")
