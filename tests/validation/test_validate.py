"""What `validate` says of objects that are right, wrong, or of no known kind."""

import copy
from typing import Any

import pytest

from gpuspec.locate import shipped
from gpuspec.manifests import format_path
from gpuspec.validation import (
    SchemaViolation,
    UnsupportedVersionError,
    newest,
    supported_versions,
    validate,
)
from gpuspec.validation.custom import is_known


def deployment(**container: Any) -> dict[str, Any]:
    main = {"name": "main", "image": "x", **container}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat"},
        "spec": {
            "selector": {"matchLabels": {"app": "chat"}},
            "template": {
                "metadata": {"labels": {"app": "chat"}},
                "spec": {"containers": [main]},
            },
        },
    }


def told(value: Any, version: str = "1.37") -> list[tuple[str, str, str | None]]:
    """Path, message and hint of each violation."""
    return [(format_path(v.path), v.message, v.hint) for v in validate(value, version)]


def container_told(**container: Any) -> list[tuple[str, str, str | None]]:
    """The same for a container's fields, with paths from the container."""
    prefix = "spec.template.spec.containers[0]."
    found = told(deployment(**container))
    return [(path.removeprefix(prefix), message, hint) for path, message, hint in found]


@pytest.mark.parametrize("version", supported_versions())
def test_valid_objects_are_valid_however_many_there_are(
    version: str, objects: list[dict[str, Any]]
) -> None:
    since = {"ResourceClaimTemplate": "1.34"}
    for value in objects[:-1] * 220:
        if version >= since.get(value["kind"], version):
            assert validate(value, version) == ()


def test_the_answer_does_not_depend_on_how_many_came_before() -> None:
    wrong = deployment(imagePulPolicy="Always")
    first = validate(wrong, "1.36")
    for _ in range(250):
        assert validate(deployment(), "1.36") == ()
        assert validate(wrong, "1.36") == first


def test_versions() -> None:
    found = (shipped("schemas") / "kubernetes").glob("*.json")
    assert supported_versions() == tuple(sorted(file.stem for file in found))
    assert newest() == supported_versions()[-1]


@pytest.mark.parametrize(
    "version", ["1.34", "v1.34", "1.34.2", "v1.34.2-gke.1067000", "v1.34.1+k3s1"]
)
def test_a_version_is_taken_as_clusters_say_it(version: str) -> None:
    assert validate(deployment(), version) == ()


@pytest.mark.parametrize("version", ["1.29", "1.99", "", "latest", "1", "../1.37"])
def test_a_version_without_schemas_is_refused(version: str) -> None:
    with pytest.raises(UnsupportedVersionError, match=", ".join(supported_versions())):
        validate(deployment(), version)


def test_known_kinds() -> None:
    assert is_known("apps/v1", "Deployment", "1.33")
    assert is_known("v1", "Pod", "1.37")
    assert not is_known("apps/v1", "deployment", "1.37")
    assert not is_known("batch/v1beta1", "CronJob", "1.37")
    assert not is_known("resource.k8s.io/v1", "ResourceClaim", "1.33")
    assert is_known("resource.k8s.io/v1", "ResourceClaim", "1.34")


