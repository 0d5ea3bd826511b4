"""Names of other objects: what each field of the table names, and when a name is wrong."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from gpuspec.lint.analysis.reading import names
from gpuspec.lint.analysis.reading.names import slip
from tests.lint.patched import of
from tests.lint.plain import an, text
from tests.lint.references import CASES, NAME, PARTS, SLIP, UNKNOWN, Case

MISSING = ["GPU022", "GPU711", "GPU715", "GPU805"]


def _said(manifest: str, codes: list[str]) -> list[str]:
    return [code for code in codes if of(code, manifest)]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestEveryField:
    def test_what_is_there_is_silent(self, case: Case) -> None:
        assert not _said(case.objects(NAME), MISSING)

    def test_a_slip_is_found(self, case: Case) -> None:
        said = _said(case.objects(SLIP), MISSING)
        assert bool(said) == (case.target not in UNKNOWN), "no rule speaks"
        assert len(said) < 2 or case.target[1] == "LocalQueue"

    def test_another_name_is_not(self, case: Case) -> None:
        manifest = case.objects("vault-token")
        said = [one.severity for code in ("GPU022", "GPU805") for one in of(code, manifest)]
        named_by_claim = case.target[1] == "StorageClass" and case.kind != "PersistentVolume"
        assert said == ["info"] * named_by_claim

    def test_keys_are_asked_for(self, case: Case) -> None:
        assert bool(_said(case.objects(NAME, "absent"), MISSING)) == (
            bool(case.row.keys) and case.target[1] in PARTS
        )


SLIPS = [
    ("hf-token", "hf-tokn"),
    ("hf-token", "hf-tokens"),
    ("hf-token", "hf-tokem"),
    ("hf-token", "hf-tokne"),
    ("model-cache", "modelcache"),
    ("model.cache", "model-cache"),
]
DIFFERENT = [
    ("pool-a", "pool-b"),
    ("llama-7b", "llama-8b"),
    ("cache-1", "cache-11"),
    ("model-1-1", "model-11"),
    ("hf-token", "hf-secret"),
    ("chat", "chat-config"),
    ("cache-prod", "cache-dev"),
    ("a100-claims", "h100-claims"),
]


def _pair(name: str, other: str, one: str = "pod.yaml", two: str = "pod.yaml") -> dict[str, str]:
    pod = an("v1", "Pod", "p", spec={"serviceAccountName": name, "containers": []})
    files = {one: text(pod)}
    files[two] = files.get(two, "") + "---\n" + text(an("v1", "ServiceAccount", other))
    return files


def _lint(here: Path, files: dict[str, str]) -> list[gpuspec.Finding]:
    for name, written in files.items():
        file = here / name
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(written)
    return [one for one in gpuspec.lint(str(here)).findings if one.rule == "GPU022"]


class TestSlips:
    @pytest.mark.parametrize(("name", "other"), SLIPS)
    def test_both_ways(self, here: Path, name: str, other: str) -> None:
        assert len(_lint(here, _pair(name, other))) == 1
        assert len(_lint(here, _pair(other, name))) == 1

    @pytest.mark.parametrize(("name", "other"), DIFFERENT)
    def test_different_names(self, here: Path, name: str, other: str) -> None:
        assert not _lint(here, _pair(name, other))
        assert not _lint(here, _pair(other, name))

    def test_two_that_may_be_meant(self, here: Path) -> None:
        files = _pair("hf-token", "hf-tokens")
        files["pod.yaml"] += "---\n" + text(an("v1", "ServiceAccount", "hf-tokem"))
        assert not _lint(here, files)

    def test_beside_it_in_the_folder(self, here: Path) -> None:
        assert len(_lint(here, _pair("hf-token", "hf-tokens", two="account.yaml"))) == 1

    def test_in_another_folder(self, here: Path) -> None:
        files = _pair("hf-token", "hf-tokens", one="a/pod.yaml", two="b/account.yaml")
        assert not _lint(here, files)

    def test_a_placeholder(self, here: Path) -> None:
        assert not _lint(here, _pair("hf-$TOKEN", "hf-token"))

    def test_it_is_put_right(self, here: Path) -> None:
        (found,) = _lint(here, _pair("hf-tokens", "hf-token"))
        assert found.fix is not None
        assert [edit.text for edit in found.fix.edits] == ["hf-token"]


def test_no_name_is_held_against_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(name: str, other: str) -> bool:
        asked.append(name)
        return slip(name, other)

    monkeypatch.setattr(names, "slip", counted)
    pods = [
        an("v1", "Pod", f"p-{at}", spec={"serviceAccountName": f"runner-{at}", "containers": []})
        for at in range(300)
    ]
    accounts = [an("v1", "ServiceAccount", f"account-{at}") for at in range(300)]
    accounts.append(an("v1", "ServiceAccount", "runners-7"))
    assert len(of("GPU022", text(*pods, *accounts))) == 1
    assert 0 < len(asked) < 300


class TestBuilt:
    RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: dev-train}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: h, envFrom: [{configMapRef: {name: settings}}]}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: dev-settings}
data: {a: b}
"""

    def test_a_prefix_that_did_not_reach_a_custom_kind(self) -> None:
        (found,) = of("GPU022", self.RAY)
        assert "but `dev-settings` exists" in found.message

    def test_a_prefix_that_it_does_not_have(self) -> None:
        assert not of("GPU022", self.RAY.replace("dev-train", "train"))

    def test_kubernetes_own_kinds_are_known_to_builds(self) -> None:
        pod = yaml.safe_load(
            "{apiVersion: v1, kind: Pod, metadata: {name: dev-p}, spec: {containers: "
            "[{name: h, envFrom: [{configMapRef: {name: settings}}]}]}}"
        )
        assert not of("GPU022", text(pod) + "---\n" + self.RAY.partition("---\n")[2])


