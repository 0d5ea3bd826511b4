"""Write the page of workloads written as specs, from tests/rebuilt: `python docs/make_rebuilt.py`."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/rebuilt.md"
FOLDER = ROOT / "tests/rebuilt"
# The subjects of the missing statements, as the page names them.
KINDS = {
    "operator": "the object of an operator: StormService, LLMInferenceService, Knative Service …",
    "hostPath": "weights and caches in a folder of the node",
    "placement": "placement in a region, or on one node",
    "capability": "`IPC_LOCK`",
    "memory-limit": "a memory request below the limit, or without a limit",
    "privileged": "a privileged container, or the capabilities that sshd needs",
    "pull-policy": "pulling a pinned tag at each start",
    "model-label": "a GPU model by a label or a name that gpuspec does not know",
    "concurrency": "a limit on concurrent requests",
    "grace": "the grace period of finite work",
    "pod-annotations": "annotations of pods",
    "ports": "more ports of a server and its Service",
    "role-field": "requests and labels of a role or a launcher",
    "rollout": "settings of a rollout: surge, missing replicas, deadline",
    "no-gpu": "a part of a service without a GPU",
    "api-token": "a token for the API server",
    "dra": "a claim of devices (DRA)",
    "non-server": "a Deployment that is no server",
    "queue-name": "a queue whose name has dots",
    "queue-objects": "the names and quotas of individual queues",
    "service-name": "the name of a Service",
    "volume-kind": "a volume by a CSI driver",
}

HEAD = """# Workloads of others, written as specs

<!-- Made by docs/make_rebuilt.py from tests/rebuilt. Do not edit. -->

This page measures how much of public GPU workloads a spec can express. Twenty workloads were drawn by a fixed seed from
{files} public manifests, {workloads} of which hold one. The list was published before the manifests were read. An author
who had read only this documentation wrote each as a spec and a profile, without [overrides](overriding.md). The author
compared the rendered objects with the statements of the manifest: image, command, devices, volumes, ports, placement, and
so on. A statement holds if the rendered YAML has it, whatever the documentation says. Then the missing features were
built, and another author wrote all specs again. The second time measures what was built, not the next twenty workloads.

| | whole | statements that hold | by an override | not at all | rendered otherwise |
|---|---|---|---|---|---|
{sums}

All specs were rendered both times, and the linter found no error in any. The wording of the statements that held the first
time had not been kept. So they were checked the second time as some 400 facts of the manifests. Some facts do not hold the
second time, and it is unknown whether they were among those statements; no list has them. If all of them count as failures,
198 statements hold, and 6 workloads are whole.
"""


def text() -> str:
    """The page."""
    drawn = _read("drawn")
    first, second = (_read(name)["workloads"] for name in ("first", "second"))
    sums = [_sums("the first time", first), _sums("the second time", second)]
    lines = [
        HEAD.format(files=drawn["files"], workloads=drawn["workloads"], sums="\n".join(sums)),
        "## Missing statements",
        "",
        "| statements | workloads | subject |",
        "|---|---|---|",
    ]
    of: dict[str, list[str]] = defaultdict(list)
    for each in second:
        for one in each["missing"]:
            of[one["kind"]].append(each["name"])
    ordered = sorted(of, key=lambda kind: (-len(of[kind]), list(KINDS).index(kind)))
    lines += [f"| {len(of[kind])} | {len(set(of[kind]))} | {KINDS[kind]} |" for kind in ordered]
    lines += ["", "## Each workload", ""]
    lines += [
        "| workload | first time | second time | missing the second time |",
        "|---|---|---|---|",
    ]
    lines += [_row(*each) for each in zip(drawn["drawn"], first, second, strict=True)]
    return "\n".join(lines) + "\n"


def _sums(when: str, found: list[dict[str, Any]]) -> str:
    missing = [one for each in found for one in each["missing"]]
    statements = sum(each["statements"] for each in found)
    by = Counter(one["verdict"] for one in missing)
    whole = sum(not each["missing"] for each in found)
    return (
        f"| {when} | {whole} of {len(found)} | {statements - len(missing)} of {statements} "
        f"| {by['override']} | {by['cannot']} | {by['wrong']} |"
    )


def _row(one: dict[str, Any], before: dict[str, Any], found: dict[str, Any]) -> str:
    assert one["name"] == before["name"] == found["name"]
    words = {"override": "by an override", "cannot": "not at all", "wrong": "rendered otherwise"}
    said = [f"{each['statement']} ({words[each['verdict']]})" for each in found["missing"]]
    name = f"{one['kind']} `{one['name']}` of {one['repository']}"
    return f"| {name} | {_held(before)} | {_held(found)} | {'; '.join(said) or '–'} |"


def _held(found: dict[str, Any]) -> str:
    return f"{found['statements'] - len(found['missing'])} of {found['statements']}"


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
