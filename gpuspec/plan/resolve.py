"""Resolve: a workload and a profile become a plan."""

from gpuspec.plan import (
    attachment,
    claims,
    containers,
    fabric,
    hub,
    jobs,
    launch,
    metadata,
    names,
    network,
    placeholder,
    placement,
    pools,
    probes,
    queueing,
    resources,
    scaling,
    security,
    server,
    storage,
)
from gpuspec.plan.case import Case, Refusal
from gpuspec.plan.distribution import JOB_LABEL, near, spread
from gpuspec.plan.drain import drain
from gpuspec.plan.facets import (
    ContainerPlan,
    NodeMap,
    OverridePlan,
    Plan,
    PodPlan,
)
from gpuspec.plan.leaf import Leaf, Node, derived, from_profile, from_spec
from gpuspec.spec import (
    MAIN_CONTAINER,
    BatchInferenceSpec,
    InferenceSpec,
    TrainingFields,
)

# Facets that the profile may lack something for; their reasons are given all at once.
_REFUSING = (storage, security, queueing, placeholder)


def resolve(case: Case, templates_digest: str, template_digest: str | None = None) -> Plan:
    """All decisions for one workload on one profile.

    `templates_digest` is kept as provenance; `template_digest` names a Job without a `run` (see
    `names.job_name`). Raises `Refusal` when the profile cannot carry the workload.
    """
    reasons = [reason for facet in _REFUSING for reason in facet.refused(case)]
    if reasons:
        raise Refusal(case.name, case.profile.name, reasons)
    parts = _Parts(case, templates_digest)
    spec = case.spec
    match spec:
        case InferenceSpec():
            return _serving(parts, spec)
        case TrainingFields():
            return _training(parts, spec, names.job_name(case, template_digest))
        case BatchInferenceSpec():
            return _batch(parts, spec, names.job_name(case, template_digest))


class _Parts:
    """The facets that every kind has, computed once."""

    def __init__(self, case: Case, templates_digest: str) -> None:
        self.case = case
        self.where = placement.placement(case)
        self.meta = metadata.metadata(case, templates_digest)
        self.resources = resources.resources(case)
        self.storage = storage.storage(case, self.resources.shm)
        self.security = security.security(case)
        self.priority = queueing.priority(case)
        self.notes = [
            *pools.notes(case),
            *self.where.notes,
            *self.resources.notes,
            *claims.notes(case),
            *self.security.notes,
            *fabric.fabric_notes(case),
            *queueing.queue_notes(case, self.resources.requests),
        ]

    def main(self, **fields: object) -> ContainerPlan:
        """The main container."""
        spec = self.case.spec
        working = spec.working_dir
        return ContainerPlan(
            name=derived("service", MAIN_CONTAINER, "the same in every workload"),
            image=from_spec(("spec", "image"), spec.image, "the image"),
            security=self.security.main,
            working_dir=working and from_spec(("spec", "workingDir"), working, "as the spec says"),
            env_from=containers.env_from(spec.env_from, ("spec", "envFrom")),
            resources={
                "requests": self.resources.requests,
                "limits": self.resources.limits,
            },
            mounts=self.storage.mounts,
            **fields,  # type: ignore[arg-type]
        )

    def pod(
        self,
        main: ContainerPlan,
        *,
        restart: Leaf,
        grace: Leaf,
        annotations: NodeMap,
        account: Leaf,
        subdomain: Node = None,
        together: Node = None,
        topology: Node = None,
    ) -> PodPlan:
        """The pod template around it."""
        return PodPlan(
            labels=metadata.labels(self.case),
            annotations={
                **annotations,
                **attachment.annotations(self.case),
                **self.security.annotations,
            },
            restart_policy=restart,
            service_account=account,
            automount_token=derived("restricted", False, "nothing in the pod calls the API"),
            service_links=derived(
                "restricted", False, "variables of Services collide with servers' own settings"
            ),
            security=self.security.pod,
            containers=(main,),
            init_containers=containers.helpers(self.case, self.security.helper, self.storage.names),
            volumes=self.storage.volumes,
            subdomain=subdomain,
            scheduler=self.where.scheduler,
            priority_class=self.priority,
            runtime_class=self.where.runtime_class,
            grace=grace,
            pull_secrets=_pull_secrets(self.case),
            affinity={**self.where.affinity, "podAffinity": together},
            tolerations=self.where.tolerations,
            spread=topology,
        )


