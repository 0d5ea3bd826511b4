"""Servers beside vLLM: where they listen, when they are ready, what they count."""

import pytest

from tests.lint.others import SERVERS, STARTUP, codes, more
from tests.lint.pages import raised


@pytest.mark.parametrize("server", SERVERS)
def test_a_good_manifest_raises_nothing_about_how_it_serves(server: str) -> None:
    """Nothing of probes, ports, addresses, metrics, degrees, downloads, entrypoints and homes."""
    about = {
        "GPU106",
        "GPU609",
        "GPU731",
        "GPU740",
        "GPU809",
        "GPU814",
        "GPU905",
        "GPU907",
        "GPU917",
    }
    about |= {f"GPU50{number}" for number in range(1, 9)}
    assert not about & codes(SERVERS[server].text(server))


@pytest.mark.parametrize(
    ("server", "changes", "code"),
    [
        ("llamacpp", [("--host, 0.0.0.0", "--host, 127.0.0.1")], "GPU814"),
        ("ollama", [("env: [", "env: [{name: OLLAMA_HOST, value: '127.0.0.1:11434'}, ")], "GPU814"),
        ("infinity", [("args: [v2", "env: [{name: INFINITY_HOST, value: localhost}]\n          args: [v2")], "GPU814"),
        ("trtllm", [("--host, 0.0.0.0, ", "")], "GPU814"),
    ],
)  # fmt: skip
def test_it_listens_for_its_own_pod_alone(
    server: str, changes: list[tuple[str, str]], code: str
) -> None:
    assert more(server, *changes) == {code}


@pytest.mark.parametrize(
    ("server", "changes"),
    [
        # The image says where, or the variable does.
        ("llamacpp", [("--host, 0.0.0.0, ", "")]),
        ("llamacpp", [("--host, 0.0.0.0, ", ""), ("env: [", "env: [{name: LLAMA_ARG_HOST, value: '::'}, ")]),
        ("ollama", [("env: [", "env: [{name: OLLAMA_HOST, value: '0.0.0.0'}, ")]),
        ("ollama", [("env: [", "env: [{name: OLLAMA_HOST, value: ':11434'}, ")]),
        ("tei", [("--port,", "--hostname, 0.0.0.0, --port,")]),
    ],
)  # fmt: skip
def test_it_listens_on_every_address(server: str, changes: list[tuple[str, str]]) -> None:
    assert more(server, *changes) == set()


def test_the_fix_of_an_address_keeps_the_port_that_stands_behind_it() -> None:
    told = "env: [{name: OLLAMA_HOST, value: 'localhost:11434'}, "
    text = SERVERS["ollama"].text("ollama").replace("env: [", told)
    (one,) = [one for one in raised(text) if one.rule.code == "GPU814"]
    assert one.finding().path == "spec.template.spec.containers[0].env[0].value"
    assert one.found.fix is not None
    assert [change.value for change in one.found.fix.changes] == ["0.0.0.0:11434"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("llamacpp", [("--port, '8080'", "--port, '9000'")], {"GPU506"}),
        ("llamacpp", [("--port, '8080', ", ""), ("env: [", "env: [{name: LLAMA_ARG_PORT, value: '9000'}, ")], {"GPU506"}),
        ("ollama", [("env: [", "env: [{name: OLLAMA_HOST, value: '0.0.0.0:8080'}, ")], {"GPU506"}),
        ("tei", [("--port, '8080'", "-p, '3000'")], {"GPU506"}),
        ("tei", [("args:", "env: [{name: PORT, value: '3000'}]\n          args:"), (", --port, '8080'", "")], {"GPU506"}),
        ("lmdeploy", [("--server-port, '23333'", "--server-port, '8000'")], {"GPU506"}),
        # Builds of llama.cpp differ in what they do when nothing is said.
        ("llamacpp", [("--port, '8080', ", ""), ("containerPort: 8080", "containerPort: 9931"), ("port: 8080}", "port: 9931}")], set()),
    ],
)  # fmt: skip
def test_probes_and_the_port_that_it_is_told(
    server: str, changes: list[tuple[str, str]], answer: set[str]
) -> None:
    assert more(server, *changes) & {"GPU506"} == answer


@pytest.mark.parametrize(
    ("server", "answer"),
    [
        ("llamacpp", "opens the port before its model is loaded"),
        ("lmdeploy", "stays open when LMDeploy no longer answers or its engine is dead"),
        (
            "tei",
            "stays open when Text Embeddings Inference no longer answers or its engine is dead",
        ),
        # Their path proves no more than an open port does.
        ("lmdeploy:v0.13.0", None),
        ("infinity", None),
        ("ollama", None),
    ],
)
def test_readiness_by_an_open_port(server: str, answer: str | None) -> None:
    server, _, tag = server.partition(":")
    good = SERVERS[server].text(server)
    good = good.replace("v0.16.0-cu12", tag or "v0.16.0-cu12")
    old = f"readinessProbe:\n            httpGet: {{path: {SERVERS[server].path}, port: "
    assert old in good
    text = good.replace(old, "readinessProbe:\n            tcpSocket: {port: ")
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU504"]
    assert [answer in message for message in found if answer] == ([True] if answer else [])
    assert len(found) == (answer is not None)


