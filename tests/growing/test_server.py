"""A model server is one file: all that is said, rendered and found of it follows from there."""

import json
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from gpuspec import runtimes
from tests.growing.conftest import Checkout

HERE = Path(__file__).parent
BASE = (HERE.parent / "lint/bases/scaledobject.yaml").read_text(encoding="utf-8")
GPU = ", nvidia.com/gpu: 1}"

READINESS, LIVENESS = (
    f"{name}Probe:\n            httpGet: {{path: " for name in ("readiness", "liveness")
)
# The good manifest of vLLM as one of the other server.
OWN = (
    ("vllm/vllm-openai", "example-lab/quickserve"),
    ("command: [vllm, serve]", "command: [quickserve, serve, api_server]"),
    ('--served-model-name, chat, --tensor-parallel-size, "1"', '--model-name, chat, --tp, "1"'),
    ("containerPort: 8000", "containerPort: 23333"),
    ("path: /health", "path: /ready"),
    (LIVENESS + "/ready", LIVENESS + "/live"),
    ("vllm:num_requests_waiting", "quickserve:waiting"),
)
CLAIM = "persistentVolumeClaim: {claimName: weights, readOnly: true}"
COMMAND = "          command: [quickserve, serve, api_server]\n"
CHANGES: dict[str, tuple[tuple[tuple[str, str], ...], set[str]]] = {
    "good": ((), set()),
    "too-many": ((('--tp, "1"', '--tp, "4"'),), {"GPU731"}),
    "another-name": ((('--tp, "1"', '--tensor, "4"'),), {"GPU731"}),
    "copies": ((('--tp, "1"', '--tp, "1", --dp, "2"'),), {"GPU731"}),
    "by-its-image": (((COMMAND, ""), ('--tp, "1"', '--tp, "4"')), {"GPU731"}),
    "by-its-command": (
        (("example-lab/quickserve", "eu.example.com/own"), ('--tp, "1"', '--tp, "4"')),
        {"GPU731"},
    ),
    "something-else": (
        (("quickserve, serve, api_server", "quickserve, chat"), ('--tp, "1"', '--tp, "4"')),
        set(),
    ),
    "another-metric": ((("quickserve:waiting", "tgi_queue_size"),), {"GPU809"}),
    "another-port": (
        (('--tp, "1"', '--tp, "1", --server-port, "9000"'),),
        {"GPU506"},
    ),
    "too-early": (((READINESS + "/ready", READINESS + "/live"),), {"GPU504"}),
    "prompts": ((('--tp, "1"', '--tp, "1", --log-prompts'),), {"GPU618"}),
    "key": (
        (("- {name: HOME", "- {name: QUICKSERVE_API_KEY, value: abc123}\n            - {name: HOME"),),
        {"GPU611"},
    ),
    "service": (
        (("enableServiceLinks: false", "enableServiceLinks: true"), ("{name: chat,", "{name: quickserve,")),
        {"GPU613"},
    ),
    "no-device": (((GPU, "}"),), {"GPU106"}),
    "no-device-needed": (
        ((GPU, "}"), ("- {name: HOME", '- {name: QUICKSERVE_CPU, value: "1"}\n            - {name: HOME')),
        set(),
    ),
    "from-a-hub": (
        (("/models/qwen3-8b", "org/qwen3-8b"), ("HF_HUB_OFFLINE", "OFFLINE"), (CLAIM, "emptyDir: {}")),
        {"GPU905"},
    ),
}  # fmt: skip

SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: chat}
spec:
  runtime: quickserve
  image: example-lab/quickserve:v1
  model: {id: org/m, revision: "1", size: 16Gi, source: {hub: {}}}
  gpu: {models: [A100-80GB], count: 4}
"""


@pytest.fixture(scope="module")
def grown(checkout: Checkout) -> Checkout:
    """The checkout with the file of the server and what is generated from it, and no other change."""
    checkout.write(
        "gpuspec/runtimes/data/quickserve.yaml",
        (HERE / "quickserve.yaml").read_text(encoding="utf-8"),
    )
    checkout.generate()
    return checkout


@pytest.fixture(scope="module")
def found(grown: Checkout) -> dict[str, set[str]]:
    """The rules that each manifest breaks."""
    for name, (changes, _) in CHANGES.items():
        text = BASE.replace("namespace: serving", f"namespace: {name}")
        for old, new in (*OWN, *changes):
            assert old in text, f"{name}: {old}"
            text = text.replace(old, new)
        grown.write(f"manifests/{name}.yaml", text)
    done = grown.run("lint", "manifests", "--format", "json", "--exit-zero")
    assert done.returncode == 0, done.stderr
    codes: dict[str, set[str]] = defaultdict(set)
    for one in json.loads(done.stdout):
        codes[Path(one["file"]).stem].add(one["rule"])
    return codes


@pytest.mark.parametrize("name", CHANGES)
def test_the_linter_knows_it(name: str, found: dict[str, set[str]]) -> None:
    known = set().union(*(codes for _, codes in CHANGES.values()))
    assert found[name] & known == CHANGES[name][1]
    assert name != "good" or not found[name]


def test_it_is_rendered(grown: Checkout) -> None:
    grown.write("chat.yaml", SPEC)
    done = grown.run("render", "chat.yaml")
    assert done.returncode == 0, done.stderr
    made = {one["kind"]: one for one in yaml.safe_load_all(done.stdout)}
    (container,) = made["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["quickserve", "serve", "api_server"]
    args = ["org/m", "--revision", "1", "--tp", "4", "--server-port", "23333"]
    assert container["args"] == args
    assert container["ports"] == [{"name": "http", "containerPort": 23333}]
    assert container["readinessProbe"]["httpGet"] == {"path": "/ready", "port": "http"}
    assert container["livenessProbe"]["httpGet"] == {"path": "/live", "port": "http"}


def test_a_spec_of_it_is_held_to_its_rules(grown: Checkout) -> None:
    grown.write("none.yaml", SPEC.replace("  model:", "  # model:"))
    done = grown.run("render", "none.yaml")
    assert done.returncode == 2
    assert "none.yaml:5:12: error: runtime quickserve needs a `model`" in done.stderr


def test_everything_that_lists_servers_names_it(grown: Checkout) -> None:
    *names, last = sorted({"quickserve", *runtimes.names()})
    listed = f"{', '.join(names)} or {last}"
    grown.write("other.yaml", SPEC.replace("runtime: quickserve", "runtime: other"))
    assert f"expected {listed}" in grown.run("render", "other.yaml").stderr
    runtime = json.loads(grown.run("schema", "inference").stdout)["$defs"]["InferenceSpec"]
    assert "quickserve" in runtime["properties"]["runtime"]["enum"]
    assert "ollama, quickserve, ray, sglang" in grown.run("init", "inference").stdout
    assert "`ollama`, `quickserve`, `ray`, `sglang`" in grown.read("docs/spec-reference.md")
    assert "| `quickserve` | Quickserve |" in grown.read("docs/servers.md")


def test_it_is_read_as_fast_as_the_others(grown: Checkout) -> None:
    """Its twin is there, and says what it was made from."""
    assert (
        json.loads(grown.read("gpuspec/startup/data/tables/runtimes/quickserve.json"))["value"][
            "title"
        ]
        == "Quickserve"
    )
