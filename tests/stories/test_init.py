"""A first spec without an editor: what `gpuspec init` prints renders, and is clean to the linter."""

import re

import pytest
import yaml

import gpuspec
from gpuspec.manifests import read
from gpuspec.spec import parse_workload
from tests.stories.conftest import Desk

KINDS = ("inference", "training", "fine-tune", "batch-inference", "smoke-test")
GATED = "meta-llama/Llama-3.3-70B-Instruct"


@pytest.mark.parametrize(
    "asked",
    [
        *KINDS,
        *(f"{kind} --gpu A100-80GB --gpu H100-80GB --count 2" for kind in KINDS),
        *(f"{kind} --model Qwen/Qwen3-8B --gpu L40S" for kind in KINDS if kind[0] in "ifb"),
        f"inference --model {GATED} --gpu H100-80GB --count 4",
        "inference --model our/own --gpu H100-80GB",
        "fine-tune --model google/gemma-3-27b-it --gpu H200-141GB --count 8",
    ],
)
def test_what_it_prints_renders_and_has_no_finding(desk: Desk, asked: str) -> None:
    made = desk.run(f"init {asked}")
    assert (made.code, made.said) == (0, "")
    desk.write("spec.yaml", made.out)
    assert desk.run("render spec.yaml").code == 0
    linted = desk.run("lint spec.yaml --severity info")
    assert (linted.code, linted.out) == (0, "")


def test_what_is_known_of_the_model_is_filled_in(desk: Desk) -> None:
    text = desk.run("init inference --model Qwen/Qwen3-32B --gpu H100-80GB --count 4").out
    spec = yaml.safe_load(text)["spec"]
    assert spec["gpu"] == {"models": ["H100-80GB"], "count": 4}
    assert spec["model"] == {
        "id": "Qwen/Qwen3-32B",
        "size": "62Gi",
        "source": {"hub": {"cache": "hub-cache"}},
    }
    assert spec["context"] == 40960
    # Comments stay below one another.
    lines = [line for line in text.splitlines() if re.match("    (models|count): ", line)]
    assert [line.index("# ") for line in lines] == [31, 31]


def test_a_gated_model_has_a_token_and_the_context_that_finds_room(desk: Desk) -> None:
    made = desk.run(f"init inference --model {GATED} --gpu H100-80GB --count 2").out
    spec = yaml.safe_load(made)["spec"]
    assert spec["model"]["source"] == {"hub": {"cache": "hub-cache", "tokenSecret": "hf"}}
    assert spec["context"] == 32768
    assert "the GPUs do not fit all 131072" in made
    desk.write("chat.yaml", made)
    assert "Secret hf (token)" in desk.run("render chat.yaml").said


def test_a_model_of_which_nothing_is_known_is_said_so(desk: Desk) -> None:
    done = desk.run("init inference --model Qwen/Qwen3-32 --gpu H100-80GB")
    assert done.code == 0
    assert done.said == "note: Qwen/Qwen3-32 is not a known model; did you mean Qwen/Qwen3-32B?\n"
    assert "size" not in yaml.safe_load(done.out)["spec"]["model"]
    assert desk.run("init inference --model our/own --gpu L4").said == ""
    named = yaml.safe_load(gpuspec.starter("inference", "our: own # x"))
    assert named["spec"]["model"]["id"] == "our: own # x"


def test_gpus_of_amd_have_the_image_that_is_built_for_them(desk: Desk) -> None:
    made = desk.run("init inference --gpu MI300X").out
    assert "image: vllm/vllm-openai-rocm:v0.33.0 " in made
    desk.write("chat.yaml", made)
    assert "amd.com/gpu: " in desk.run("render chat.yaml").out
    # Whose groups may open the devices, each cluster's nodes say for themselves.
    assert re.findall(r"GPU[0-9]+", desk.run("lint chat.yaml").out) == ["GPU622", "GPU622"]


@pytest.mark.parametrize(
    ("asked", "said", "instead"),
    [
        ("inference --gpu H100", '"H100" can mean H100-80GB, H100-94GB', "name one of them"),
        ("inference --gpu H100-90GBX", "is not a known GPU model", "did you mean H100-"),
        (
            "inference --model Qwen/Qwen3-32B --gpu L4",
            "the weights do not fit",
            "use at least 4 GPUs",
        ),
        ("training --model Qwen/Qwen3-8B", "neither serves nor tunes a model", "--model is for"),
        ("cluster-profile --gpu L4 --gpu T4", "2 models in one pool", "copy the pool"),
        ("cluster-profile --gpu H100", "H100 can mean H100-80GB", "name one of them"),
        ("cluster-profile --gpu H1000", "is not a known GPU model", "did you mean"),
        ("inference --cuont 4", "has no option `--cuont`", "did you mean `--count`?"),
        ("inference --count 0", "--count: ", "see gpuspec init --help"),
        ("infrence --count 4", "no kind `infrence`", "did you mean `inference`?"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_printed(
    desk: Desk, asked: str, said: str, instead: str
) -> None:
    done = desk.run(f"init {asked}")
    assert (done.code, done.out) == (2, "")
    problem, hint = done.said.splitlines()
    assert said in problem and instead in hint


def test_a_profile_of_one_pool_is_used_as_it_is(desk: Desk) -> None:
    desk.write("eu.yaml", desk.run("init cluster-profile --gpu L4 --count 4").out)
    pool = yaml.safe_load((desk.folder / "eu.yaml").read_text())["spec"]["pools"][0]
    assert (pool["name"], pool["gpu"]) == ("l4", {"model": "L4", "count": 4})
    assert "allocatable" not in pool
    desk.write("chat.yaml", desk.run("init inference --gpu L4 --count 4").out)
    assert desk.run("render chat.yaml -c eu.yaml").code == 0
    assert desk.run("cluster check eu.yaml").code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_each_line_that_is_commented_out_is_a_field(kind: str) -> None:
    lines = gpuspec.starter(kind).splitlines()
    fields = [at for at, line in enumerate(lines) if re.match(r" +# [a-zA-Z]+: ", line)]
    assert fields or kind == "smoke-test"
    for at in fields:
        text = "\n".join([*lines[:at], lines[at].replace("# ", "", 1), *lines[at + 1 :]])
        parse_workload(read(text, kind)[0])