class TestMade:
    def test_a_generator_makes_it(self, here: Path) -> None:
        pod = {"containers": [{"name": "c", "envFrom": [{"configMapRef": {"name": "settings"}}]}]}
        files = {
            "pod.yaml": text(an("v1", "Pod", spec=pod), an("v1", "ConfigMap", "setings")),
        }
        assert len(_lint(here, files)) == 1
        files["kustomization.yaml"] = (
            "resources: [pod.yaml]\nconfigMapGenerator: [{name: settings}]\n"
        )
        assert not _lint(here, files)

    def test_an_operator_makes_it(self) -> None:
        pod = {"containers": [{"name": "c", "envFrom": [{"secretRef": {"name": "hf-token"}}]}]}
        objects = [an("v1", "Pod", spec=pod), an("v1", "Secret", "hf-tokens")]
        assert of("GPU022", text(*objects))
        maker = an("external-secrets.io/v1", "ExternalSecret", "hf-token")
        assert not of("GPU022", text(*objects, maker))


class TestNamespaces:
    @pytest.mark.parametrize(
        ("ours", "theirs", "count"),
        [("ml", "web", 1), ("ml", "ml", 0), ("", "web", 0), ("ml", "", 0)],
    )
    def test_names_reach_their_own(self, ours: str, theirs: str, count: int) -> None:
        pod = an("v1", "Pod", spec={"serviceAccountName": "runner", "containers": []})
        account = an("v1", "ServiceAccount", "runner")
        for each, namespace in ((pod, ours), (account, theirs)):
            if namespace:
                each["metadata"]["namespace"] = namespace
        assert len(of("GPU022", text(pod, account))) == count

    def test_a_reference_may_say_another(self) -> None:
        binding = an("rbac.authorization.k8s.io/v1", "RoleBinding")
        binding["metadata"]["namespace"] = "ml"
        subject = {"kind": "ServiceAccount", "name": "runner", "namespace": "web"}
        binding["subjects"] = [subject]
        account = an("v1", "ServiceAccount", "runner")
        account["metadata"]["namespace"] = "web"
        assert not of("GPU022", text(binding, account))
        subject["namespace"] = "other"
        assert len(of("GPU022", text(binding, account))) == 1


class TestKeys:
    def _said(self, data: dict[str, Any], **ref: Any) -> list[str]:
        source = {"secretKeyRef": {"name": "hf", "key": "token", **ref}}
        container = {"name": "c", "env": [{"name": "A", "valueFrom": source}]}
        pod = an("v1", "Pod", spec={"containers": [container]})
        found = of("GPU022", text(pod, {**an("v1", "Secret", "hf"), **data}))
        return [one.severity for one in found]

    def test_it_lacks_it(self) -> None:
        assert self._said({"stringData": {"tokens": "x"}}) == ["error"]

    @pytest.mark.parametrize(
        "data",
        [
            {"stringData": {"token": "x"}},
            {"data": {"token": "eA=="}},
            {},
            {"data": {}},
            {"data": "{{ .Values.data }}"},
            {"stringData": {"${KEY}": "x"}},
        ],
    )
    def test_it_has_it_or_may_get_it(self, data: dict[str, Any]) -> None:
        assert not self._said(data)

    def test_a_key_in_capitals_is_a_usual_one(self) -> None:
        assert self._said({"stringData": {"HF_TOKEN": "x"}}) == ["error"]
        assert self._said({"data": {"token": "eA=="}}, key="HF_TOKEN") == ["error"]
        assert not self._said({"stringData": {"HF_TOKEN": "x"}}, key="HF_TOKEN")

    def test_nobody_needs_it(self) -> None:
        assert not self._said({"stringData": {"tokens": "x"}}, optional=True)

    def test_a_patch_may_add_it(self, here: Path) -> None:
        pod = {
            "containers": [
                {
                    "name": "c",
                    "env": [
                        {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "s", "key": "b"}}}
                    ],
                }
            ]
        }
        files = {
            "all.yaml": text(
                an("v1", "Pod", spec=pod), {**an("v1", "ConfigMap", "s"), "data": {"a": "1"}}
            )
        }
        assert len(_lint(here, files)) == 1
        files["kustomization.yaml"] = (
            "resources: [all.yaml]\npatches: [{patch: '{kind: ConfigMap, apiVersion: v1, metadata: "
            "{name: s}, data: {b: x}}'}]\n"
        )
        assert not _lint(here, files)


