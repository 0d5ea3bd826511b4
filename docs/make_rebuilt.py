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
    "operator": "the object of an operator: MPIJob, InferenceService, StormService …",
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
    "role-field": "a role's working directory and labels",
    "rollout": "how a rollout goes: surge, what may be missing, its deadline",
    "no-gpu": "a part of a service that has no GPU",
    "api-token": "a token for the API server",
    "dra": "a claim of devices (DRA)",
    "non-server": "a Deployment that is no server",
    "queue-name": "a queue whose name has dots",
    "queue-objects": "the names and quotas of queues, each by itself",
    "service-name": "the name of a Service",
    "volume-kind": "a volume by a CSI driver",
}

HEAD = """# Workloads of others, written as specs

<!-- Made by docs/make_rebuilt.py from tests/rebuilt. Do not edit. -->

Can people say what they run? Twenty GPU workloads were drawn from {files} public manifests, {workloads} of which hold
one, by a fixed seed, and the list was published before anybody looked at it. Somebody who had read this documentation
and nothing else wrote each as a spec and a profile, without [overrides](overriding.md), and held what is rendered
against what the manifest states: image, command, devices, volumes, ports, placement, and so on. A statement holds where
the rendered YAML has it, whatever the documentation says.

**Whole: {whole} of {all}. Statements that hold: {holds} of {statements}.** {override} more hold by an override, {cannot} cannot be said at all, and
{wrong} was said and rendered otherwise. All {all} rendered, and the linter found no error in any. That was in November
2026; what has been added since, for this list among others, is not counted.
"""


def text() -> str:
    """The page."""
    drawn, found = _read("drawn"), _read("verdicts")["workloads"]
    missing = [one for each in found for one in each["missing"]]
    statements = sum(each["statements"] for each in found)
    by = Counter(one["verdict"] for one in missing)
    lines = [
        HEAD.format(
            files=drawn["files"],
            workloads=drawn["workloads"],
            all=len(found),
            whole=sum(not each["missing"] for each in found),
            holds=statements - len(missing),
            statements=statements,
            **by,
        ),
        "## What is missing",
        "",
        "| statements | workloads | what they are about |",
        "|---|---|---|",
    ]
    of: dict[str, list[str]] = defaultdict(list)
    for each in found:
        for one in each["missing"]:
            of[one["kind"]].append(each["name"])
    ordered = sorted(of, key=lambda kind: (-len(of[kind]), list(KINDS).index(kind)))
    lines += [f"| {len(of[kind])} | {len(set(of[kind]))} | {KINDS[kind]} |" for kind in ordered]
    lines += ["", "## Each workload", "", "| workload | holds | what does not |", "|---|---|---|"]
    lines += [_row(*pair) for pair in zip(drawn["drawn"], found, strict=True)]
    return "\n".join(lines) + "\n"


def _row(one: dict[str, Any], found: dict[str, Any]) -> str:
    assert one["name"] == found["name"]
    words = {"override": "by an override", "cannot": "not at all", "wrong": "rendered otherwise"}
    said = [f"{each['statement']} ({words[each['verdict']]})" for each in found["missing"]]
    held = f"{found['statements'] - len(said)} of {found['statements']}"
    return f"| {one['kind']} `{one['name']}` of {one['repository']} | {held} | {'; '.join(said) or '–'} |"


def _read(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