def _training(parts: _Parts, spec: TrainingFields, name: Leaf) -> Plan:
    case = parts.case
    finite = jobs.training_job(case, spec, name, *_job_metadata(parts, scheduled=False))
    service = Leaf(name.value, "the workers' host names lie under it", name.origin)
    start = launch.launch(case, spec, name, service)
    main = parts.main(
        command=start.command,
        args=start.args,
        env=containers.environment(case, (*hub.token(case), *start.env)),
    )
    several = spec.workers > 1
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations={**finite.pod_annotations, **queueing.topology_annotations(case)},
        account=_account(case, None),
        subdomain=service if several else None,
        together=near(case, spec, name),
    )
    selector = {JOB_LABEL: Leaf(name.value, "the Job's pods", name.origin)}
    return Plan(
        case=case,
        overrides=_overrides(case),
        target=derived("target", "job", "a plain Job: no operator is required"),
        meta=parts.meta,
        pod=pod,
        job=finite.job,
        service=network.headless(service, selector, launch.PORT) if several else None,
        notes=(
            *parts.notes,
            *finite.notes,
            *start.notes,
            *queueing.gang_notes(case),
        ),
    )


def _batch(parts: _Parts, spec: BatchInferenceSpec, name: Leaf) -> Plan:
    case = parts.case
    scheduled = spec.schedule is not None
    finite = jobs.batch_job(case, spec, name, *_job_metadata(parts, scheduled=scheduled))
    count = from_spec(("spec", "shards", "count"), str(spec.shards.count), "how many shards")
    main = parts.main(
        command=from_spec(("spec", "command"), list(spec.command) or None, "as the spec says"),
        args=from_spec(("spec", "args"), list(spec.args) or None, "as the spec says"),
        env=containers.environment(case, hub.token(case), {"SHARD_COUNT": count}),
    )
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations=finite.pod_annotations,
        account=_account(case, None),
    )
    return Plan(
        case=case,
        overrides=_overrides(case),
        target=derived(
            "target", "cronjob" if scheduled else "job", "finite work is a Job, by schedule or not"
        ),
        meta=parts.meta,
        pod=pod,
        job=finite.job,
        cron=finite.cron,
        notes=(*parts.notes, *finite.notes),
    )


def _serving(parts: _Parts, spec: InferenceSpec) -> Plan:
    case = parts.case
    # The server is told the budget, and the probes need its ports: ports come first.
    budget = probes.budget(case, spec)
    told = server.server(case, spec, parts.storage.weights_path, budget.seconds)
    asks = probes.probes(case, spec, budget, told.ports)
    pause, grace, cut_off = drain(case, spec)
    main = parts.main(
        command=told.command,
        args=told.args,
        env=containers.environment(case, hub.token(case), told.settings),
        ports=told.port_leaves,
        startup_probe=asks.startup,
        readiness_probe=asks.readiness,
        liveness_probe=asks.liveness,
        lifecycle=pause,
    )
    selector = {key: leaf.value for key, leaf in metadata.selector(case).items()}
    account = from_spec(("metadata", "name"), case.name, "an identity of its own")
    pod = parts.pod(
        main,
        restart=derived("target", "Always", "a service goes on"),
        grace=grace,
        annotations={},
        account=_account(case, account),
        topology=spread(case, spec, selector),
    )
    scale = scaling.scaling(case, spec, budget.seconds)
    name = from_spec(("metadata", "name"), case.name, "the workload's name")
    return Plan(
        case=case,
        overrides=_overrides(case),
        target=derived("target", "deployment", "continuous work is a Deployment"),
        meta=parts.meta,
        pod=pod,
        account=account if spec.service_account is None else None,
        service=network.service(name, parts.meta.selector, told),
        serving=scale.serving,
        disruption=scale.disruption,
        autoscaler=scale.autoscaler,
        network=network.policy(case, told),
        placeholder=placeholder.placeholder(case, spec, pod, parts.security.helper),
        notes=(*parts.notes, *told.notes, *hub.notes(case), *budget.notes, *cut_off, *scale.notes),
    )


def _job_metadata(parts: _Parts, *, scheduled: bool) -> tuple[NodeMap, NodeMap]:
    """Labels and annotations of the Job itself; a CronJob's template has no provenance of its own."""
    case = parts.case
    labels = {**metadata.labels(case), **queueing.queue_labels(case)}
    own = queueing.queue_annotations(case)
    return labels, own if scheduled else {**parts.meta.annotations, **own}


def _never() -> Leaf:
    return derived("job", "Never", "the Job replaces a failed pod and counts it")


def _account(case: Case, own: Leaf | None) -> Leaf:
    if case.spec.service_account is not None:
        return from_spec(("spec", "serviceAccount"), case.spec.service_account, "an existing one")
    return own or derived(
        "restricted", "default", "no identity is needed; its token is not mounted"
    )


def _pull_secrets(case: Case) -> Leaf | None:
    secrets = (*case.spec.image_pull_secrets, *case.profile.spec.image_pull_secrets)
    value = [{"name": name} for name in dict.fromkeys(secrets)]
    if not value:
        return None
    if case.spec.image_pull_secrets:
        return from_spec(("spec", "imagePullSecrets"), value, "to pull the images")
    return from_profile(("spec", "imagePullSecrets"), value, "every namespace has them")


def _overrides(case: Case) -> tuple[OverridePlan, ...]:
    return tuple(
        OverridePlan(override.kind, override.name, override.patch, ("spec", "overrides", index))
        for index, override in enumerate(case.spec.overrides)
    )
