"""InferenceService (KServe 0.20) in its Standard mode: servers that go on. Sources: its CRD, its webhooks
and its controller.

The predictor is a container of the workload's own. Of a model and a runtime KServe would compose the
pod itself, with other probes, another drain and a security context that depends on the cluster.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan.case import Case, Refused
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.plan.provenance import PREFIX
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.target import Carried, Needs, Target
from gpuspec.spec import InferenceSpec
from gpuspec.spec.layout import LONGEST
from gpuspec.targets._deployments import strategy

KSERVE = "serving.kserve.io/"
CONTAINER = "kserve-container"


class KServePlan(msgspec.Struct, frozen=True):
    """An InferenceService; what its webhook would fill in is written out."""

    annotations: NodeMap
    least: Node
    most: Node
    strategy: Node
    pod: PodPlan


def _fields(of: Carried) -> Mapping[str, Part]:
    spec = of.case.spec
    assert isinstance(spec, InferenceSpec)
    (server,) = of.roles.values()
    plan = KServePlan(
        annotations={**_kept(of.meta.carrier_annotations), **_told(of.replicas)},
        # Without an autoscaler the fewest are how many there are.
        least=of.replicas or _bound(least_replicas(spec), "min", "the fewest replicas"),
        most=of.replicas or _bound(most_replicas(spec), "max", "the most replicas"),
        strategy=strategy(of.case, spec),
        pod=_pod(server.pod),
    )
    return {"kserve": plan}


def _kept(annotations: NodeMap) -> NodeMap:
    """The spec's annotations, and reasons that it gives. KServe copies all into the pods: what tells where
    objects came from would restart servers that have not changed."""
    return {
        key: value
        for key, value in annotations.items()
        if key.startswith(WAIVER_PREFIX) or not key.startswith(PREFIX)
    }


def _told(replicas: Node) -> dict[str, Leaf]:
    """How it is deployed, and who scales it. Unless told, KServe scales by CPU, which says nothing."""
    scaled, why = (
        ("external", "the autoscaler beside it scales by the server's own metric")
        if replicas is None
        else ("none", "no autoscaler by CPU, which says nothing of a GPU")
    )
    return {
        f"{KSERVE}autoscalerClass": derived("kserve", scaled, why),
        f"{KSERVE}deploymentMode": derived(
            "kserve", "Standard", "a Deployment, which every field of the pod reaches"
        ),
    }


def _bound(number: int, end: str, why: str) -> Leaf:
    return from_spec(("spec", "replicas", end), number, why)


def _pod(pod: PodPlan) -> PodPlan:
    """The server's pod, with the name that KServe looks for, and all that its webhook would fill in."""
    main, *others = pod.containers
    name = derived("kserve", CONTAINER, "KServe looks for a container of this name")
    return replace(
        pod, containers=(replace(main, name=name, resources=_resources(main.resources)), *others)
    )


def _resources(resources: NodeMap) -> NodeMap:
    """Those of the server, and a limit of CPUs."""
    requests, limits = (resources[each] for each in ("requests", "limits"))
    assert isinstance(requests, Mapping)
    assert isinstance(limits, Mapping)
    cpu = requests["cpu"]
    assert isinstance(cpu, Leaf)
    if "cpu" not in limits:
        why = "as many as it asks for: where there is none, KServe writes 1"
        limits = {"cpu": derived("kserve", cpu.value, why), **limits}
    return {"requests": requests, "limits": limits}


def _refused(case: Case) -> list[Refused]:
    """Names that KServe does not take, and what it does not pass on."""
    spec, workload = case.spec, case.workload
    assert isinstance(spec, InferenceSpec)
    found: list[Refused] = []
    label = f"isvc.{case.name}-predictor"
    if (over := len(label) - LONGEST) > 0:
        text = f"a label of its pods has {len(label)} characters, {over} too many"
        hint = f"it is isvc.<name>-predictor, {LONGEST} characters at most"
        found.append(Refused(text, workload.place(("metadata", "name")), hint))
    if spec.rollout.deadline is not None:
        text = "KServe gives its Deployment no deadline for a rollout"
        place = workload.place(("spec", "rollout", "deadline"))
        found.append(Refused(text, place, "delete `rollout.deadline`"))
    return found


def _notes(case: Case) -> list[Note]:
    text = (
        f"clients may also ask the Service {case.name}-predictor, port 80, which KServe makes, or its "
        "address outside"
    )
    return [Note(text, Origin("spec", ("spec", "target")))]


TARGET = Target(
    name="kserve",
    api="serving.kserve.io/v1beta1",
    kind="InferenceService",
    intents=("service",),
    roles=("server",),
    fields=_fields,
    # The mode was called RawDeployment before.
    needs=Needs("kserve", since="0.16", checked="0.20"),
    scaled=lambda name: ("apps/v1", "Deployment", f"{name}-predictor"),
    copied=True,
    revision="pod-template-hash",
    refused=_refused,
    notes=_notes,
)
