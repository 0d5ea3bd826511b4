"""Schema: what each rule says of which object, how loud, and where it is silent."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.lint.engine import Engine
from gpuspec.lint.model import RawFinding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import HERE
from tests.lint.patched import cluster, of, said
from tests.lint.plain import an, text


def raised(code: str, written: str) -> list[RawFinding]:
    """What a rule says, with its fixes in paths."""
    engine = Engine(lambda one: one == code)
    return [one.found for one in engine.run(TextLoader([SourceFile("a.yaml", written)]))]


def fixed(body: str, folder: Path, version: str = "v1", kind: str = "ConfigMap") -> str:
    """The last line of an object after the safe fixes of wrong values."""
    file = folder / "a.yaml"
    file.write_text(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n{body}\n")
    gpuspec.mend(str(file), select=["GPU011"])
    return file.read_text().splitlines()[-1]


class TestUnknownFields:
    def test_a_case_of_letters_is_a_safe_fix_and_another_word_is_not(self) -> None:
        queue = {"namespace": "ml", "name": "q"}
        for field, safe in (("ClusterQueue", True), ("clusterQueues", False)):
            value = an("kueue.x-k8s.io/v1beta2", "LocalQueue", spec={field: "gpus"})
            (found,) = raised("GPU010", text({**value, "metadata": queue}))
            assert found.fix is not None
            assert found.fix.safe is safe
            assert found.note == "did you mean `clusterQueue`?"

    def test_of_two_containers_nobody_knows_which_was_meant(self) -> None:
        containers = [{"name": name, "image": "x:1"} for name in ("a", "b")]
        pod = an("v1", "Pod", spec={"containers": containers, "limits": {"cpu": 1}})
        (found,) = raised("GPU010", text(pod))
        assert found.note == "move `limits` to `spec.containers[0].resources`"
        assert found.fix is None

    def test_into_the_only_container_it_is_moved(self) -> None:
        spec = {"containers": [{"name": "a", "image": "x:1"}], "limits": {"cpu": 1}}
        (found,) = raised("GPU010", text(an("v1", "Pod", spec=spec)))
        assert found.fix is not None
        assert found.fix.title == "move it to `spec.containers[0].resources`"

    def test_a_field_is_not_moved_over_one_that_is_there(self) -> None:
        spec = {"containers": [{"name": "a", "image": "x:1"}], "tolerations": []}
        job = an("batch/v1", "Job", spec={"template": {"spec": spec}, "tolerations": [{}]})
        (found,) = raised("GPU010", text(job))
        assert found.fix is None

    def test_a_later_kubernetes_that_has_it_is_named(self) -> None:
        (found,) = said(
            "GPU010", "pod", "spec: {hostnameOverride: a}", profile=cluster(kubernetes="1.33")
        )
        assert "Kubernetes 1.34 has it; the profile says 1.33" in (found.note or "")

    @pytest.mark.parametrize(
        ("field", "installed", "level", "sure"),
        [
            ("sizes", "0.10.1", "error", "certain"),
            ("sizes", "0.8.0", "warning", "likely"),
            ("sizes", None, "error", "certain"),
            # Nothing comes near it: a newer release may have it.
            ("gadgets", "0.10.1", "error", "certain"),
            ("gadgets", None, "warning", "likely"),
        ],
    )
    def test_another_release_than_the_schemas_is_a_doubt(
        self, field: str, installed: str | None, level: str, sure: str
    ) -> None:
        profile = cluster(installed={"lws": installed} if installed else {})
        (found,) = said(
            "GPU010",
            "leaderworkerset",
            f"spec: {{leaderWorkerTemplate: {{{field}: 2}}}}",
            profile=profile,
        )
        assert (found.severity, found.confidence) == (level, sure)

    @pytest.mark.parametrize(
        ("installed", "level"),
        [({}, "error"), ({"kuberay": "1.6.1"}, "error"), ({"kuberay": "1.5"}, "warning")],
    )
    def test_an_operator_other_than_the_one_that_was_read_is_a_doubt(
        self, installed: dict[str, str], level: str
    ) -> None:
        patch = "spec: {headGroupSpec: {rayStartParams: {labels: a=b}}}"
        (found,) = said("GPU017", "raycluster", patch, profile=cluster(installed=installed))
        assert found.severity == level
        assert "an event `InvalidRayClusterSpec`" in (found.note or "")

    @pytest.mark.parametrize(
        ("base", "inside", "condition"),
        [
            ("rayjob", "rayClusterSpec", "`jobDeploymentStatus: ValidationFailed`"),
            ("rayservice", "rayClusterConfig", "the condition `Ready: False`"),
        ],
    )
    def test_a_job_or_service_of_ray_is_refused_before_it_makes_a_cluster(
        self, base: str, inside: str, condition: str
    ) -> None:
        """KubeRay 1.6.2: `ValidateRayJobSpec` and `ValidateRayServiceSpec` ask what is asked of a cluster."""
        patch = f"spec: {{{inside}: {{headGroupSpec: {{rayStartParams: {{labels: a=b}}}}}}}}"
        (found,) = said("GPU017", base, patch)
        assert condition in (found.note or "")

    @pytest.mark.parametrize(("release", "level"), [("0.19.0", "error"), ("0.18.2", "warning")])
    def test_what_kueue_says_of_others_goes_by_its_own_release(
        self, release: str, level: str
    ) -> None:
        patch = "metadata: {annotations: {kueue.x-k8s.io/admission-gated-by: data}}"
        profile = cluster(installed={"kueue": release, "kuberay": "1.5"})
        (found,) = said("GPU017", "raycluster", patch, profile=profile)
        assert found.severity == level

    def test_objects_in_another_speak_for_themselves(self) -> None:
        job = an("batch/v1", "Job", spec={"template": {"spec": {}}, "zzz": 1})
        wrapper = an(
            "workload.codeflare.dev/v1beta2",
            "AppWrapper",
            spec={"components": [{"template": job}]},
        )
        (found,) = of("GPU010", text(wrapper))
        assert found.path == "spec.components[0].template.spec.zzz"
        assert found.object is not None
        assert found.object.kind == "Job"

    @pytest.mark.parametrize(
        ("installed", "loud", "word"),
        [({}, "warning", "check the release"), ({"aibrix": "0.7.0"}, "error", "the last release")],
    )
    def test_a_field_of_an_earlier_release(
        self, installed: dict[str, str], loud: str, word: str
    ) -> None:
        spec = {"mode": "centralized", "service": {"type": "ClusterIP", "port": 9600}}
        cache = text(an("orchestration.aibrix.ai/v1alpha1", "KVCache", spec=spec))
        profile = cluster(installed=installed)
        (unknown,) = of("GPU010", cache, profile=profile)
        (missing,) = of("GPU012", cache, profile=profile)
        assert (unknown.severity, missing.severity) == (loud, loud)
        assert word in (unknown.note or "")

    def test_a_field_that_was_gone_long_ago_is_an_error(self) -> None:
        service = an("ray.io/v1", "RayService", spec={"serveConfig": "a", "rayClusterConfig": "b"})
        (found,) = of("GPU010", text(service))
        assert (found.severity, found.confidence) == ("error", "certain")
        assert "kuberay v1.0.0 is the last release with the field" in (found.note or "")


class TestWrongValues:
    @pytest.mark.parametrize(
        ("written", "mended"),
        [("8", '"8"'), ("true", '"true"'), ("-1", '"-1"'), ("1.5", '"1.5"')],
    )
    def test_missing_quotes_are_put_around_what_is_written(
        self, written: str, mended: str, tmp_path: Path
    ) -> None:
        assert fixed(f"data: {{a: {written}}}", tmp_path) == f"data: {{a: {mended}}}"

    @pytest.mark.parametrize("written", ["0777", "yes", "2e+07", "0x1f", "1_000", "null", "[1]"])
    def test_what_yaml_takes_for_another_text_is_left_to_people(
        self, written: str, tmp_path: Path
    ) -> None:
        assert fixed(f"data: {{a: {written}}}", tmp_path) == f"data: {{a: {written}}}"

    @pytest.mark.parametrize(
        ("written", "mended"), [('"3"', "3"), ("'0'", "0"), ('"03"', '"03"'), ('"3.5"', '"3.5"')]
    )
    def test_needless_quotes_are_taken_off(self, written: str, mended: str, tmp_path: Path) -> None:
        job = "spec: {{template: {{spec: {{}}}}, parallelism: {}}}"
        made = fixed(job.format(written), tmp_path, "batch/v1", "Job")
        assert made == job.format(mended)

    def test_a_field_is_called_by_its_last_word(self) -> None:
        patch = "spec: {nodeSelector: {cloud.google.com/gke-accelerator-count: 8}}"
        (found,) = said("GPU011", "pod", patch)
        assert found.message.startswith('`nodeSelector["cloud.google.com/gke-accelerator-count"]`')

    @pytest.mark.parametrize("value", ["${PORT}", "$PORT", "{{ port }}", "<port>", "${{PORT}}"])
    def test_what_was_not_filled_in_is_said_by_another_rule(self, value: str) -> None:
        service = text(an("v1", "Service", spec={"ports": [{"port": value}]}))
        assert of("GPU011", service) == []
        (found,) = of("GPU015", service)
        assert found.path == "spec.ports[0].port"

    def test_what_was_not_filled_in_is_said_once(self) -> None:
        value = an("v1", "Pod", spec={"containers": [{"name": "a", "image": "b"}]})
        value["metadata"]["namespace"] = "FILLED_IN_LATER"
        assert [one.rule for one in gpuspec.lint_text(text(value).encode(), "a.yaml").findings] == [
            "GPU015"
        ]


class TestVersions:
    @pytest.mark.parametrize(
        ("version", "kind", "level"),
        [
            ("policy/v1beta1", "PodSecurityPolicy", "error"),
            ("autoscaling/v2beta2", "HorizontalPodAutoscaler", "error"),
            ("ray.io/v1alpha2", "RayCluster", "warning"),
            ("serving.kubeflow.org/v1beta1", "InferenceService", "warning"),
        ],
    )
    def test_what_is_gone(self, version: str, kind: str, level: str) -> None:
        (found,) = of("GPU013", text(an(version, kind)))
        assert found.severity == level

    def test_what_some_versions_have_is_certain_with_a_profile_only(self) -> None:
        value = text(an("networking.k8s.io/v1beta1", "ServiceCIDR"))
        (found,) = of("GPU013", value)
        assert found.severity == "warning"
        assert "1.36" in (found.note or "")
        (found,) = of("GPU013", value, profile=cluster(kubernetes="1.37"))
        assert found.severity == "error"
        assert of("GPU013", value, profile=cluster(kubernetes="1.36")) == []

    def test_what_is_installed_makes_a_custom_kind_certain(self) -> None:
        queue = text(an("kueue.x-k8s.io/v1alpha1", "LocalQueue"))
        for installed, level in (("0.19.1", "error"), ("0.5.0", "warning")):
            (found,) = of("GPU013", queue, profile=cluster(installed={"kueue": installed}))
            assert found.severity == level

    @pytest.mark.parametrize(
        ("version", "kind"),
        [("v1", "Config"), ("skaffold/v4beta11", "Config"), ("builtin", "PatchTransformer")],
    )
    def test_files_for_others_are_not_held_to_it(self, version: str, kind: str) -> None:
        assert of("GPU013", text(an(version, kind))) == []

    def test_a_kind_under_the_wrong_version_is_told_its_own(self) -> None:
        (found,) = of("GPU013", text(an("v1", "Deployment")))
        assert found.note == "write `apiVersion: apps/v1`"

    def test_a_version_with_other_fields_is_not_just_written(self) -> None:
        spec = {"resourceClassName": "gpu.nvidia.com"}
        claim = text(an("resource.k8s.io/v1alpha2", "ResourceClaim", spec=spec))
        (found,) = of("GPU013", claim)
        assert (
            found.note
            == "rewrite the object for `resource.k8s.io/v1`, which has no field `spec.resourceClassName`"
        )
        assert found.fix is None


class TestImages:
    @pytest.mark.parametrize(
        ("base", "expected"), [("deployment", 1), ("pytorchjob", 1), ("inferenceservice", 0)]
    )
    def test_kinds_whose_operators_fill_them_in(self, base: str, expected: int) -> None:
        text = (HERE / "bases" / f"{base}.yaml").read_text()
        bare = "\n".join(line for line in text.split("\n") if not line.strip().startswith("image:"))
        assert len({one.object for one in of("GPU020", bare)}) == expected


class TestWhatOthersRead:
    def test_a_tag_of_another_program_is_no_fault(self) -> None:
        """CloudFormation, GitLab and the like are YAML that is not for Kubernetes."""
        for written in (
            "Resources:\n  A: {Value: !Ref B}\n  C: !Sub [x, {a: b}]\n",
            "job:\n  script: !reference [.setup, script]\n",
        ):
            assert unread(written) == []
        tagged = "apiVersion: v1\nkind: Pod\nmetadata: {name: !Ref a}\n"
        assert unread(tagged) == ["the tag !Ref means nothing to Kubernetes"]
        assert unread("a: !Ref b\na: 1\n") == ["duplicate key 'a'"]

    def test_keys_that_are_none_are_said_and_no_fault_of_ours(self) -> None:
        """Findings on the same document look for their places among such keys."""
        head = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        for spec in ("  null: 1\n", "  ? [a, b]\n  : 1\n", "  {a: 1}: 1\n", "  <<: 5\n"):
            loader = TextLoader([SourceFile("a.yaml", head + spec)])
            codes = [one.rule.code for one in Engine(lambda code: code == "GPU012").run(loader)]
            assert codes == ["GPU012"]
            assert len(loader.unread) == 1

    def test_a_failure_rule_gets_its_name_from_the_webhook(self) -> None:
        job = {"name": "w", "template": {"spec": {"template": {"spec": {"containers": []}}}}}
        policy = {"rules": [{"action": "FailJobSet"}]}
        value = an("jobset.x-k8s.io/v1alpha2", "JobSet")
        value["spec"] = {"replicatedJobs": [job], "failurePolicy": policy}
        assert raised("GPU012", text(value)) == []
        policy["rules"][0] = {"name": "a"}
        (found,) = raised("GPU012", text(value))
        assert "action" in found.message


def unread(written: str) -> list[str]:
    """What is said of a text that cannot be read."""
    loader = TextLoader([SourceFile("a.yaml", written)])
    list(Engine(lambda code: False).run(loader))
    return [one.message for one in loader.unread]
