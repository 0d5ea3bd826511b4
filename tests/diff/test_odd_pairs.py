"""Pairs of objects that look like one another and are not, or are one and look like two."""

from tests.diff.sides import change, compared, deployment, job, said

VOLCANO = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec: {tasks: [{name: w, template: {spec: {containers: [{name: main, image: "example/train:1"}]}}}]}
"""
INGRESS = "apiVersion: {}\nkind: Ingress\nmetadata: {{name: chat, namespace: ml}}\nspec: {{}}\n"


def test_a_kind_of_another_group_is_another_kind() -> None:
    found = change(job("train"), VOLCANO)
    assert (found.change, found.effect) == ("retargeted", "recreated")
    (text,) = [one for one in said(found) if "runs as" in one]
    assert "runs as a Job of batch.volcano.sh, no longer as a Job of batch:" in text


def test_a_kind_that_moved_to_another_group_is_the_same() -> None:
    old, new = (
        INGRESS.format(version) for version in ("extensions/v1beta1", "networking.k8s.io/v1")
    )
    assert change(old, new).change == "changed"


def test_a_name_that_is_generated_is_none_that_is_there() -> None:
    old, new = (
        job("x", image).replace("name: x,", "generateName: train-,") for image in ("a/b:1", "a/b:2")
    )
    found = change(old, new)
    assert found.effect == "new run"
    assert not any("refused" in one for one in said(found))
    assert "each `kubectl create` makes a new object" in said(found)[-1]
    assert {one.effect for one in found.fields} == {"in place"}


def test_one_that_a_file_had_twice_is_not_gone() -> None:
    twice = deployment(spec=", replicas: 3") + "---\n" + deployment()
    moved, gone = compared(twice, deployment(spec=", replicas: 2")).changes
    assert said(moved)[0] == "pods 1 → 2", "the last of them is what was applied"
    assert (gone.change, gone.effect) == ("removed", "in place")
    assert said(gone) == ["stays: its file held it more than once, and still holds it"]


def test_articles() -> None:
    service = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: train, namespace: ml}
spec: {predictor: {containers: [{name: main, image: "example/train:1"}]}}
"""
    text = said(change(job("train"), service))[-1]
    assert "runs as an InferenceService, no longer as a Job:" in text
