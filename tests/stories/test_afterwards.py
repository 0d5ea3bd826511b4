"""Somebody who renders for the first time is told what to do next, on stderr."""

import yaml

from tests.stories.conftest import Desk

CHAT = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: chat, namespace: serving}
spec:
  runtime: vllm
  image: vllm/vllm-openai:v0.33.0
  model: {id: Qwen/Qwen3-32B, source: {hub: {tokenSecret: hf}}}
  gpu: {models: [H100-80GB], count: 2}
"""


def test_a_first_render_says_what_it_assumed_and_what_must_exist(desk: Desk) -> None:
    desk.write("chat.yaml", CHAT)
    done = desk.run("render chat.yaml")
    assert done.code == 0
    assert [one["kind"] for one in yaml.safe_load_all(done.out)][-1] == "Deployment"
    profile, assumed, exist, following = done.said.splitlines()
    assert profile.startswith("profile: generic, built in")
    assert " CPUs and " in assumed and "Gi of memory a pod (2 GPUs' share of the" in assumed
    assert "model.size is " in assumed and "read at 100Mi/s" in assumed
    assert exist == "must exist: Namespace serving; Secret hf (token)"
    assert following.endswith("gpuspec explain chat.yaml says why")
    # What it says of the next command is so.
    assert desk.run("explain chat.yaml").code == 0


def test_nothing_is_said_again_where_nothing_is_new(desk: Desk) -> None:
    desk.write("chat.yaml", CHAT)
    assert "must exist: " in desk.run("render chat.yaml -o out").said
    assert desk.run("render chat.yaml -o out").said == "out/: 4 unchanged\n"
    assert desk.run("render chat.yaml -o out --check").said == ""


def test_numbers_of_a_profile_are_no_assumptions(desk: Desk) -> None:
    desk.write("chat.yaml", CHAT)
    desk.write(
        "eu.yaml",
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\n"
        'spec:\n  kubernetes: "1.36"\n  bandwidth: {download: 500Mi}\n'
        "  pools:\n    - {name: h, gpu: {model: H100-80GB, count: 8}, allocatable: {cpu: 190, "
        "memory: 1900Gi, ephemeralStorage: 3000Gi}}\n",
    )
    said = desk.run("render chat.yaml -c eu.yaml").said
    assert "profile: eu (eu.yaml)\n" in said
    assert "CPUs" not in said and "200Mi" not in said
