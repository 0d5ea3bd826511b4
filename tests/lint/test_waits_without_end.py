"""GPU753: which loops wait without an end, beyond what its page shows."""

from pathlib import Path

import pytest
import yaml

from tests.lint.pages import raised

MPI = (Path(__file__).parent / "bases/mpijob.yaml").read_text()


def said(script: str, **policy: object) -> list[str]:
    value = yaml.safe_load(MPI)
    value["spec"]["runPolicy"].update(policy)
    launcher = value["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]
    launcher["command"], launcher["args"] = ["bash", "-c"], [f"{script}\nmpirun -np 16 train"]
    found = raised(yaml.safe_dump(value))
    return [one.found.message for one in found if one.rule.code == "GPU753"]


def test_it_names_the_loop_and_what_is_held() -> None:
    (message,) = said('until ssh -o ConnectTimeout=3 "$host" true; do\n  sleep 3\ndone')
    assert message == (
        "`until ssh -o ConnectTimeout=3 …` waits indefinitely, and nothing ends the run: if one "
        "rank never starts, the other ranks hold their part of 16 GPUs"
    )


def test_a_negated_while_is_one_too() -> None:
    assert len(said("while ! nc -z $HEAD 6379; do sleep 1; done")) == 1


@pytest.mark.parametrize(
    "script",
    [
        "for i in $(seq 60); do ssh worker-0 true && break; sleep 3; done",
        "n=0; until ssh worker-0 true || [ $n -ge 60 ]; do n=$((n+1)); sleep 3; done",
        "until ssh worker-0 true; do sleep 3; [ $SECONDS -gt 600 ] && exit 1; done",
        "timeout 600 bash -c 'until ssh worker-0 true; do sleep 3; done'",
        "while true; do sleep 30; done &",
    ],
)
def test_what_gives_up_is_silent(script: str) -> None:
    assert said(script) == []


def test_a_deadline_at_any_level_is_enough() -> None:
    assert said("until ssh worker-0 true; do sleep 3; done", activeDeadlineSeconds=3600) == []