@pytest.mark.parametrize(
    ("server", "query", "said"),
    [
        ("llamacpp", "sum(vllm:num_requests_waiting)", "is not a metric of llama.cpp"),
        ("ollama", "sum(vllm:num_requests_waiting)", "is not a metric of Ollama"),
        ("infinity", "sum(te_queue_size)", "is not a metric of Infinity"),
        ("tei", "sum(tgi_queue_size)", "is not a metric of Text Embeddings Inference"),
        ("lmdeploy", "sum(vllm:gpu_cache_usage_perc)", "is not a metric of LMDeploy"),
        ("trtllm", "sum(trtllm_num_requests_waiting)", None),
    ],
)
def test_a_metric_of_another_server(server: str, query: str, said: str | None) -> None:
    text = SERVERS[server].text(server).replace(SERVERS[server].query, query)
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU809"]
    assert [said in message for message in found if said] == ([True] if said else [])
    assert len(found) == (said is not None)


def test_llamacpp_emits_metrics_only_when_it_is_told() -> None:
    assert more("llamacpp", (", --metrics", "")) == {"GPU809"}
    told = ("env: [", "env: [{name: LLAMA_ARG_ENDPOINT_METRICS, value: '1'}, ")
    assert more("llamacpp", (", --metrics", ""), told) == set()


@pytest.mark.parametrize("server", ["llamacpp", "tei"])
def test_liveness_that_ends_it_as_it_loads(server: str) -> None:
    """They start faster than the servers that compile: a small model may be there in time."""
    without = SERVERS[server].text(server).replace(STARTUP, "")
    live = "timeoutSeconds: 10\n            failureThreshold: 6"
    for written, severity in (
        ("failureThreshold: 2", "warning"),
        (f"{live}\n            initialDelaySeconds: 60", "info"),
    ):
        text = without.replace(live, written)
        (found,) = [one.found for one in raised(text) if one.rule.code == "GPU501"]
        assert found.severity == severity


def test_ollama_is_ready_at_once_and_loads_when_it_is_asked() -> None:
    start = STARTUP.replace("/health, port: 8080", "/, port: 11434")
    live = ("timeoutSeconds: 10\n            failureThreshold: 6", "failureThreshold: 2")
    ready = "          readinessProbe:\n            httpGet: {path: /, port: 11434}\n            timeoutSeconds: 5\n"
    assert not {"GPU501", "GPU502", "GPU503"} & more("ollama", (start, ""), live, (ready, ""))


@pytest.mark.parametrize(
    ("server", "name", "answer"),
    [
        ("infinity", "infinity", {"GPU613"}),
        ("infinity", "infinity-embed", set()),
        ("tei", "prometheus", {"GPU613"}),
        # Kubernetes sets OLLAMA_PORT and OLLAMA_SERVICE_HOST, which Ollama does not read.
        ("ollama", "ollama", set()),
    ],
)
def test_a_service_whose_variables_it_reads(server: str, name: str, answer: set[str]) -> None:
    text = SERVERS[server].text(name).replace("enableServiceLinks: false", "nodeSelector: {}")
    assert codes(text) & {"GPU613"} == answer


@pytest.mark.parametrize(
    ("server", "answer"),
    [("llamacpp", set()), ("ollama", set()), ("tei", {"GPU508"}), ("lmdeploy", {"GPU508"})],
)
def test_liveness_that_waits_a_second(server: str, answer: set[str]) -> None:
    """llama.cpp and Ollama answer it apart from what computes."""
    patient = "timeoutSeconds: 10\n            failureThreshold: 6"
    assert more(server, (patient, "failureThreshold: 3")) & {"GPU508"} == answer


@pytest.mark.parametrize(("port", "answer"), [("8080", set()), ("3000", {"GPU506"})])
def test_tgi_is_told_its_port_by_a_variable(port: str, answer: set[str]) -> None:
    text = (
        SERVERS["tei"]
        .text("tgi")
        .replace("text-embeddings-inference:89-1.9", "text-generation-inference:3.3.7")
    )
    told = f"args: [--model-id, org/m]\n          env: [{{name: PORT, value: '{port}'}}]"
    text = text.replace(SERVERS["tei"].start, told)
    assert codes(text) & {"GPU506"} == answer
