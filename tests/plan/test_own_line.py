"""A spec that starts its server itself, and what it says of the model and the port there."""

from typing import Any

import pytest

from tests.plan.conftest import Made, Make, Values

GATED = "meta-llama/Llama-3.1-8B-Instruct"
IMAGE = "vllm/vllm-openai:v0.33.0"


def serve(make: Make, runtime: str = "vllm", image: str = IMAGE, **spec: Any) -> Made:
    spec = {"model": {"id": GATED, "size": "16Gi"}, **spec}
    return make("Inference", runtime=runtime, image=image, **spec)


@pytest.mark.parametrize(
    "line",
    [
        {"command": ["vllm", "serve", "/models/llama"]},
        {"command": ["/usr/bin/vllm", "serve"], "args": ["/models/llama"]},
        {"args": ["/models/llama"]},
    ],
)
def test_a_model_on_the_line_is_the_only_one(make: Make, line: Values) -> None:
    """vLLM does not start with a second word that is no option."""
    made = serve(make, **line)
    words = [*made.main["command"], *made.main["args"]]
    assert words[words.index("--served-model-name") + 1] == GATED
    assert words.count("/models/llama") == 1 and words.count(GATED) == 1
    assert words[2] == "/models/llama", "the model stands before the options"


def test_of_a_folder_nothing_is_downloaded(make: Make) -> None:
    """Neither is a token missed, nor is room on the node's disk asked for."""
    folder = serve(make, command=["vllm", "serve", "/models/llama"])
    hub = serve(make, command=["vllm", "serve", GATED])
    assert "gated" not in folder.loud()
    assert "gated" in hub.loud()
    assert folder.volumes["home"] != hub.volumes["home"]


def test_the_model_of_an_option_in_the_command_is_the_only_one(make: Make) -> None:
    command = ["python3", "-m", "sglang.launch_server", "--model-path=/models/llama"]
    made = serve(make, "sglang", "lmsysorg/sglang:v0.5.23", command=command)
    assert not any(word.startswith("--model-path") for word in made.main["args"])


def test_mounted_weights_are_not_said_twice(make: Make) -> None:
    model = {"id": "org/m", "size": "16Gi", "source": {"pvc": "w", "path": "m"}}
    made = serve(make, model=model, command=["vllm", "serve", "/models/m"])
    assert made.main["args"][:2] == ["--served-model-name", "org/m"]


def test_another_model_in_the_command_is_said(make: Make) -> None:
    loud = serve(make, command=["vllm", "serve", "org/other"]).loud()
    assert f"the first word in command makes vLLM serve org/other, but model.id is {GATED}" in loud


def test_an_option_of_the_command_wins_as_one_of_args_does(make: Make) -> None:
    made = serve(make, command=["vllm", "serve", GATED, "--max-model-len", "8000"], context=8000)
    assert "--max-model-len" not in made.main["args"]


def test_another_port_in_the_command_is_said(make: Make) -> None:
    command = ["vllm", "serve", GATED, "--port", "8080"]
    said = "write expose.containerPort: 8080"
    assert said in serve(make, command=command).loud()
    assert said not in serve(make, command=command, expose={"containerPort": 8080}).loud()


def test_a_program_of_its_own_is_told_the_model(make: Make) -> None:
    """Nothing is known of its words: `serve.py` may be no model."""
    assert GATED in serve(make, command=["python3", "serve.py"]).main["args"]
