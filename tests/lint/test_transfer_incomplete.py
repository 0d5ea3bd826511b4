"""GPU818: what each side of a prefill and decode pair is told."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

NIXL = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
MULTI = json.dumps(
    {
        "kv_connector": "MultiConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {"connectors": [json.loads(NIXL)]},
    }
)
HOST = "VLLM_NIXL_SIDE_CHANNEL_HOST"
SGLANG = ["python3", "-m", "sglang.launch_server", "--model-path", "/m"]


def _server(command: list[str], image: str = "a:1", **more: Any) -> dict[str, Any]:
    limits = {"nvidia.com/gpu": 1}
    one = {"name": "main", "image": image, "command": command, "resources": {"limits": limits}}
    return an("v1", "Pod", "chat", spec={"containers": [{**one, **more}]})


def _said(one: dict[str, Any]) -> list[Finding]:
    return of("GPU818", text(one))


def _vllm(*words: str, **more: Any) -> list[Finding]:
    return _said(_server(["vllm", "serve", "/m", *words], **more))


class TestSideChannel:
    @pytest.mark.parametrize("config", [NIXL, MULTI])
    def test_nobody_else_is_at_localhost(self, config: str) -> None:
        (found,) = _vllm("--kv-transfer-config", config)
        assert (found.path, found.severity) == ("spec.containers[0].env", "warning")

    @pytest.mark.parametrize("value", ["0.0.0.0", "localhost", "127.0.0.1"])
    def test_an_address_that_is_nobodys(self, value: str) -> None:
        (found,) = _vllm("--kv-transfer-config", NIXL, env=[{"name": HOST, "value": value}])
        assert f"at {value}" in found.message

    @pytest.mark.parametrize(
        "more",
        [
            {"env": [{"name": HOST, "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]},
            {"env": [{"name": HOST, "value": "$(POD_IP)"}]},
            {"envFrom": [{"configMapRef": {"name": "nixl"}}]},
        ],
    )
    def test_it_is_told(self, more: dict[str, Any]) -> None:
        assert _vllm("--kv-transfer-config", NIXL, **more) == []

    @pytest.mark.parametrize(
        "config",
        ['{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}', "$KV", "[", "{", "[1, null]"],
    )
    def test_other_connectors_and_what_cannot_be_read(self, config: str) -> None:
        assert _vllm("--kv-transfer-config", config) == []

    def test_a_script_that_says_it(self) -> None:
        script = f"export {HOST}=$(hostname -i); vllm serve /m --kv-transfer-config '{NIXL}'"
        assert _said(_server(["bash", "-c", script])) == []


class TestBootstrap:
    @pytest.mark.parametrize(
        ("words", "count"),
        [
            (["--disaggregation-mode", "prefill"], 1),
            (["--disaggregation-mode", "prefill", "--host", "127.0.0.1"], 1),
            (["--disaggregation-mode", "prefill", "--host", "0.0.0.0"], 0),
            (["--disaggregation-mode", "prefill", "--host", "$(POD_IP)"], 0),
            (["--disaggregation-mode", "decode"], 0),
            ([], 0),
        ],
    )
    def test_where_sglang_listens(self, words: list[str], count: int) -> None:
        assert len(_said(_server([*SGLANG, *words]))) == count

    @pytest.mark.parametrize(
        ("image", "program", "word"),
        [
            ("lmsysorg/sglang:v0.5.2", "sglang.launch_server", "decode pod"),
            ("lmsysorg/sglang:v0.5.1", "sglang.launch_server", "no router"),
            ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.6.0", "dynamo.sglang", "decode pod"),
            ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.4.1", "dynamo.sglang", ""),
        ],
    )
    def test_older_bootstrap_servers_listen_at_all_addresses(
        self, image: str, program: str, word: str
    ) -> None:
        command = ["python3", "-m", program, "--model-path", "/m", "--disaggregation-mode"]
        findings = _said(_server([*command, "prefill"], image))
        assert [word in finding.message for finding in findings] == ([True] if word else [])


class TestDynamo:
    @pytest.mark.parametrize(
        ("tag", "words", "levels"),
        [
            ("1.0.0", ["--disaggregation-mode", "prefill"], ["error"]),
            ("1.1.0", ["--is-prefill-worker"], ["error"]),
            ("0.8.1", ["--disaggregation-mode", "prefill"], []),
            ("my-build", ["--disaggregation-mode", "prefill"], []),
            ("1.0.0", ["--disaggregation-mode", "decode"], []),
            ("1.0.0", ["--disaggregation-mode", "prefill", "$(MORE)"], []),
            ("1.0.0", ["--disaggregation-mode", "prefill", "--kv-transfer-config", NIXL], []),
        ],
    )
    def test_a_prefill_worker_needs_a_connector(
        self, tag: str, words: list[str], levels: list[str]
    ) -> None:
        image = f"nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}"
        found = _said(_server(["python3", "-m", "dynamo.vllm", "--model", "/m", *words], image))
        assert [one.severity for one in found] == levels


class TestOldConnector:
    OLD = '{"kv_connector":"LMCacheConnector","kv_role":"kv_both"}'

    @pytest.mark.parametrize(
        ("image", "levels"),
        [
            ("vllm/vllm-openai:v0.11.0", ["error"]),
            ("vllm/vllm-openai:v0.9.2", ["warning"]),
            ("vllm/vllm-openai:v0.8.5", []),
            ("lmcache/vllm-openai:v0.3.9", ["error"]),
            ("lmcache/vllm-openai:v0.3.5", ["warning"]),
            ("example.com/mine:1", []),
        ],
    )
    def test_an_image_that_starts_v1(self, image: str, levels: list[str]) -> None:
        found = _said(_server(["vllm", "serve", "/m", "--kv-transfer-config", self.OLD], image))
        assert [one.severity for one in found] == levels

    def test_v0_is_asked_for(self) -> None:
        env = [{"name": "VLLM_USE_V1", "value": "0"}]
        words = ["vllm", "serve", "/m", "--kv-transfer-config", self.OLD]
        assert _said(_server(words, "vllm/vllm-openai:v0.9.2", env=env)) == []

    def test_v0_is_asked_for_where_it_is_gone(self) -> None:
        env = [{"name": "VLLM_USE_V1", "value": "0"}]
        words = ["vllm", "serve", "/m", "--kv-transfer-config", self.OLD]
        (found,) = _said(_server(words, "vllm/vllm-openai:v0.11.0", env=env))
        assert found.severity == "error"

    def test_a_class_of_the_teams_own(self) -> None:
        own = self.OLD.replace("}", ',"kv_connector_module_path":"ours"}')
        words = ["vllm", "serve", "/m", "--kv-transfer-config", own]
        assert _said(_server(words, "vllm/vllm-openai:v0.11.0")) == []
