"""Resolve: a workload and a profile become a plan."""

from gpuspec.plan import (
    containers,
    jobs,
    launch,
    metadata,
    names,
    network,
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
from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.distribution import spread
from gpuspec.plan.drain import drain
from gpuspec.plan.facets import (
    ContainerPlan,
    NodeMap,
    Nodes,
    OverridePlan,
    PlaceholderPlan,
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

PAUSE_IMAGE = "registry.k8s.io/pause:3.10"
IMAGE_VOLUMES_SINCE = (1, 36)


def resolve(case: Case, templates_digest: str, template_digest: str | None = None) -> Plan:
    """All decisions for one workload on one profile.

    `templates_digest` is kept as provenance; `template_digest` names a Job without a `run` (see
    `names.job_name`). Raises `Refusal` when the profile cannot carry the workload.
    """
    _check_image_volumes(case)
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
        self.storage = storage.storage(case)
        self.resources = resources.resources(case, self.storage.disk_need)
        self.security = security.security(case)
        self.priority = queueing.priority(case)
        shm = self.resources.shm
        extra = storage.shm_volume(shm) if shm is not None else None
        self.volumes: Nodes = (*self.storage.volumes, *((extra[0],) if extra else ()))
        self.mounts: Nodes = (*self.storage.mounts, *((extra[1],) if extra else ()))
        self.notes = [
            *pools.notes(case),
            *self.where.notes,
            *self.resources.notes,
            *self.security.notes,
        ]

    def main(self, **fields: object) -> ContainerPlan:
        """The main container."""
        spec = self.case.spec
        working = spec.working_dir
        return ContainerPlan(
            name=derived("container-name", MAIN_CONTAINER, "one name for the main container"),
            image=from_spec(("spec", "image"), spec.image, "the image"),
            security=self.security.main,
            working_dir=working and from_spec(("spec", "workingDir"), working, "asked for"),
            env_from=containers.env_from(spec.env_from, ("spec", "envFrom")),
            resources={
                "requests": self.resources.requests,
                "limits": self.resources.limits,
            },
            mounts=self.mounts,
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
        topology: Node = None,
    ) -> PodPlan:
        """The pod template around it."""
        return PodPlan(
            labels=metadata.labels(self.case),
            annotations={**annotations, **self.security.annotations},
            restart_policy=restart,
            service_account=account,
            automount_token=derived("token", False, "nothing in the pod calls the API"),
            service_links=derived(
                "service-links", False, "variables of Services collide with servers' own settings"
            ),
            security=self.security.pod,
            containers=(main,),
            init_containers=containers.helpers(self.case, self.security.helper),
            volumes=self.volumes,
            subdomain=subdomain,
            scheduler=self.where.scheduler,
            priority_class=self.priority,
            runtime_class=self.where.runtime_class,
            grace=grace,
            pull_secrets=_pull_secrets(self.case),
            affinity=self.where.affinity,
            tolerations=self.where.tolerations,
            spread=topology,
        )


def _training(parts: _Parts, spec: TrainingFields, name: Leaf) -> Plan:
    case = parts.case
    finite = jobs.training_job(
        case, spec, name, {**metadata.labels(case), **queueing.queue_labels(case)}
    )
    service = Leaf(name.value, "the workers' host names lie under it", name.origin)
    start = launch.launch(case, spec, name, service)
    main = parts.main(
        command=start.command,
        args=start.args,
        env=containers.environment(case, start.env),
    )
    several = spec.workers > 1
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations=finite.pod_annotations,
        account=_account(case, None),
        subdomain=service if several else None,
    )
    selector = {"batch.kubernetes.io/job-name": Leaf(name.value, "the Job's pods", name.origin)}
    return Plan(
        case=case,
        overrides=_overrides(case),
        target=derived("target", "job", "a plain Job: no operator is required"),
        meta=parts.meta,
        pod=pod,
        job=finite.job,
        service=network.headless(service, selector, launch.PORT) if several else None,
        notes=(*parts.notes, *finite.notes, *queueing.gang_notes(case)),
    )


def _batch(parts: _Parts, spec: BatchInferenceSpec, name: Leaf) -> Plan:
    case = parts.case
    finite = jobs.batch_job(
        case, spec, name, {**metadata.labels(case), **queueing.queue_labels(case)}
    )
    count = from_spec(("spec", "shards", "count"), str(spec.shards.count), "how many shards")
    main = parts.main(
        command=from_spec(("spec", "command"), list(spec.command) or None, "as given"),
        args=from_spec(("spec", "args"), list(spec.args) or None, "as given"),
        env=containers.environment(case, settings={"SHARD_COUNT": count}),
    )
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations=finite.pod_annotations,
        account=_account(case, None),
    )
    scheduled = finite.cron is not None
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
    pause, grace = drain(case, spec)
    main = parts.main(
        command=told.command,
        args=told.args,
        env=containers.environment(case, told.secrets, told.settings),
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
        restart=derived("restart", "Always", "a service goes on"),
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
        placeholder=_placeholder(parts, spec, pod),
        notes=(*parts.notes, *budget.notes, *scale.notes),
    )


