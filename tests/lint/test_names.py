"""Names, placeholders and twins: what is refused, what grows too long, what was not filled in."""

from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.lint.analysis.reading.naming import port_name
from gpuspec.loading.placeholders import placeholder
from tests.lint.patched import cluster, of, said
from tests.lint.plain import an, text

LONG = "a" * 40


class TestNames:
    @pytest.mark.parametrize(
        ("value", "ending"),
        [
            (an("v1", "Service", "a.b"), "rejects the object"),
            (an("apps/v1", "StatefulSet", "a.b"), "rejects the object"),
            (an("kubeflow.org/v1", "PyTorchJob", "1a"), "rejects the object"),
            (an("batch/v1", "CronJob", "a" * 53), "the API server rejects it"),
            (an("batch/v1", "Job", "a" * 64), "the API server rejects it"),
            (
                an(
                    "batch/v1",
                    "Job",
                    "a" * 61,
                    spec={"completionMode": "Indexed", "completions": 11},
                ),
                "the API server rejects it",
            ),
            (
                an(
                    "jobset.x-k8s.io/v1alpha2",
                    "JobSet",
                    LONG,
                    spec={"replicatedJobs": [{"name": "b" * 20, "replicas": 101}]},
                ),
                "the API server rejects it",
            ),
            (
                an(
                    "kubeflow.org/v2beta1",
                    "MPIJob",
                    "a" * 55,
                    spec={"mpiReplicaSpecs": {"Worker": {"replicas": 2}}},
                ),
                "the API server rejects it",
            ),
            (an("ray.io/v1", "RayService", "a" * 48), "the API server rejects it"),
            (an("serving.kserve.io/v1beta1", "InferenceService", "a-" * 40), "rejects the object"),
            (
                an("serving.kserve.io/v1beta1", "InferenceService", "a" * 54),
                "the API server rejects it",
            ),
            (an("apps/v1", "StatefulSet", "a" * 53), "may never be created"),
            (
                an(
                    "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "a" * 51, spec={"replicas": 2}
                ),
                "may never be created",
            ),
            (an("trainer.kubeflow.org/v1alpha1", "TrainJob", "a" * 50), "may never be created"),
        ],
        ids=lambda value: value["kind"] if isinstance(value, dict) else "",
    )
    def test_a_name_that_is_refused_or_grows_too_long(
        self, value: dict[str, Any], ending: str
    ) -> None:
        (found,) = of("GPU014", text(value))
        assert found.path == "metadata.name"
        assert found.message.endswith(ending)
        assert found.severity == ("warning" if "may" in ending else "error")

    @pytest.mark.parametrize(
        "value",
        [
            an("rbac.authorization.k8s.io/v1", "ClusterRole", "system:node"),
            an("v1", "Service", "9am"),
            an("apps/v1", "Deployment", "a.b"),
            an("batch/v1", "CronJob", "a" * 52),
            an("batch/v1", "Job", "a" * 63),
            an("ray.io/v1", "RayCluster", "a" * 53),
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "train-"}},
            an("example.com/v1", "Thing", "PVC_NAME"),
        ],
        ids=lambda value: value["kind"],
    )
    def test_a_name_that_is_right(self, value: dict[str, Any]) -> None:
        assert of("GPU014", text(value)) == []

    def test_a_long_name_is_told_where_its_longest_part_stands(self) -> None:
        jobs = [{"name": "a", "replicas": 1}, {"name": "b" * 60, "replicas": 1}]
        value = an("jobset.x-k8s.io/v1alpha2", "JobSet", "train", spec={"replicatedJobs": jobs})
        (found,) = of("GPU014", text(value))
        assert found.path == "spec.replicatedJobs[1].name"

    def test_services_began_with_a_letter_before_1_37(self) -> None:
        assert len(of("GPU014", text(an("v1", "Service", "9am")), profile=cluster())) == 1

    def test_labels_selectors_and_what_is_in_pods(self) -> None:
        patch = """
        metadata: {labels: {app: a b, "x y": c}, annotations: {"/a": b}}
        spec:
          nodeSelector: {pool: -gpu}
          volumes: [{name: a.b, emptyDir: {}}]
        """
        found = {one.path for one in said("GPU014", "pod", patch)}
        assert found == {
            "metadata.labels.app",
            'metadata.labels["x y"]',
            'metadata.annotations["/a"]',
            "spec.nodeSelector.pool",
            "spec.volumes[4].name",
        }

    @pytest.mark.parametrize(
        ("name", "right"),
        [("metrics", True), ("8000", False), ("a--b", False), ("http-", False), ("a" * 16, False)],
    )
    def test_names_of_ports(self, name: str, right: bool) -> None:
        assert (port_name(name) is None) is right

    def test_a_name_that_is_missing(self) -> None:
        value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "a"}}
        (found,) = of("GPU004", text(value))
        assert found.path == "metadata.name"
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
        unknown = {"apiVersion": "example.com/v1", "kind": "Thing"}
        assert of("GPU004", text(review, unknown)) == []


