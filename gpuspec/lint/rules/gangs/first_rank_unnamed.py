"""The first of several ranks is called by a name that DNS does not have, or not in time."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import FirstRank, first_rank
from gpuspec.lint.analysis.gangs.jobs import job_specs
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU744",
    "first-rank-unnamed",
    "error",
    "The first rank's host name does not exist in DNS, or exists too late",
    fix="unsafe",
)

_SET = (
    "controller-uid",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index",
    "statefulset.kubernetes.io/pod-name",
)
"""Labels that controllers set to values that differ by pod."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield StatefulSets and Jobs whose command or environment names their own first pod."""
    rank, owner = first_rank(pod), pod.object
    if rank is None or _alone(pod):
        return
    if owner.kind == "Job" and owner.spec.get("completionMode") != "Indexed":
        (job,) = job_specs(owner)
        yield RawFinding(
            owner.path("spec", "completionMode"),
            f"no pod of this Job is named `{rank.host}`: only an Indexed Job's pods have "
            "predictable names, so the other ranks never find rank 0",
            fix=Fix("make the Job Indexed", job.indexing()),
        )
        return
    zone, at = _zone(pod)
    service = None
    if rank.service or zone:
        service = context.collection.named("", "Service", rank.service or zone, owner.namespace)
    if not rank.service:
        yield _bare(rank, zone)
    elif zone != rank.service:
        yield _elsewhere(pod, rank, zone, at)
    elif service is not None:
        yield from _unselected(pod, rank, service)
        yield from _published(rank, service)


def _alone(pod: Pod) -> bool:
    return pod.role.count == 1 and pod.object.kind == "Job"


def _zone(pod: Pod) -> tuple[str, tuple[str | int, ...]]:
    """Return the Service in whose zone the pods have their names, and the path that names it."""
    if pod.object.kind == "StatefulSet":
        return text(pod.object.spec.get("serviceName")), pod.object.path("spec", "serviceName")
    return text(pod.spec.get("subdomain")), pod.path("subdomain")


def _bare(first_rank: FirstRank, zone: str) -> RawFinding:
    full = f"{first_rank.host}.{zone or 'SERVICE'}"
    return RawFinding(
        first_rank.path,
        f"DNS has no name `{first_rank.host}` without a domain: the other ranks never find rank 0",
        note=f"write `{full}`"
        + ("" if zone else ", of the headless Service that the pods' `subdomain` names"),
    )


def _elsewhere(pod: Pod, first_rank: FirstRank, zone: str, at: tuple[str | int, ...]) -> RawFinding:
    name = f"{first_rank.host}.{first_rank.service}"
    field = at[-1]
    published = (
        f"`{field}` is `{zone}`, so rank 0 is `{first_rank.host}.{zone}`"
        if zone
        else f"the pods have no `{field}`"
    )
    return RawFinding(
        at,
        f"{published}, but the other ranks look up `{name}`: they never find rank 0",
        note=f"create a headless Service `{first_rank.service}`, which gives rank 0 that name",
        fix=Fix(f"write `{first_rank.service}`", (Put(at, first_rank.service),)),
    )


def _unselected(pod: Pod, rank: FirstRank, service: Object) -> Iterator[RawFinding]:
    """Yield a Service that selects by a label which the pods do not have."""
    selector = mapping(service.spec.get("selector"))
    labels = {
        **pod.labels,
        **dict.fromkeys(("job-name", "batch.kubernetes.io/job-name"), pod.object.name),
    }
    wrong = [key for key, value in selector.items() if key not in _SET and labels.get(key) != value]
    if not wrong:
        return
    path = service.path("spec", "selector", wrong[0])
    yield RawFinding(
        path,
        f"the Service does not select the pods (`{wrong[0]}: {selector[wrong[0]]}`), so DNS has no "
        f"name `{rank.host}.{rank.service}`: the other ranks never find rank 0",
        object=service.number,
        note="select by the label `batch.kubernetes.io/job-name`, which a Job's pods have"
        if pod.object.kind == "Job"
        else None,
    )


def _published(first_rank: FirstRank, service: Object) -> Iterator[RawFinding]:
    """Check the Service itself, which must be headless and publish names before the pods are ready."""
    name = f"{first_rank.host}.{first_rank.service}"
    if service.spec.get("clusterIP") != "None":
        yield RawFinding(
            service.path("spec", "clusterIP"),
            f"the Service is not headless, so DNS has no name `{name}`: the other ranks never "
            "find rank 0",
            note="create the Service with `clusterIP: None`",
            object=service.number,
        )
        return
    waits = next(
        (kind for kind in ("readiness", "startup") if first_rank.container.probe(kind) is not None),
        None,
    )
    if waits is None or service.spec.get("publishNotReadyAddresses") is True:
        return
    at = service.path("spec", "publishNotReadyAddresses")
    yield RawFinding(
        at,
        f"DNS publishes `{name}` only when that pod is ready, but its `{waits}Probe` waits for "
        "ranks that look up this name: no rank starts",
        object=service.number,
        fix=set_field(at, True),
    )
