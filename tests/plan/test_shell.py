"""A server that a shell's script starts: what it says itself, and what of ours reaches it."""

import subprocess

import pytest

from tests.plan.conftest import Make, Values

SAYS = "vllm serve /models/m --served-model-name org/model --max-model-len 8192"
HANDS_ON = 'exec vllm serve "$@"'


def heard(args: list[str], command: list[str]) -> list[str]:
    """What the script's `vllm` is given: a real shell runs it, and a function stands for the program."""
    words = [*command, *args]
    at = next(i for i, word in enumerate(words) if " " in word)
    script = words[at].replace("exec ", "")
    print_all = 'vllm() { for w in "$@"; do echo "$w"; done; }\n'
    line = ["sh", "-c", print_all + script, *words[at + 1 :]]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    "line",
    [
        {"command": ["sh", "-c", SAYS]},
        {"command": ["/bin/bash", "-lc"], "args": [SAYS]},
        {"command": ["bash", "-euo", "pipefail", "-c", SAYS]},
        {"command": ["sh", "-c", f"ulimit -n 65536 && {SAYS} 2>&1 | tee /tmp/log"]},
        {
            "command": [
                "sh",
                "-c",
                "set -e\nvllm serve /models/m \\\n  --served-model-name org/model",
            ]
        },
    ],
)
def test_a_script_that_says_all_is_handed_nothing(make: Make, line: Values) -> None:
    made = make("Inference", **line)
    assert made.main["command"] == line["command"]
    assert made.main.get("args", []) == line.get("args", [])
    assert "passes no arguments on" not in made.loud()


def test_what_it_does_not_say_is_said_at_its_line(make: Make) -> None:
    script = "vllm serve /models/m --max-model-len 8192"
    made = make("Inference", command=["sh", "-c", script], context=4096)
    assert "args" not in made.main
    (note,) = [note for note in made.rendering.notes if "passes no arguments on" in note.text]
    assert note.loud
    assert note.origin.path == ("spec", "command", 2)
    assert "vLLM does not get `--served-model-name org/model`:" in note.text
    assert '`"$@"`' in note.text


def test_a_server_that_is_not_told_how_to_end_is_told_to_stop_last(make: Make) -> None:
    """C-28: vLLM aborts at once unless an argument says otherwise, and that one never reaches it."""

    def waits(script: str) -> int:
        made = make("Inference", command=["sh", "-c", script])
        return int(made.main["lifecycle"]["preStop"]["sleep"]["seconds"])

    assert waits(SAYS) == 15 + 120
    assert waits(f"{SAYS} --shutdown-timeout 120") == 15
    assert waits(HANDS_ON) == 15


@pytest.mark.parametrize(
    "line",
    [
        {"command": ["sh", "-c", HANDS_ON]},
        {"command": ["sh", "-c", HANDS_ON, "--"]},
        {"command": ["sh", "-c"], "args": [HANDS_ON]},
        {"command": ["sh", "-c"], "args": [HANDS_ON, "vllm"]},
        {"command": ["sh", "-c", HANDS_ON], "args": ["--"]},
        {"command": ["sh", "-c", 'exec vllm serve "$0" "$@"']},
    ],
    ids=["no $0", "$0", "in args", "in args with $0", "$0 in args", "reads $0"],
)
def test_what_a_script_hands_on_arrives_whole(make: Make, line: Values) -> None:
    """The first word behind a script is `$0`, and would be lost."""
    made = make("Inference", **line)
    words = heard(made.main["args"], made.main["command"])
    assert words[:2] == ["serve", "/models"]
    assert words[2:4] == ["--served-model-name", "org/model"]
    assert "passes no arguments on" not in made.loud()


def test_arguments_of_the_specs_own_stand_behind_ours(make: Make) -> None:
    own = ["--max-num-seqs", "64"]
    made = make("Inference", command=["sh", "-c", HANDS_ON], args=own)
    assert heard(made.main["args"], made.main["command"])[-2:] == own


def test_a_port_in_a_script_is_held_against_the_probes(make: Make) -> None:
    command = {"command": ["sh", "-c", f"{SAYS} --port 9000"]}
    args = {"command": ["sh", "-c"], "args": [f"{SAYS} --port 9000"]}
    assert "`--port 9000` in command, but probes" in make("Inference", **command).loud()
    assert "`--port 9000` in args, but probes" in make("Inference", **args).loud()


def test_a_model_that_a_variable_names_is_not_guessed(make: Make) -> None:
    script = 'vllm serve "${ROOT}/m" --served-model-name org/model'
    assert "has vLLM serve" not in make("Inference", command=["sh", "-c", script]).loud()


def test_a_program_of_its_own_in_a_script_is_told_that_nothing_reaches_it(make: Make) -> None:
    made = make("Inference", command=["sh", "-c", "./start.sh"])
    assert "does not get `/models --served-model-name org/model`" in made.loud()


def test_a_server_of_which_nothing_is_known_is_told_nothing(make: Make) -> None:
    fields = {"expose": {"port": 80, "containerPort": 8080}, "probes": {"readiness": {"path": "/"}}}
    made = make(
        "Inference", runtime="custom", image="own:1", command=["sh", "-c", "./start.sh"], **fields
    )
    assert "passes no arguments on" not in made.loud()
