"""GPU773: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: API
metadata: {name: x, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      LINE
      env: [ENV]
      envFrom: [FROM]
"""
VLLM = "vllm/vllm-openai:v0.19.1"
PORT = "{name: PORT, value: '8000'}"


def said(
    line: str, env: str = PORT, image: str = VLLM, api: str = "v1\nkind: Pod", more: str = ""
) -> list[str]:
    text = POD.replace("API", api).replace("IMAGE", image).replace("LINE", line)
    text = text.replace("ENV", env).replace("FROM", more)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU773"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("args: [--port, $PORT]", "the program gets `$PORT` literally"),
        ("args: ['--port=${PORT}']", "the kubelet replaces only `$(PORT)`"),
        ("command: [python3, serve.py, --port, $PORT]", "no shell reads `command`"),
        ("args: [--model, $(MODEL)]", "no variable `MODEL`"),
        ("args: ['--download-dir=$(HF_HOME)']", "not the image's"),
    ],
)
def test_what_nobody_fills_in(line: str, part: str) -> None:
    (message,) = said(line)
    assert part in message


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("args: [--port, $(PORT)]", {}),
        ("args: [--port, $$(MODEL)]", {}),
        ("args: [--api-key, pa$word, --x, $OTHER]", {}),
        ("command: [sh, -c, 'vllm serve /m --port $PORT']", {}),
        ("command: [sh, -c, 'vllm serve $(nproc)']", {}),
        ("command: [/usr/bin/env, bash, -c, 'echo $PORT']", {}),
        # A script of the image may read its words in any way.
        ("args: [--port, $PORT]", {"image": "example.com/ours:1"}),
        ("args: [--model, $(MODEL)]", {"more": "{configMapRef: {name: more}}"}),
        ("args: [--url, $(CHAT_SERVICE_HOST), --rank, $(JOB_COMPLETION_INDEX)]", {}),
        # Its controller adds variables.
        ("args: [--model, $(MODEL)]", {"api": "leaderworkerset.x-k8s.io/v1\nkind: Foo"}),
        # These are filled in before anything is applied.
        ("args: [--port, '${PORT}']", {"env": "{name: PORT, value: '${PORT}'}"}),
    ],
)
def test_what_is_filled_in_or_may_be(line: str, given: dict[str, str]) -> None:
    assert said(line, **given) == []


BASE = "{name: BASE, value: /data}"


@pytest.mark.parametrize(
    ("env", "more", "parts"),
    [
        ("{name: HF_HOME, value: $(BASE)/hf}, " + BASE, "", ["is defined further down"]),
        (BASE + ", {name: HF_HOME, value: $(BASE)/hf}", "", []),
        ("{name: HF_HOME, value: $(BASE)/hf}, " + BASE, "{secretRef: {name: a}}", []),
        ("{name: HF_HOME, value: $(BASE)/hf}", "", ["has no variable `BASE`"]),
        (BASE + ", {name: HF_HOME, value: $BASE/hf}", "", ["no shell reads this value"]),
        ("{name: PATH, value: '/opt/bin:$PATH'}", "", ["nothing replaces `$PATH`"]),
        ("{name: PATH, value: '$(PATH):/opt/bin'}", "", ["nothing replaces `$PATH`"]),
        ("{name: PORT, value: '$PORT/x'}", "", []),
    ],
)
def test_values_name_what_stands_above_them(env: str, more: str, parts: list[str]) -> None:
    messages = said("args: [--model, /m]", env=env, more=more)
    assert len(messages) == len(parts)
    assert all(part in message for part, message in zip(parts, messages, strict=True))


def test_kustomize_may_fill_in_what_is_missing() -> None:
    made = POD.replace("API", "v1\nkind: Pod").replace("IMAGE", VLLM).replace("FROM", "")
    made = made.replace("LINE", "args: [--model, $(MODEL)]").replace("ENV", "")
    beside = (
        "---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n"
    )
    assert "GPU773" in {one.rule.code for one in raised(made)}
    assert "GPU773" not in {one.rule.code for one in raised(made + beside)}


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: x, namespace: ml}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: main, image: IMAGE, command: [bash, -c, LINE], env: [{name: PORT, value: "1"}]}
"""


@pytest.mark.parametrize(
    ("image", "line", "name"),
    [
        (VLLM, "vllm serve $MODEL --port $PORT", "MODEL"),
        (VLLM, "exec vllm serve /m --tensor-parallel-size ${TP}", "TP"),
        ("mine/train:1", "torchrun --node-rank=$NODE_RANK a.py", "NODE_RANK"),
        (VLLM, "vllm serve ${MODEL:-/m}", None),
        (VLLM, "MODEL=/m; vllm serve $MODEL", None),
        (VLLM, "for MODEL in /a /b; do vllm serve $MODEL; done", None),
        (VLLM, "source /vars && vllm serve $MODEL", None),
        (VLLM, "vllm serve /m --download-dir $HF_HOME --host $POD_SERVICE_HOST", None),
        # An image of one's own may set it.
        ("mine/server:1", "vllm serve $MODEL", None),
        ("mine/train:1", "echo $RANK", None),
    ],
)
def test_variables_of_a_script_that_nothing_sets(image: str, line: str, name: str | None) -> None:
    text = JOB.replace("IMAGE", image).replace("LINE", f"'{line}'")
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU773"]
    assert [f"nothing sets `${name}`" in message for message in found] == [True] * bool(name)


def test_a_name_that_is_no_word_is_only_a_name() -> None:
    pod = """apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: main
      image: a/b:1
      command: [sh, -c, 'echo $(A[B) $(A(B)']
      env: [{name: "A[B", value: "x y"}, {name: A(B, value: "$(A(B)"}]
"""
    assert raised(pod)
