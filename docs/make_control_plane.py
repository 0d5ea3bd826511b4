"""Write what a real control plane said: `python docs/make_control_plane.py`.

`control-plane.md` is made from the table of refusals in `tests/control_plane` and from what
`make control-plane-test` wrote for each minor of Kubernetes. Where a minor's results are missing, or
a test failed, it says so and writes nothing.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import gpuspec
from tests.control_plane import binaries
from tests.control_plane.refusals import TABLE, Accepted, Refused

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "control-plane.md"
MINORS = (binaries.NEWEST, binaries.OLDEST)
Results = dict[str, Any]

HEAD = f"""# Judged by a real control plane

<!-- Made by docs/make_control_plane.py from what `make control-plane-test` found. Do not edit. -->

This page compares what gpuspec prints, and what its linter reports, with a real control plane. `make control-plane-test`
builds etcd, the API server, the scheduler, the controllers, Kueue, JobSet and LeaderWorkerSet from their Go modules, in
the versions that `tests/control_plane/*/go.mod` pin. It starts them on loopback and applies the objects there. `make
control-plane-test MINOR={binaries.OLDEST}` uses the oldest Kubernetes that upstream supports. The programs are built once, into
the cache folder of `make tools`. `make control-plane` leaves a control plane running for your own tests.