class TestParts:
    ROUTE = an(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        spec={"rules": [{"backendRefs": [{"name": "chat", "port": 8080}]}]},
    )

    @pytest.mark.parametrize(
        ("ports", "count"),
        [([{"name": "http", "port": 80}], 1), ([{"port": 8080}], 0), ([], 0)],
    )
    def test_the_port_of_a_backend(self, ports: list[dict[str, Any]], count: int) -> None:
        service = an("v1", "Service", "chat", spec={"ports": ports})
        assert len(of("GPU022", text(self.ROUTE, service))) == count

    def test_a_port_in_capitals_is_a_placeholder(self) -> None:
        backend = {"service": {"name": "chat", "port": {"name": "PORT_NAME"}}}
        ingress = an("networking.k8s.io/v1", "Ingress", spec={"defaultBackend": backend})
        service = an("v1", "Service", "chat", spec={"ports": [{"name": "http", "port": 80}]})
        assert not of("GPU022", text(ingress, service))

    def test_the_listener_of_a_gateway(self) -> None:
        spec = {"parentRefs": [{"name": "edge", "sectionName": "https"}]}
        route = an("gateway.networking.k8s.io/v1", "HTTPRoute", spec=spec)
        listeners = [{"name": "http", "port": 80, "protocol": "HTTP"}]
        gateway = an(
            "gateway.networking.k8s.io/v1", "Gateway", "edge", spec={"listeners": listeners}
        )
        (found,) = of("GPU022", text(route, gateway))
        assert (
            found.message == "Gateway `edge` has no listener `https`: no traffic reaches the route"
        )

    @pytest.mark.parametrize(
        ("request_", "count"), [("gpu", 0), ("gpu/large", 0), ("nic", 1), ("", 0)]
    )
    def test_the_request_of_a_claim(self, request_: str, count: int) -> None:
        use = {"name": "devices", **({"request": request_} if request_ else {})}
        spec = {
            "containers": [{"name": "a", "image": "a:1", "resources": {"claims": [use]}}],
            "resourceClaims": [{"name": "devices", "resourceClaimTemplateName": "one"}],
        }
        template = an("resource.k8s.io/v1", "ResourceClaimTemplate", "one")
        template["spec"] = {"spec": {"devices": {"requests": [{"name": "gpu"}]}}}
        assert len(of("GPU022", text(an("v1", "Pod", spec=spec), template))) == count

    def test_a_port_that_an_annotation_stands_for(self) -> None:
        backend = {"service": {"name": "chat", "port": {"name": "use-annotation"}}}
        ingress = an("networking.k8s.io/v1", "Ingress", spec={"defaultBackend": backend})
        service = an("v1", "Service", "chat", spec={"ports": [{"name": "http", "port": 80}]})
        assert not of("GPU022", text(ingress, service))
        backend["service"]["port"] = {"name": "https"}
        assert of("GPU022", text(ingress, service))


