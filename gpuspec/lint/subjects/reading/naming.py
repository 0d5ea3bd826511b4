"""Names that Kubernetes makes from an object's own, and the forms that names must have.

Sources: the validation of each group in kubernetes/kubernetes 1.37 (`pkg/apis/*/validation`); the
webhooks of JobSet 0.12 (`jobset_webhook.go`) and training-operator 1.9; mpi-operator
`validation.go`; KubeRay 1.7 (`MaxRayClusterNameLength` and its siblings); KServe's validator; the
StatefulSet controller, whose pods carry `controller-revision-hash: <name>-<hash>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.view.objects import Object, at, items, mapping, text
from gpuspec.manifests import dns_1035_label, dns_label, dns_subdomain
from gpuspec.numbers import read_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Form = Callable[[str], str | None]

LABEL = 63
"""Characters of a label's value, and of a name in DNS between two dots."""
_HASH = 10
"""Characters of most revision hashes; some have less."""
_CRON = LABEL - 11
"""Characters of a CronJob's name: its Jobs have eleven more."""
_RAY = {"RayCluster": 53, "RayJob": 47, "RayService": 47}
_RBAC = "rbac.authorization.k8s.io"
_1035 = {
    ("serving.kserve.io", "InferenceService"),
    ("trainer.kubeflow.org", "TrainJob"),
    *(("ray.io", kind) for kind in _RAY),
    *(("kubeflow.org", f"{kind}Job") for kind in ("PyTorch", "TF", "XGBoost", "Paddle", "JAX")),
}


class Made(msgspec.Struct, frozen=True):
    """A name that is made from an object's, and that is not right."""

    what: str
    """What is called so, as the subject of a sentence."""
    name: str
    wrong: str
    """Why it is not, as the end of a sentence."""
    surely: bool = True
    """False where it depends on what nobody knows yet."""


def form_of(one: Object, kubernetes: str) -> Form | None:
    """The form of an object's own name; None where it may be nearly anything."""
    if one.group == _RBAC or one.is_a("policy", "PodDisruptionBudget"):
        return None
    if one.is_a("", "Namespace") or one.is_a("apps", "StatefulSet"):
        return dns_label
    if one.is_a("", "Service"):
        # Since 1.37 it may begin with a digit.
        return dns_label if read_version(kubernetes) >= (1, 37) else dns_1035_label
    return dns_1035_label if (one.group, one.kind) in _1035 else dns_subdomain


def made_from(one: Object) -> Iterator[Made]:
    """Names that are made from the object's and are too long, the first of each sort."""
    name = one.name
    key = one.group, one.kind
    if key == ("batch", "CronJob"):
        if len(name) > _CRON:
            wrong = f"is {len(name)} characters long; a CronJob's has {_CRON} at most"
            yield Made("the name", name, wrong)
    elif key == ("batch", "Job"):
        yield from _job(one)
    elif key == ("apps", "StatefulSet"):
        yield from _revision("its pods", name)
    elif key == ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        last = _last(one.spec.get("replicas"))
        yield from _revision("its workers", f"{name}-{last}")
    elif key == ("jobset.x-k8s.io", "JobSet"):
        yield from _jobset(one)
    elif key == ("trainer.kubeflow.org", "TrainJob"):
        nodes = _last(at(one.spec, ("trainer", "numNodes")))
        yield from _long("the name of a pod", f"{name}-node-0-{nodes}-abcde", surely=False)
    elif one.group == "kubeflow.org":
        yield from _kubeflow(one)
    elif one.group == "ray.io" and len(name) > (most := _RAY.get(one.kind, len(name))):
        wrong = f"is {len(name)} characters long; KubeRay takes {most}, to name Services by it"
        yield Made("the name", name, wrong)


def _job(one: Object) -> Iterator[Made]:
    yield from _long("the label `batch.kubernetes.io/job-name` of its pods", one.name)
    if one.spec.get("completionMode") == "Indexed" and len(one.name) <= LABEL:
        host = f"{one.name}-{_last(one.spec.get('completions'))}"
        yield from _long("the host name of its last pod", host)


def _jobset(one: Object) -> Iterator[Made]:
    for job in items(one.spec.get("replicatedJobs")):
        made = f"{one.name}-{text(mapping(job).get('name'))}-{_last(mapping(job).get('replicas'))}"
        spec = mapping(at(mapping(job), ("template", "spec")))
        what = "the name of a Job"
        if spec.get("completionMode") == "Indexed" and isinstance(spec.get("completions"), int):
            what, made = "the name of a pod", f"{made}-{_last(spec['completions'])}-abcde"
        yield from _long(what, made)


def _kubeflow(one: Object) -> Iterator[Made]:
    for field, replicas in one.spec.items():
        if not field.endswith("ReplicaSpecs"):
            continue
        for role, spec in mapping(replicas).items():
            last = _last(mapping(spec).get("replicas"))
            made = f"{one.name}-{str(role).lower()}"
            # The launcher is a Job, the others have numbers.
            made += "" if one.kind == "MPIJob" and role == "Launcher" else f"-{last}"
            yield from _long("the host name of a pod", made)


def _revision(whose: str, name: str) -> Iterator[Made]:
    made = f"{name}-{'0' * _HASH}"
    yield from _long(f"the label `controller-revision-hash` of {whose}", made, surely=False)


def _long(what: str, made: str, *, surely: bool = True) -> Iterator[Made]:
    if len(made) > LABEL:
        wrong = f"would be {len(made)} characters long; at most {LABEL} are allowed"
        yield Made(what, made, wrong, surely)


def _last(count: object) -> int:
    """The number of the last of so many, from 0; of an unknown number the first."""
    return max(count - 1, 0) if isinstance(count, int) and not isinstance(count, bool) else 0


PORT = 15
"""Characters of a port's name."""


def port_name(name: str) -> str | None:
    """Why a container port cannot be called so, or None (RFC 6335)."""
    if len(name) > PORT:
        return f"is {len(name)} characters long; at most {PORT} are allowed"
    if not any("a" <= sign <= "z" for sign in name):
        return "must have a letter from a to z"
    if "--" in name:
        return "must not have two '-' in a row"
    return dns_label(name)
