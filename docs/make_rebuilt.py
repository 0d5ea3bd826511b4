"""Write the page of workloads written as specs, from tests/rebuilt: `python docs/make_rebuilt.py`."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/rebuilt.md"
FOLDER = ROOT / "tests/rebuilt"
# What the missing statements are about, in the words of the page.
KINDS = {
    "operator": "the object of an operator: StormService, LLMInferenceService, Knative Service …",
    "hostPath": "weights and caches in a folder of the node",
    "placement": "a region, or one node",
    "capability": "`IPC_LOCK`",
    "memory-limit": "memory requested below its limit, or without one",
    "privileged": "privileged, or the capabilities that sshd needs",
    "pull-policy": "pulling a pinned tag anew at each start",
    "model-label": "a model of GPU by a label or a name that we do not know",
    "concurrency": "a limit of requests at a time",
    "grace": "the grace period of finite work",
    "pod-annotations": "annotations of pods",
    "ports": "further ports of a server, and of its Service",
    "role-field": "what a role or a launcher asks for, and its labels",
    "rollout": "how a rollout goes: surge, what may be missing, its deadline",
    "no-gpu": "a part of a service that has no GPU",
    "api-token": "a token for the API server",
    "dra": "a claim of devices (DRA)",
    "non-server": "a Deployment that is no server",
    "queue-name": "a queue whose name has dots",
    "queue-objects": "the names and quotas of queues, one after the other",
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

All were rendered both times, and the linter found no error in any. The second time, the statements that had held were
checked as some 400 facts of the manifests, since their wording had not been kept. Facts that do not hold the second time,
and that may or may not have been among those statements, are on no list. If all of them count as failures, 198 statements hold,
and 6 workloads are whole.
"""


def text() -> str:
    """The page."""
    drawn = _read("drawn")
    first, second = (_read(name)["workloads"] for name in ("first", "second"))
    sums = [_sums("the first time", first), _sums("the second time", second)]
    lines = [
        HEAD.format(files=drawn["files"], workloads=drawn["workloads"], sums="\n".join(sums)),
        "## What is still missing",
        "",
        "| statements | workloads | what they are about |",
        "|---|---|---|",
    ]
    of: dict[str, list[str]] = defaultdict(list)
    for each in second:
        for one in each["missing"]:
            of[one["kind"]].append(each["name"])
    ordered = sorted(of, key=lambda kind: (-len(of[kind]), list(KINDS).index(kind)))
    lines += [f"| {len(of[kind])} | {len(set(of[kind]))} | {KINDS[kind]} |" for kind in ordered]
    lines += ["", "## Each workload", ""]
    lines += ["| workload | held | holds | what does not |", "|---|---|---|---|"]
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