class TestPlaceholders:
    @pytest.mark.parametrize(
        ("value", "sign"),
        [
            ("${A}", "${A}"),
            ("registry/$A/b", "$A"),
            ("${A:-b}", "${A:-b}"),
            ("{{ .A }}", "{{ .A }}"),
            ("<your image>", "<your image>"),
            ("$(A)", None),
            ("a$b", None),
            ("$1", None),
            ("price: 5$", None),
            ("{a}", None),
            ("a<b>c" * 2, "<b>"),
            (7, None),
        ],
    )
    def test_what_one_is(self, value: object, sign: str | None) -> None:
        assert placeholder(value) == sign

    def test_all_of_an_object_are_one_finding(self) -> None:
        patch = """
        metadata: {name: $NAME, namespace: NAME_SPACE}
        spec:
          containers: [{name: main, image: "<image>", args: ["$HOME"], env: [{name: A, value: $B}]}]
        """
        (found,) = said("GPU015", "pod", patch)
        assert found.path == "metadata.name"
        assert found.note is not None
        assert found.note.endswith("also for `NAME_SPACE`, `<image>`")
        assert said("GPU014", "pod", patch) == []

    def test_operators_that_fill_in_their_own(self) -> None:
        templates = [{"name": "a", "container": {"image": "{{inputs.parameters.image}}"}}]
        flow = an("argoproj.io/v1alpha1", "Workflow", spec={"templates": templates})
        assert of("GPU015", text(flow)) == []
        templates[0]["container"] = {"image": "${IMAGE}"}
        assert len(of("GPU015", text(flow))) == 1
        pod = {"volumes": [{"name": "a", "secret": {"secretName": "${schema.spec.secret}"}}]}
        inner = an("apps/v1", "Deployment", spec={"template": {"spec": pod}})
        graph = {"resources": [{"id": "a", "template": inner}]}
        outer = an("kro.run/v1alpha1", "ResourceGraphDefinition", spec=graph)
        assert of("GPU015", text(outer)) == []

    @pytest.mark.parametrize(
        ("name", "file", "level"),
        [
            ("$NAME", "a.yaml", "warning"),
            ("x-${NAME}", "templates/a.yaml", "info"),
            ("{{ name }}", "a.yaml", "warning"),
            ("<name>", "a.yaml", "error"),
            ("POD_NAME", "a.yaml", "warning"),
            ("$NAME", "a.tmpl.yaml", "info"),
            ("<name>", "template/a.yaml", "info"),
            ("${APP}-gpu", "kubernetes/components/gpu/a.yaml", "info"),
            ("<name>", "components/a.yaml", "error"),
        ],
    )
    def test_what_programs_fill_in_and_what_people_do(
        self, name: str, file: str, level: str
    ) -> None:
        given = text(an("v1", "ConfigMap", name))
        (found,) = gpuspec.lint_text(given.encode(), file).findings
        assert (found.rule, found.severity) == ("GPU015", level)


class TestDuplicates:
    def test_they_are_the_same_whatever_the_version(self) -> None:
        first = an("autoscaling/v1", "HorizontalPodAutoscaler")
        second = an("autoscaling/v2", "HorizontalPodAutoscaler")
        (found,) = of("GPU016", text(first, second))
        assert found.line == 9

    def test_namespaces_and_files_tell_them_apart(self, tmp_path: Path) -> None:
        here, there = an("v1", "ConfigMap"), an("v1", "ConfigMap")
        there["metadata"] = {"name": "x", "namespace": "b"}
        made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}}
        assert of("GPU016", text(here, there, made, made)) == []
        for name in ("a.yaml", "b.yaml"):
            (tmp_path / name).write_text(text(here))
        assert gpuspec.lint(str(tmp_path), select=["GPU016"]).findings == ()

    def test_items_of_a_list_are_objects_too(self, tmp_path: Path) -> None:
        items = [an("v1", "ConfigMap"), an("v1", "ConfigMap")]
        (tmp_path / "a.yaml").write_text(text({"apiVersion": "v1", "kind": "List", "items": items}))
        (found,) = gpuspec.lint(str(tmp_path), select=["GPU016"]).findings
        assert found.path == "items[1].metadata.name"
        assert [one.line for one in found.related] == [7]