PRIORITY = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: CLASS}
value: 1000
---
apiVersion: batch/v1
kind: Job
metadata: {name: eval, labels: {kueue.x-k8s.io/priority-class: high-priority, QUEUE: research}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}
"""


@pytest.mark.parametrize(
    ("class_", "queue", "found"),
    [
        ("batch", "kueue.x-k8s.io/queue-name", 1),
        ("high-priority", "kueue.x-k8s.io/queue-name", 0),
        ('"<class>"', "kueue.x-k8s.io/queue-name", 0),
        ("batch", "app.kubernetes.io/name", 0),
    ],
)
def test_a_set_that_has_priorities_of_workloads_has_all(
    class_: str, queue: str, found: int
) -> None:
    """Of what waits in a queue: elsewhere Kueue does not read the label."""
    manifest = PRIORITY.replace("CLASS", class_).replace("QUEUE", queue)
    said = of("GPU022", manifest)
    assert [one.severity for one in said] == ["warning"] * found


CLASS = """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: CLASS}
provisioner: ebs.csi.aws.com
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: weights}
spec: {storageClassName: OF_VOLUME, accessModes: [ReadWriteOnce], capacity: {storage: 9Gi}, nfs: {server: a, path: /}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: weights, namespace: vision}
spec: {storageClassName: fast-ssd, accessModes: [ReadWriteOnce], resources: {requests: {storage: 9Gi}}}
"""


@pytest.mark.parametrize(
    ("class_", "of_volume", "found"),
    [("ml-fast", "ml-fast", 1), ("fast-ssd", "ml-fast", 0), ("ml-fast", "fast-ssd", 0)],
)
def test_a_file_that_has_storage_classes_may_have_all(
    class_: str, of_volume: str, found: int
) -> None:
    """Not of static volumes, whose class needs no object."""
    manifest = CLASS.replace("CLASS", class_).replace("OF_VOLUME", of_volume)
    assert [one.severity for one in of("GPU022", manifest)] == ["info"] * found


@pytest.mark.parametrize("name", ["premium-rwo", "standard-rwo"])
def test_classes_that_a_provider_brings_exist(name: str) -> None:
    manifest = CLASS.replace("CLASS", "ml-fast").replace("OF_VOLUME", "ml-fast")
    assert not of("GPU022", manifest.replace("fast-ssd", name))


WAITING = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: chat, namespace: ai}
spec: {interval: 10m, prune: true, sourceRef: {kind: GitRepository, name: flux}, dependsOn: [{name: DEPENDS}]}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: device-plugin, namespace: kube-system}
spec: {interval: 10m, prune: true, sourceRef: {kind: GitRepository, name: flux}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: chat-tools, namespace: ai}
spec: {interval: 10m, prune: true, sourceRef: {kind: GitRepository, name: flux}}
"""


@pytest.mark.parametrize(
    ("depends", "says"),
    [
        (
            "device-plugin",
            ["is in namespace `kube-system`, but the reference points to namespace `ai`"],
        ),
        ("device-plugin, namespace: kube-system", []),
        ("tools", []),
        ("storage", []),
    ],
)
def test_what_flux_waits_for_is_in_its_own_namespace_or_kept_elsewhere(
    depends: str, says: list[str]
) -> None:
    found = of("GPU022", WAITING.replace("DEPENDS", depends))
    assert [one for one, said in zip(found, says, strict=True) if said not in one.message] == []


READER = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: serving}
spec:
  containers:
    - name: main
      image: example:1
      env:
        - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token}}}
---
"""


@pytest.mark.parametrize(
    ("kind", "spec", "is_found"),
    [
        ("ExternalSecret", "{data: [{secretKey: token}]}", False),
        ("ExternalSecret", "{data: [{secretKey: key}]}", True),
        ("ExternalSecret", "{data: [{secretKey: key}], dataFrom: [{extract: {key: hf}}]}", False),
        ("ExternalSecret", "{data: [{secretKey: key}], target: {name: other}}", False),
        ("ExternalSecret", "{data: [{secretKey: key}], target: {creationPolicy: Merge}}", False),
        (
            "ExternalSecret",
            "{data: [{secretKey: token}], target: {template: {data: {HF: x}}}}",
            True,
        ),
        (
            "ExternalSecret",
            "{data: [{secretKey: token}], target: {template: {mergePolicy: Merge, data: {HF: x}}}}",
            False,
        ),
        ("SealedSecret", "{encryptedData: {token: x}}", False),
        ("SealedSecret", "{encryptedData: {key: x}}", True),
        ("SealedSecret", "{encryptedData: {key: x}, template: {data: {token: x}}}", False),
        ("SecretProviderClass", "{secretObjects: [{secretName: hf, data: [{key: token}]}]}", False),
        ("SecretProviderClass", "{secretObjects: [{secretName: hf, data: [{key: key}]}]}", True),
    ],
)
def test_a_secret_has_the_keys_that_its_maker_lists(kind: str, spec: str, is_found: bool) -> None:
    group = {
        "ExternalSecret": "external-secrets.io/v1",
        "SealedSecret": "bitnami.com/v1alpha1",
        "SecretProviderClass": "secrets-store.csi.x-k8s.io/v1",
    }[kind]
    maker = f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: hf, namespace: serving}}\nspec: {spec}\n"
    assert bool(of("GPU022", READER + maker)) == is_found
