"""Names of files, and objects that cannot have one each."""

from typing import Any

import pytest

from gpuspec import InputError, dump
from gpuspec.render import check_identities, object_files


def obj(
    name: str, kind: str = "Service", namespace: str = "", api: str = "v1", **more: Any
) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def test_names_tell_namespace_kind_and_name() -> None:
    files = object_files([obj("chat", namespace="serving"), obj("chat", "Job", api="batch/v1")])
    assert list(files) == ["serving.service.chat.yaml", "job.chat.yaml"]
    assert files["job.chat.yaml"].startswith("apiVersion: batch/v1\nkind: Job\n")
    assert list(object_files([obj("chat")], "json")) == ["service.chat.json"]


def test_one_name_in_two_namespaces_is_two_files() -> None:
    files = object_files([obj("a", namespace="x"), obj("a", namespace="y"), obj("a")])
    assert list(files) == ["x.service.a.yaml", "y.service.a.yaml", "service.a.yaml"]


def test_one_kind_of_two_groups_is_two_files_whatever_their_order() -> None:
    one, two = obj("a"), obj("a", api="serving.knative.dev/v1")
    names = {"service.core.a.yaml", "service.serving.knative.dev.a.yaml"}
    assert set(object_files([one, two])) == set(object_files([two, one])) == names
    made = object_files([one, two])
    assert "serving.knative.dev/v1" in made["service.serving.knative.dev.a.yaml"]


def test_names_that_only_read_alike_are_two_files() -> None:
    """A name with dots may read as a namespace, a kind and a name."""
    files = object_files([obj("service.chat", "Job", api="batch/v1"), obj("chat", namespace="job")])
    assert len(files) == 2


def test_names_are_apart_where_case_does_not_count() -> None:
    files = object_files([obj("a", "Service"), obj("a", "SERVICE", api="example.org/v1")])
    assert len({name.lower() for name in files}) == 2
    with pytest.raises(InputError, match="Service A and Service a would have the same file"):
        object_files([obj("A"), obj("a")])


@pytest.mark.parametrize("name", ["a/b", "../a", "a\\b", "a\nb", "a\x00b"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="cannot be a file name"):
        object_files([obj(name)])
    with pytest.raises(InputError, match="cannot be a file name"):
        object_files([obj("a", namespace=name)])


def test_two_objects_of_one_identity_are_refused_all_at_once() -> None:
    made = [obj("a"), obj("b"), obj("a"), obj("b"), obj("a"), obj("c")]
    with pytest.raises(InputError) as caught:
        check_identities(made)
    assert [p.message for p in caught.value.problems] == [
        "two objects have the same name: Service a",
        "two objects have the same name: Service b",
    ]
    with pytest.raises(InputError):
        dump(made)
    with pytest.raises(InputError):
        object_files(made)


def test_versions_of_one_api_are_one_identity() -> None:
    with pytest.raises(InputError, match="two objects have the same name: Job a"):
        check_identities([obj("a", "Job", api="batch/v1"), obj("a", "Job", api="batch/v1beta1")])