def test_all_is_told_at_once_in_the_order_of_the_object() -> None:
    value = deployment(imagePulPolicy="Always", ports=[{"containerPort": "80"}], env={"A": "b"})
    value["metadata"]["labels"] = {"team": 7}
    del value["spec"]["selector"]
    assert [format_path(v.path) for v in validate(value, "1.37")] == [
        "metadata.labels.team",
        "spec.template.spec.containers[0].imagePulPolicy",
        "spec.template.spec.containers[0].ports[0].containerPort",
        "spec.template.spec.containers[0].env",
        "spec.selector",
    ]


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
            {"livenessprobe": {}},
            "livenessprobe",
            "unknown field `livenessprobe`",
            "did you mean `livenessProbe`?",
        ),
        (
            {"tolerations": []},
            "tolerations",
            "unknown field `tolerations`",
            "move `tolerations` to `spec.template.spec`",
        ),
        (
            {"containerPort": 80},
            "containerPort",
            "unknown field `containerPort`",
            "move `containerPort` to `spec.template.spec.containers[0].ports[0]`",
        ),
        ({"zzz": 1}, "zzz", "unknown field `zzz`", None),
        (
            {"ports": [{"containerPort": "80"}]},
            "ports[0].containerPort",
            'expected an integer, not the string "80"',
            "write 80, without quotes",
        ),
        (
            {"ports": [{"containerPort": 80.5}]},
            "ports[0].containerPort",
            "expected an integer, not the number 80.5",
            None,
        ),
        (
            {"ports": [{"name": "http"}]},
            "ports[0].containerPort",
            "required field `containerPort` is missing",
            None,
        ),
        (
            {"env": [{"name": "A", "value": True}]},
            "env[0].value",
            "expected a string, not true",
            "put the value in quotes",
        ),
        (
            {"stdin": "True"},
            "stdin",
            'expected a boolean, not the string "True"',
            "write true, without quotes",
        ),
        (
            {"command": "python -m train"},
            "command",
            'expected a list, not the string "python -m train"',
            "write a list: each item starts with `- `",
        ),
        (
            {"name": None},
            "name",
            "expected a string, not null",
            "set a value, or omit the field",
        ),
        (
            {"command": "x" * 80},
            "command",
            f'expected a list, not the string "{"x" * 38}…"',
            "write a list: each item starts with `- `",
        ),
        (
            {"livenessProbe": {"httpGet": {"port": ["http"]}}},
            "livenessProbe.httpGet.port",
            "expected an integer or a string, not a list",
            None,
        ),
        (
            {"livenessProbe": {"httpGet": {"port": None}}},
            "livenessProbe.httpGet.port",
            "expected an integer or a string, not null",
            "set a value, or omit the field",
        ),
        (
            {"resources": {"limits": {"memory": ["1Gi"]}}},
            "resources.limits.memory",
            'expected a quantity, such as "500m" or "16Gi", not a list',
            None,
        ),
        (
            {"resources": {"limits": {"memory": "900GB"}}},
            "resources.limits.memory",
            'expected a quantity, such as "500m" or "16Gi", not the string "900GB"',
            "did you mean 900G (10^9) or 900Gi (2^30)?",
        ),
        (
            {"resources": {"limits": "nvidia.com/gpu: 1"}},
            "resources.limits",
            'expected a map, not the string "nvidia.com/gpu: 1"',
            "write a map: the quotes or the `|` turn the value into text",
        ),
        (
            {"resources": []},
            "resources",
            "expected a map, not a list",
            None,
        ),
    ],
)  # fmt: skip
def test_words(container: dict[str, Any], path: str, message: str, hint: str | None) -> None:
    assert container_told(**container) == [(path, message, hint)]


@pytest.mark.parametrize(
    ("steps", "field", "home"),
    [
        (("spec",), "containers", "spec.template.spec"),
        (("spec", "template", "spec"), "limits", "spec.template.spec.containers[0].resources"),
        (("spec", "template", "spec"), "image", "spec.template.spec.containers[0]"),
        (("spec", "template"), "replicas", "spec"),
        (("spec",), "claimName", "spec.template.spec.volumes[0].persistentVolumeClaim"),
    ],
)
def test_a_field_in_the_wrong_map(steps: tuple[str, ...], field: str, home: str) -> None:
    value = deployment()
    place = value
    for step in steps:
        place = place[step]
    place[field] = {}
    assert told(value)[0][1:] == (f"unknown field `{field}`", f"move `{field}` to `{home}`")


def test_null_is_no_value_where_a_field_is_optional_or_in_the_root() -> None:
    value = deployment(args=None)
    value["spec"]["replicas"] = None
    assert validate(value, "1.37") == ()


def test_numbers_are_json_numbers() -> None:
    value = deployment(resources={"limits": {"cpu": 0.5, "nvidia.com/gpu": 1}})
    value["spec"]["replicas"] = 3.0
    assert validate(value, "1.37") == ()


def test_an_item_of_a_typed_list_with_another_kind() -> None:
    item = {"kind": "service", "spec": {"ports": [{"port": 80}]}}
    value = {"apiVersion": "v1", "kind": "ServiceList", "items": [item]}
    assert told(value) == [
        ("items[0].kind", 'expected `Service`, not the string "service"', "did you mean `Service`?")
    ]


@pytest.mark.parametrize("value", [None, [], "text", 3])
def test_a_document_that_is_no_object(value: Any) -> None:
    (violation,) = validate(value, "1.37")
    assert (violation.path, violation.reason) == ((), "wrong-type")


