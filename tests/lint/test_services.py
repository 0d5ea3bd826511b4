"""Services: their selectors, ports and variables, against the pods."""

import pytest

from gpuspec.lint.model import Finding
from tests.lint import edges
from tests.lint.patched import said


def levels(found: list[Finding]) -> list[str]:
    return [one.severity for one in found]


class TestServices:
    """C-49: selectors and ports of Services meet the pods."""

    @pytest.mark.parametrize(
        ("selector", "path"),
        [
            ("{app: chat}", []),
            ("{app: prod-chat}", ["spec.selector.app"]),
            ("{app: chat, tier: gpu}", ["spec.selector.tier"]),  # the pods lack it
            ("{app: speech}", []),  # perhaps in a file that was not given
            ("{app: chat, ray.io/node-type: head}", []),  # a controller's to set
        ],
    )
    def test_a_selector_that_misses(self, selector: str, path: list[str]) -> None:
        patch = f"spec: {{selector: {selector}}}"
        assert [one.path for one in said("GPU806", "service", patch)] == path

    @pytest.mark.parametrize(
        ("port", "level"),
        [
            ("{name: http, port: 80, targetPort: http}", []),
            ("{name: http, port: 80, targetPort: 8000}", []),
            ("{name: http, port: 80, targetPort: metrics}", ["error"]),
            ("{name: http, port: 80, targetPort: 9000}", ["warning"]),
            ("{name: http, port: 80, targetPort: null}", ["warning"]),  # the same as `port`
            ("{name: http, port: 8000, targetPort: null}", []),
            ("{name: http, port: 80, targetPort: '${PORT}'}", []),
        ],
    )
    def test_a_port_that_is_not_there(self, port: str, level: list[str]) -> None:
        assert levels(said("GPU807", "service", f"spec: {{ports: [{port}]}}")) == level

    def test_a_sidecar_brings_ports(self) -> None:
        proxy = (
            "spec: {template: {spec: {initContainers: [{name: proxy, image: p, "
            "restartPolicy: Always, ports: [{name: web, containerPort: 80}]}]}}}"
        )
        service = """
apiVersion: v1
kind: Service
metadata: {name: other, namespace: serving}
spec: {selector: {app: chat}, ports: [{port: 80, targetPort: web}]}
"""
        assert len(said("GPU807", "deployment", "{}", service)) == 1
        assert said("GPU807", "deployment", proxy, service) == []

    @pytest.mark.parametrize(
        ("command", "level"),
        [
            ("[python3, serve.py, --port, '8000']", []),
            ("[sh, -c, python3 serve.py --port 8000]", []),
            ("[python3, serve.py, --port=8001]", ["info"]),
            ("[python3, serve.py]", []),
        ],
    )
    def test_a_command_line_says_where_a_container_without_ports_listens(
        self, command: str, level: list[str]
    ) -> None:
        pods = (
            f"spec: {{template: {{spec: {{containers: [{{name: main, ports: null, command: {command}, args: null}}, "
            "{name: proxy, image: p, ports: [{containerPort: 8080}]}]}}}"
        )
        service = """
apiVersion: v1
kind: Service
metadata: {name: other, namespace: serving}
spec: {selector: {app: chat}, ports: [{name: serve, port: 8000}, {name: proxy, port: 8080}]}
"""
        found = said("GPU807", "deployment", pods, service)
        assert levels([one for one in found if one.object and one.object.name == "other"]) == level

    @pytest.mark.parametrize(
        ("version", "spec", "paths"),
        [
            ("networking.k8s.io/v1", "targetPorts: [{number: 8000}]", []),
            ("networking.k8s.io/v1", "targetPorts: [{number: 8080}]", ["targetPorts[0].number"]),
            ("networking.x-k8s.io/v1alpha2", "targetPortNumber: 8000", []),
            ("networking.x-k8s.io/v1alpha2", "targetPortNumber: 80", ["targetPortNumber"]),
            ("networking.x-k8s.io/v1alpha2", "targetPortNumber: http", []),
        ],
    )
    def test_a_pool_sends_to_a_port_as_well(
        self, version: str, spec: str, paths: list[str]
    ) -> None:
        pool = f"""
apiVersion: inference.{version}
kind: InferencePool
metadata: {{name: chat, namespace: serving}}
spec: {{selector: {{matchLabels: {{app: chat}}}}, {spec}}}
"""
        found = said("GPU807", "deployment", "{}", pool)
        assert [one.path.removeprefix("spec.") for one in found] == paths
        assert levels(found) == ["warning"] * len(paths)


def _beside(service: str, container: str = "") -> list[str]:
    spec = f"enableServiceLinks: null, containers: [{{name: main, {container}}}]"
    patch = f"spec: {{template: {{spec: {{{spec}}}}}}}\n---\n{service}"
    return [f"{one.rule} {one.severity}" for one in edges.said(edges.laid("deployment", patch))]


def test_only_services_that_set_variables_collide() -> None:
    head = "apiVersion: v1\nkind: Service\nmetadata: {name: vllm, namespace: %s}\nspec: {%s}"
    assert _beside(head % ("serving", "selector: {app: chat}")) == ["GPU613 error"]
    assert _beside(head % ("", "selector: {app: chat}")) == ["GPU613 warning"]
    assert _beside(head % ("serving", "clusterIP: None")) == []
    assert _beside(head % ("serving", "type: ExternalName, externalName: x.y")) == []
    assert _beside(head % ("other", "selector: {app: chat}")) == []
    assert _beside((head % ("serving", "")).replace("vllm", "vllm-chat")) == ["GPU613 info"]
    examples = (head % ("default", "")).replace("vllm", "vllm-chat")
    assert _beside(examples) == []
    elsewhere = "envFrom: [{configMapRef: {name: settings}}]"
    assert _beside(head % ("serving", ""), elsewhere) == ["GPU613 warning"]


def test_every_service_that_makes_the_server_warn_is_named() -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: %s, namespace: serving}\nspec: {}"
    rows = "\n---\n".join(service % name for name in ("vllm-router", "vllm-engine", "chat"))
    patch = f"spec: {{template: {{spec: {{enableServiceLinks: null}}}}}}\n---\n{rows}"
    (found,) = edges.said(edges.laid("deployment", patch))
    assert found.message == (
        "Services `vllm-router`, `vllm-engine` make Kubernetes set variables that look like vLLM's "
        "own: vLLM logs a warning for each at every start"
    )


def test_where_the_release_is_unknown_the_finding_says_which_release_warns() -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: vllm-router, namespace: serving}"
    image = "registry.example.com/vllm/vllm-openai:lmcache-v0.8.5"
    spec = f"enableServiceLinks: null, containers: [{{name: main, image: '{image}'}}]"
    patch = f"spec: {{template: {{spec: {{{spec}}}}}}}\n---\n{service}\nspec: {{}}"
    found = edges.said(edges.laid("deployment", patch))
    (message,) = [one.message for one in found if one.rule == "GPU613"]
    assert "vLLM 0.17.1 and newer logs a warning" in message
