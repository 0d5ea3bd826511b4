"""GPU417: what Volcano's webhooks refuse, beyond what its page shows."""

from typing import Any

import pytest
import yaml

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.sets import base


def said(*documents: Any) -> list[tuple[str, str]]:
    """Severities, and what is said before the colon."""
    text = yaml.safe_dump_all(documents, sort_keys=False)
    engine = Engine(lambda code: code == "GPU417", None)
    found = [one.finding() for one in engine.run(TextLoader([SourceFile("set.yaml", text)]))]
    return [(one.severity, one.message.partition(":")[0]) for one in found]


def job(**spec: Any) -> Any:
    found = base("volcano")
    found["spec"] |= spec
    return found


def tasks(*rows: tuple[str, list[str]]) -> list[dict[str, Any]]:
    template = base("volcano")["spec"]["tasks"][0]["template"]
    return [
        {"name": name, "replicas": 1, "template": template, "dependsOn": {"name": waits}}
        for name, waits in rows
    ]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"policies": [{"action": "RestartJob"}]}, "a policy has no event and no `exitCode`"),
        (
            {"policies": [{"event": "PodFailed", "exitCode": 3, "action": "RestartJob"}]},
            "a policy has both an event and an `exitCode`",
        ),
        ({"policies": [{"exitCode": 0, "action": "RestartJob"}]}, "`exitCode"),
        ({"policies": 2 * [{"exitCode": 3, "action": "RestartJob"}]}, "two policies are for `3`"),
        (
            {
                "policies": [
                    {"event": event, "action": "RestartJob"} for event in ("*", "PodFailed")
                ]
            },
            "a policy for `*` covers all events, and must be the only one",
        ),
        ({"queue": "root"}, "`root` is the parent of all queues and accepts no jobs"),
        ({"tasks": tasks(("a", []), ("a", []))}, "two tasks are named `a`"),
        ({"tasks": tasks(("a", ["b"]))}, "`a` waits for task `b`, which does not exist"),
    ],
)
def test_what_a_job_may_not_be(spec: dict[str, Any], message: str) -> None:
    assert said(job(**spec)) == [("error", message)]


@pytest.mark.parametrize(
    "spec",
    [
        {"policies": [{"event": "PodEvicted", "action": "RestartJob"}]},
        {"policies": [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}]},
        {"policies": [{"event": "TaskCompleted"}, {"exitCode": 3}]},
        {"plugins": {"svc": [], "ssh": [], "env": []}},
        {"plugins": {"pytorch": ["--master=worker"]}},
        {"tasks": tasks(("a", []), ("b", ["a"]), ("c", ["a", "b"]))},
    ],
)
def test_what_it_may_be(spec: dict[str, Any]) -> None:
    assert said(job(**spec)) == []


def test_tasks_do_not_wait_for_one_another_in_a_circle() -> None:
    found = said(job(tasks=tasks(("a", ["c"]), ("b", ["a"]), ("c", ["b"]))))
    assert len(found) == 3
    assert found[0] == ("error", "`a` waits for `c`, which waits for `a`")


def test_pytorch_runs_without_its_master() -> None:
    assert said(job(plugins={"pytorch": []})) == [
        ("warning", "plugin `pytorch` needs a task `master`, which does not exist")
    ]


def queue(name: str = "research", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": spec,
    }


def gpus(count: int) -> dict[str, int]:
    return {"nvidia.com/gpu": count}


def test_a_queue_is_guaranteed_no_more_than_it_deserves() -> None:
    guarantee = {"resource": gpus(8)}
    assert said(queue(guarantee=guarantee, deserved=gpus(8), capability=gpus(8))) == []
    (one,) = said(queue(guarantee=guarantee, deserved=gpus(4)))
    assert one[0] == "error"
    (one,) = said(queue(guarantee=guarantee, capability=gpus(8)))
    assert one == ("warning", "`guarantee` has 8 `nvidia.com/gpu`, but `deserved` has none")


def test_a_queue_may_have_no_more_than_those_above_it() -> None:
    top, middle = queue("top", capability=gpus(16)), queue("middle", parent="top")
    assert said(top, middle, queue(parent="middle", capability=gpus(16))) == []
    (one,) = said(top, middle, queue(parent="middle", capability=gpus(17)))
    assert one[1].startswith("`research` may have 17 `nvidia.com/gpu`, but its parent `top`")
    assert said(queue(parent="research")) == [("error", "a queue cannot be its own parent")]


def test_another_release_may_have_the_plugin() -> None:
    assert said(job(plugins={"pytorc": []})) == [("warning", "Volcano has no plugin `pytorc`")]


@pytest.mark.parametrize(
    ("argument", "found"),
    [
        ("--masters=worker", True),
        ("-wait-master-enable=true", True),
        ("--wait-master-timeout=60", False),
        ("--of-a-fork=1", False),
    ],
)
def test_options_of_plugins(argument: str, found: bool) -> None:
    faults = said(job(plugins={"pytorch": [argument, "--master=worker"]}))
    flag = argument.lstrip("-").partition("=")[0]
    message = f"plugin `pytorch` has no option `--{flag}`"
    assert (("warning", message) in faults) is found
