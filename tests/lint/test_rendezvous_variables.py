"""GPU969 and GPU773: variables of torch.distributed that are set by hand."""

import pytest

from tests.lint.pages import raised

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 4
  template:
    spec:
      subdomain: a
      restartPolicy: Never
      containers:
        - name: main
          image: a/b:1
          command: COMMAND
          env: [ENV]
          resources: {limits: {nvidia.com/gpu: 2}}
"""
INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
RIGHT = {
    "MASTER_ADDR": "value: a-0.a",
    "MASTER_PORT": "value: '29500'",
    "WORLD_SIZE": "value: '4'",
    "RANK": f'valueFrom: {{fieldRef: {{fieldPath: "{INDEX}"}}}}',
}


def said(
    variables: dict[str, str], command: str = "[python, train.py]", code: str = "GPU969"
) -> list[str]:
    env = ", ".join(f"{{name: {name}, {value}}}" for name, value in variables.items() if value)
    text = JOB.replace("ENV", env).replace("COMMAND", command)
    return [one.finding().message for one in raised(text) if one.rule.code == code]


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("WORLD_SIZE", "value: '8'", ""),
        ("WORLD_SIZE", "value: $(SIZE)", ""),
        (
            "WORLD_SIZE",
            "value: '2'",
            "`WORLD_SIZE` is 2, but 4 pods with 2 GPUs each make from 4 to 8",
        ),
        ("WORLD_SIZE", "value: '16'", "`WORLD_SIZE` is 16"),
        ("WORLD_SIZE", "", "`RANK` is set without `WORLD_SIZE`"),
        ("MASTER_PORT", "", "`RANK` is set without `MASTER_PORT`"),
        ("MASTER_PORT", "value: a", "`MASTER_PORT` must be a number"),
        ("MASTER_ADDR", "value: localhost", "means each pod itself"),
        ("RANK", "", ""),
        ("RANK", "value: '1'", "all 4 pods have `RANK` 1"),
        (
            "RANK",
            "valueFrom: {fieldRef: {fieldPath: metadata.name}}",
            "`RANK` must be a number, but `metadata.name` is none",
        ),
    ],
)
def test_variables_of_the_ranks(name: str, value: str, part: str) -> None:
    assert not said(RIGHT)
    found = said({**RIGHT, name: value})
    assert len(found) == bool(part)
    assert all(part in message for message in found)


@pytest.mark.parametrize(
    "command",
    ["[torchrun, train.py]", "[bash, -c, 'export RANK=3; python train.py']", "[./train]"],
)
def test_what_may_set_them_itself(command: str) -> None:
    assert not said({**RIGHT, "RANK": "value: '1'"}, command)


def test_the_index_is_defined_last() -> None:
    variables = {**RIGHT, "RANK": "value: $(JOB_COMPLETION_INDEX)"}
    (message,) = said(variables, code="GPU773")
    assert "adds `JOB_COMPLETION_INDEX` below `RANK`" in message
    field = f'valueFrom: {{fieldRef: {{fieldPath: "{INDEX}"}}}}'
    assert not said({"JOB_COMPLETION_INDEX": field, **variables}, code="GPU773")
    assert not said(RIGHT, "[python, train.py, --rank=$(JOB_COMPLETION_INDEX)]", code="GPU773")