def test_an_object_that_does_not_name_its_kind() -> None:
    assert told({"kind": 7}) == [
        ("apiVersion", "required field `apiVersion` is missing", None),
        ("kind", "expected a string, not the integer 7", None),
    ]


@pytest.mark.parametrize(
    ("api_version", "kind", "version", "message", "hint"),
    [
        (
            "batch/v1beta1", "CronJob", "1.37",
            "Kubernetes 1.37 has no `batch/v1beta1` CronJob",
            "write `apiVersion: batch/v1`",
        ),
        (
            "extensions/v1beta1", "Ingress", "1.37",
            "Kubernetes 1.37 has no `extensions/v1beta1` Ingress",
            "write `apiVersion: networking.k8s.io/v1`",
        ),
        (
            "v1", "Deployment", "1.37",
            "Kubernetes 1.37 has no `v1` Deployment",
            "write `apiVersion: apps/v1`",
        ),
        (
            "resource.k8s.io/v1", "DeviceClass", "1.33",
            "Kubernetes 1.33 has no `resource.k8s.io/v1` DeviceClass; 1.34 adds it",
            "write `apiVersion: resource.k8s.io/v1beta2`",
        ),
        (
            "apps/v1", "Deploymnet", "1.37",
            "Kubernetes 1.37 has no kind `Deploymnet` in `apps/v1`",
            "did you mean `Deployment`?",
        ),
        ("v1", "Workflow", "1.37", "Kubernetes 1.37 has no kind `Workflow` in `v1`", None),
        (
            "apps/v2", "Event", "1.37",
            "Kubernetes 1.37 has no `apps/v2` Event",
            "write `events.k8s.io/v1` or `v1`",
        ),
    ],
)  # fmt: skip
def test_what_this_version_does_not_serve(
    api_version: str, kind: str, version: str, message: str, hint: str | None
) -> None:
    (violation,) = validate({"apiVersion": api_version, "kind": kind}, version)
    assert (violation.message, violation.hint) == (message, hint)
    assert violation.reason == "not-served"


def test_an_api_that_went_away_between_the_bundled_versions() -> None:
    gone = [
        (version, later)
        for version, later in zip(supported_versions(), supported_versions()[1:], strict=False)
        if is_known("storage.k8s.io/v1alpha1", "VolumeAttributesClass", version)
        and not is_known("storage.k8s.io/v1alpha1", "VolumeAttributesClass", later)
    ]
    ((last, later),) = gone
    value = {"apiVersion": "storage.k8s.io/v1alpha1", "kind": "VolumeAttributesClass"}
    assert validate(value, later)[0].message.endswith(f"; {last} was the last version with it")


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("argoproj.io/v1alpha1", "Workflow"),
        ("networking.istio.io/v1", "DestinationRule"),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshot"),
    ],
)
def test_somebody_elses_kind_gets_no_verdict(api_version: str, kind: str) -> None:
    (violation,) = validate({"apiVersion": api_version, "kind": kind, "x": 1}, "1.37")
    assert violation.reason == "no-schema"
    assert violation.message == f"no schema for `{api_version}` {kind}: it was not checked"


def test_a_list_is_its_items() -> None:
    wrong = deployment(zzz=1)
    value = {"apiVersion": "v1", "kind": "List", "items": [deployment(), wrong, {"kind": "Pod"}]}
    assert [(format_path(v.path), v.reason) for v in validate(value, "1.37")] == [
        ("items[1].spec.template.spec.containers[0].zzz", "unknown-field"),
        ("items[2].apiVersion", "missing-field"),
    ]
    assert [v.reason for v in validate({**value, "items": {}}, "1.37")] == ["wrong-type"]


def test_a_deep_object_gets_the_same_answer_from_the_first_to_the_last() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(100):
        schema = {"properties": {"a": schema}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing", "plural": "things"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }
    assert {validate(crd, "1.37") for _ in range(220)} == {()}


def test_the_object_is_left_alone() -> None:
    value = deployment(zzz=1)
    before = copy.deepcopy(value)
    validate(value, "1.37")
    assert value == before


def test_a_violation_says_what_would_be_right() -> None:
    (found,) = validate(deployment(ports={}), "1.37")
    assert found == SchemaViolation(
        path=("spec", "template", "spec", "containers", 0, "ports"),
        message="expected a list, not a map",
        reason="wrong-type",
        expected="a list",
        hint="write a list: each item starts with `- `",
    )
