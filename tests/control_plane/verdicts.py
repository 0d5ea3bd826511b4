"""What the API server says of a manifest, object by object and pod by pod.

Everything is created on a dry run, which passes all of decoding, admission and validation, so that
manifests do not get into each other's way. What admission looks up is created indeed, and goes
again: quotas, and the service accounts and classes that pods name.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from tests.control_plane import crds
from tests.control_plane.client import Client, Object, Ref, Refused, until
from tests.control_plane.namespaces import restricted
from tests.control_plane.operators import OPERATORS, Title
from tests.control_plane.sending import Sent, documents, pods

By = Literal["API server", "Pod Security", "Kueue", Title, "controller"]
"""Who refuses: the API server, when the object is made; Pod Security; an operator's webhook; or whoever
makes the pods, who is told so by the API server when the object has long been accepted."""
Level = Literal["privileged", "baseline", "restricted"]

# Where an object goes that names no namespace.
SPACE = "research"
MODES = ("audit", "enforce", "warn")
CLASSES: dict[str, tuple[str, str, Object]] = {
    "priorityClassName": ("scheduling.k8s.io/v1", "PriorityClass", {"value": 1000}),
    "runtimeClassName": ("node.k8s.io/v1", "RuntimeClass", {"handler": "nvidia"}),
}
LOOKED_UP = ("LimitRange", "PriorityClass", "ResourceQuota", "RuntimeClass", "ServiceAccount")


class Verdict(NamedTuple):
    """A refusal, of an object as it was written or of a pod as its controller would make it."""

    of: str
    is_pod: bool
    """Whether it is a pod template of the object, asked about as a Pod."""
    message: str

    def __str__(self) -> str:
        return f"{'a pod of ' if self.is_pod else ''}{self.of}: {self.message}"


def judge(client: Client, text: str, level: Level = "privileged") -> list[Verdict]:
    """What the server refuses of a manifest, in namespaces that enforce a level of Pod Security.

    Nothing, of a manifest that it takes. A Namespace in the manifest has the last word on its level.
    """
    sent = [prepared(each) for each in documents(text)]
    objects = [each.object for each in sent]
    crds.supply(client, objects)
    _namespaces(client, objects, level)
    made = list(_looked_up(client, objects))
    try:
        return [said for each in sent for said in _judged(client, each)]
    finally:
        for ref in made:
            client.delete(ref)
        for ref in made:
            until(partial(_gone, client, ref), f"{ref.kind} {ref.name} is gone")


def refused_by(verdicts: Iterable[Verdict]) -> By | None:
    """Who refuses first; None if nobody does."""
    said = [each.message for each in verdicts if not each.is_pod]
    pods_said = [each.message for each in verdicts if each.is_pod]
    if any("violates PodSecurity" in message for message in said or pods_said):
        return "Pod Security"
    for message in said:
        if denied := re.search(r'admission webhook "(?:(\w+)\.)?\w+\.kb\.io" denied', message):
            return OPERATORS[denied[1]].title if denied[1] else "Kueue"
    if said:
        return "API server"
    return "controller" if pods_said else None


def prepared(sent: Sent) -> Sent:
    """A document as Kueue sees it in a cluster: LeaderWorkerSet's webhook fills its strategy in."""
    value = sent.object
    if value["kind"] != "LeaderWorkerSet" or "rolloutStrategy" in value["spec"]:
        return sent
    spec = value["spec"] | {"rolloutStrategy": {"type": "RollingUpdate"}}
    filled = value | {"spec": spec}
    return Sent(filled, json.dumps(filled))


def _judged(client: Client, sent: Sent) -> Iterator[Verdict]:
    value = sent.object
    name = f"{value['kind']} {value.get('metadata', {}).get('name', '')}"
    if (said := _refusal(client, value, sent.text)) is not None:
        yield Verdict(name, False, said)
    if value["kind"] != "Pod":
        for pod in pods(value, SPACE):
            if (said := _refusal(client, pod, json.dumps(pod))) is not None:
                yield Verdict(name, True, said)


def _refusal(client: Client, value: Object, text: str) -> str | None:
    """Create an object on a dry run, as this text: why not; None if it can be."""
    try:
        ref = Ref(value["apiVersion"], value["kind"], "", _space(value))
        client.request(
            "POST",
            client.path(ref, named=False),
            text,
            "application/yaml",
            {"fieldValidation": "Strict", "dryRun": "All"},
        )
    except Refused as refused:
        return None if refused.reason == "AlreadyExists" else str(refused)
    return None


def _space(value: Object) -> str:
    return str(value.get("metadata", {}).get("namespace") or SPACE)


def _namespaces(client: Client, objects: list[Object], level: Level) -> None:
    labels: dict[str, str] = {}
    for mode in MODES:
        label = f"pod-security.kubernetes.io/{mode}"
        labels |= {label: level, f"{label}-version": "latest"}
    given = {
        each["metadata"]["name"]: each["metadata"].get("labels", {})
        for each in objects
        if each["kind"] == "Namespace" and len(objects) > 1
    }
    for name in {_space(each) for each in objects}:
        change = {"metadata": {"labels": labels | given.get(name, {})}}
        client.patch(Ref("v1", "Namespace", restricted(client, name)), change)


def _looked_up(client: Client, objects: list[Object]) -> Iterator[Ref]:
    """Create what admission looks up; gives what it created."""
    own = [each for each in objects if each["kind"] in LOOKED_UP]
    for value in (*own, *_named_by_pods(objects)):
        try:
            ref = Ref.of(client.create(value).object)
        except Refused as refused:
            # A name that cannot be: the server is to say so of the pod, or of the object itself.
            if refused.reason in ("AlreadyExists", "Invalid"):
                continue
            raise
        if ref.kind == "ResourceQuota":
            until(partial(_counted, client, ref), f"quota {ref.name} is counted")
        yield ref


def _named_by_pods(objects: list[Object]) -> Iterator[Object]:
    every = [each for each in objects if each["kind"] == "Pod"]
    every += [pod for each in objects if each["kind"] != "Pod" for pod in pods(each, SPACE)]
    for pod in every:
        spec = pod["spec"]
        if name := spec.get("serviceAccountName"):
            meta = {"name": name, "namespace": _space(pod)}
            yield {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}
        for field, (api_version, kind, more) in CLASSES.items():
            if name := spec.get(field):
                meta = {"name": name}
                yield {"apiVersion": api_version, "kind": kind, "metadata": meta, **more}


def _counted(client: Client, ref: Ref) -> bool:
    return bool(client.get(ref).get("status", {}).get("hard"))


def _gone(client: Client, ref: Ref) -> bool:
    return client.find(ref) is None