def _placeholder(parts: _Parts, spec: InferenceSpec, pod: PodPlan) -> PlaceholderPlan | None:
    """Pods of the same shape that do nothing and give up their room at once."""
    priority = scaling.placeholder_class(parts.case, spec)
    if priority is None:
        return None
    labels = metadata.labels(parts.case, "placeholder")
    selector = {key: labels[key] for key in metadata.selector(parts.case)}
    sleeper = ContainerPlan(
        name=derived("placeholder", "pause", "does nothing"),
        image=derived("placeholder", PAUSE_IMAGE, "does nothing"),
        security=parts.security.helper,
        resources=pod.containers[0].resources,
    )
    return PlaceholderPlan(
        name=derived("placeholder", f"{parts.case.name}-placeholder", "keeps room warm"),
        replicas=from_spec(("spec", "warm"), spec.warm, "rooms that are kept warm"),
        selector=selector,
        pod=PodPlan(
            labels=labels,
            annotations={},
            restart_policy=pod.restart_policy,
            service_account=_account(parts.case, None),
            automount_token=pod.automount_token,
            service_links=pod.service_links,
            security=parts.security.pod,
            containers=(sleeper,),
            scheduler=pod.scheduler,
            priority_class=priority,
            runtime_class=pod.runtime_class,
            grace=derived("placeholder", 0, "gives up its room at once"),
            pull_secrets=pod.pull_secrets,
            affinity=pod.affinity,
            tolerations=pod.tolerations,
        ),
    )


def _never() -> Leaf:
    return derived("restart", "Never", "the Job replaces a failed pod and counts it")


def _account(case: Case, own: Leaf | None) -> Leaf:
    if case.spec.service_account is not None:
        return from_spec(("spec", "serviceAccount"), case.spec.service_account, "asked for")
    return own or derived("account", "default", "no identity is needed; its token is not mounted")


def _pull_secrets(case: Case) -> Leaf | None:
    secrets = (*case.spec.image_pull_secrets, *case.profile.spec.image_pull_secrets)
    value = [{"name": name} for name in dict.fromkeys(secrets)]
    if not value:
        return None
    if case.spec.image_pull_secrets:
        return from_spec(("spec", "imagePullSecrets"), value, "to pull the images")
    return from_profile(("spec", "imagePullSecrets"), value, "every namespace has them")


def _check_image_volumes(case: Case) -> None:
    """Images as volumes need Kubernetes 1.36, or a feature gate before it."""
    major, minor = case.profile.spec.kubernetes.split(".")
    version = (int(major), int(minor))
    found = list(storage.images(case))
    if version >= IMAGE_VOLUMES_SINCE or not found:
        return
    reasons = [
        Refused(
            f"{image} as a volume needs Kubernetes 1.36; {case.profile.name} has "
            f"{case.profile.spec.kubernetes}",
            case.workload.place(path),
            "copy it into a PersistentVolumeClaim",
        )
        for path, image in found
    ]
    raise Refusal(case.name, case.profile.name, reasons)


def _overrides(case: Case) -> tuple[OverridePlan, ...]:
    return tuple(
        OverridePlan(override.kind, override.name, override.patch, ("spec", "overrides", index))
        for index, override in enumerate(case.spec.overrides)
    )