These parts are real: decoding with strict field validation, defaults, validation, admission with Pod Security and quotas,
the kinds of other projects with their CEL expressions, the scheduler, the controllers of Jobs, CronJobs, Deployments and
similar kinds, and [operators](#operators) with their webhooks. Nodes are Node objects that the tests create from a cluster
profile, with the resources, labels and taints of its pools. The tests play the kubelet: they set when a pod runs, is ready,
or ends.

The tests prove:

- The API server accepts the output of `render` and `cluster render` unchanged, without an error or a warning, in namespaces
  that enforce `restricted`, and drops no field.
- The API server rejects what the linter reports as an error, or it accepts it, and the rule's page states what happens then.
- The queue suspends, admits, places and preempts Jobs as planned. The controllers retry, index and end them as their spec
  says. The same holds for the objects of other [targets](targets.md): their pods are those of a Job or a Deployment, except
  for the differences that the tests list.
- The scheduler allocates GPUs for [claims](claims.md), and queue and quota count them, with ResourceSlices as NVIDIA's
  driver writes them.
- The server reads YAML as gpuspec does.

The tests do not prove that a container starts, that a GPU is allocated to it, or that a probe is answered: there is no kubelet
and no device. The tests also set the metrics that autoscalers read. Webhooks and controllers of some projects do not run
(Volcano; the webhook of KEDA), and neither do those of clouds; errors that only they would report are marked *refused
elsewhere*. RBAC allows everything, except in the tests of the [picker](traffic.md#a-picker), which has only the permissions
of its Role.

## Operators

| operator | version | judges |
|---|---|---|
| Kueue | {binaries.version("kueue")} | whatever names a queue, of each target |
| JobSet | {binaries.version("jobset")} | target [`jobset`](targets.md#jobset) |
| LeaderWorkerSet | {binaries.version("lws")} | target [`lws`](targets.md#lws) |
| Kubeflow Trainer | {binaries.version("trainer")} | target [`trainjob`](targets.md#trainjob) |
| Kubeflow mpi-operator | {binaries.version("mpi-operator")} | target [`mpijob`](targets.md#mpijob) |
| Kubeflow training-operator | {binaries.version("training-operator")} | targets [`pytorchjob`](targets.md#pytorchjob) and [`tfjob`](targets.md#tfjob) |
| KubeRay | {binaries.version("kuberay")} | targets [`rayjob`, `rayservice` and `raycluster`](ray.md) |
| KServe | {binaries.version("kserve")} | targets [`kserve`](kserve.md#kserve), [`kserve-knative`](kserve.md#kserve-knative) and [`llminferenceservice`](llminferenceservice.md) |
| Knative Serving | {binaries.version("knative")} | targets [`knative`](kserve.md#knative) and [`kserve-knative`](kserve.md#kserve-knative): its webhook, and the Deployment that it makes of a revision; no controller runs |
| KEDA | {binaries.version("keda")} | [ScaledObjects](scaling.md), and what its adapter answers the HPAs that it makes |
| the endpoint picker | {binaries.version("epp")} | the [picker](traffic.md#a-picker) of a server, which itself runs |

LeaderWorkerSet 0.10.0 cannot be had as a Go module, so 0.9.0 is the judge.
"""


def results() -> dict[str, Results]:
    """What passed, by minor. Exits where a minor is missing or a test failed."""
    found = {}
    for minor in MINORS:
        file = ROOT / "build" / f"control-plane-{minor}.json"
        if not file.exists():
            sys.exit(f"{file} is missing; to make it: make control-plane-test MINOR={minor}")
        found[minor] = json.loads(file.read_text())
        outcomes = {test: told.get("outcome") for test, told in found[minor]["tests"].items()}
        if wrong := [test for test, said in outcomes.items() if said not in ("passed", "skipped")]:
            sys.exit(f"{minor}: not passed: {', '.join(wrong)}")
        found[minor]["skipped"] = list(outcomes.values()).count("skipped")
        for test in [test for test, said in outcomes.items() if said == "skipped"]:
            del found[minor]["tests"][test]
    return found


def text(found: dict[str, Results]) -> str:
    """The whole page."""
    lines = [HEAD, "## What was judged", "", *_counts(found), ""]
    lines += ["## Who refuses what the linter calls an error", "", REFUSALS, *refusals(), ""]
    lines += ["## Stories", "", "All of them on each version.", ""]
    for family, title in STORIES.items():
        lines += [f"### {title}", "", *_stories(found[MINORS[0]], family), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _counts(found: dict[str, Results]) -> Iterator[str]:
    every = [found[minor] for minor in MINORS]
    versions = [each["versions"] for each in every]
    yield f"| what | {' | '.join(v['kube-apiserver'] for v in versions)} |"
    yield f"|---|{'---|' * len(every)}"
    for title, count in COUNTS.items():
        yield f"| {title} | {' | '.join(str(count(each['tests'])) for each in every)} |"
    if any(each["skipped"] for each in every):
        yield f"| skipped | {' | '.join(str(each['skipped']) for each in every)} |"


def _sum(name: str) -> Any:
    return lambda tests: sum(told.get(name, 0) for told in tests.values())


def _run(pattern: str) -> Any:
    return lambda tests: sum(re.search(pattern, test) is not None for test in tests)


def _wrong(kind: type[Refused] | type[Accepted]) -> Any:
    """How many *wrong* manifests were refused, or accepted."""

    def count(tests: dict[str, Any]) -> int:
        ids = re.findall(r"test_wrong_\w+\[(GPU\d+)-(\d+)\]", "\n".join(tests))
        told = ((TABLE[code], int(number)) for code, number in ids)
        return sum(isinstance(all_[number % len(all_)], kind) for all_, number in told)

    return count


COUNTS = {
    "objects admitted, of examples × profiles and of the platform": _sum("objects"),
    "pods of theirs, each asked about by itself": _sum("pods"),
    "*wrong* manifests of rules refused": _wrong(Refused),
    "*wrong* manifests accepted, with the reason on the rule's page": _wrong(Accepted),
    "*right* manifests accepted": _run(r"test_right_is_accepted"),
    "templates of Jobs, Deployments and their like, and limits, compared with the linter": _run(
        r"/test_templates\.py"
    ),
    "stories of queues": _run(r"/test_queue_\w+\.py"),
    "stories of Jobs, targets and rollouts": _run(r"/test_life_\w+\.py"),
    "comparisons of YAML": _run(r"/test_yaml\.py"),
}
STORIES = {"queue": "Queues", "life": "Jobs, targets and rollouts"}

REFUSALS = """The manifests are the *wrong* ones of each rule's page, in their order. *API server*: it refuses the object.
*Pod Security*: it refuses the pod. *Kueue* and other operators: their webhooks refuse it. *controller*: accepted,
but the controller's pods are refused. What the API server accepts *pends* without a node, *waits* forever, *fails*
when it runs, or is *refused elsewhere*, in the words of the rule's page.

| rule | what is wrong | who refuses it, or what happens |
|---|---|---|"""


def refusals() -> Iterator[str]:
    """A line for each rule of severity error."""
    titles = {rule.code: rule.title for rule in gpuspec.rules()}
    for code, told in TABLE.items():
        cells = dict.fromkeys(map(_outcome, told))
        link = f"[{code}](rules.md#{code.lower()})"
        yield f"| {link} | {titles[code]} | {'<br>'.join(cells)} |"


def _outcome(one: Refused | Accepted) -> str:
    if isinstance(one, Accepted):
        return f"*{one.then}*: {one.why}"
    return f"{one.by}" + (f" ({one.level})" if one.level != "privileged" else "")


def _stories(found: Results, family: str) -> Iterator[str]:
    """Each story once: its name, and what its test says that it shows."""
    shown = {}
    for test, told in found["tests"].items():
        if match := re.search(rf"/test_{family}_\w+\.py::(?:\w+::)?test_(\w+)", test):
            shown[match[1]] = _first(told["shows"])
    for name, said in shown.items():
        title = re.sub(r"\bgpu", "GPU", name.replace("_", " "))
        yield f"- **{title[0].upper()}{title[1:]}.** {said[:1].upper()}{said[1:]}".rstrip()


def _first(said: str) -> str:
    """The first paragraph of a docstring, without the rows and rules that it names first."""
    paragraph = " ".join(said.strip().split("\n\n")[0].split())
    return re.sub(r"^(?:(?:C-\d\d|GPU\d{3})(?:, | and )?)+: ", "", paragraph)


if __name__ == "__main__":
    PAGE.write_text(text(results()))
