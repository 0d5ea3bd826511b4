"""Parts of a plan that every kind of workload has."""

from gpuspec.plan import (
    attachment,
    claims,
    containers,
    device_claims,
    fabric_notes,
    hub,
    metadata,
    placement,
    platform,
    pod_metadata,
    pools,
    processes,
    queueing,
    recipe,
    resources,
    security,
    slices,
    storage,
    unused,
    weakened,
    weights,
)
from gpuspec.plan.decision import Decision, PlanPart, derived, from_profile, from_spec
from gpuspec.plan.facets import ContainerPlan, NodeMap, OverridePlan, PodPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import ChosenTarget
from gpuspec.spec import MAIN_CONTAINER


class CommonFacets:
    """The parts that every kind has, computed once."""

    def __init__(
        self,
        resolution: Resolution,
        choice: ChosenTarget,
        templates_digest: str,
        template_digest: str | None = None,
    ) -> None:
        self.resolution = resolution
        self.digest = template_digest
        self.choice = choice
        self.where = placement.placement(resolution)
        self.meta = metadata.metadata(resolution, templates_digest)
        self.resources = resources.resources(resolution)
        self.starter = platform.starter(resolution, choice.target)
        self.storage = storage.storage(resolution, self.resources.shm, weights=self.starter is None)
        self.security = security.security(resolution)
        self.waived = recipe.waived(resolution)
        self.priority = queueing.priority(resolution)
        self.notes = [
            *choice.notes(resolution),
            *pools.notes(resolution),
            *self.where.notes,
            *self.resources.notes,
            *weights.notes(resolution),
            *hub.gated(resolution),
            *claims.notes(resolution),
            *device_claims.notes(resolution, choice.target),
            *self.security.notes,
            *weakened.notes(resolution),
            *self.waived[1],
            *fabric_notes.notes(resolution),
            *slices.notes(resolution),
            *pod_metadata.notes(resolution),
            *processes.apart(resolution),
            *unused.notes(resolution),
            *queueing.queue_notes(resolution, choice.target, self.resources.counted),
        ]

    def main(self, **fields: object) -> ContainerPlan:
        """Return the main container."""
        spec = self.resolution.spec
        working = spec.working_dir
        return ContainerPlan(
            name=derived("service", MAIN_CONTAINER, "the same in every workload"),
            image=from_spec(("spec", "image"), spec.image, "the image"),
            pull_policy=containers.pulled(spec.pull_policy, ("spec",)),
            security=recipe.permitted(self.resolution, self.security.main),
            working_dir=working and from_spec(("spec", "workingDir"), working, "as the spec says"),
            env_from=containers.env_from(spec.env_from, ("spec", "envFrom")),
            resources={
                "requests": self.resources.requests,
                "limits": self.resources.limits,
                **self.resources.claims,
            },
            mounts=self.storage.mounts,
            **fields,  # type: ignore[arg-type]
        )

    def pod(
        self,
        main: ContainerPlan,
        *,
        name: Decision,
        restart: Decision,
        grace: Decision,
        annotations: NodeMap,
        account: Decision,
        subdomain: PlanPart = None,
        together: PlanPart = None,
        apart: PlanPart = None,
        topology: PlanPart = None,
    ) -> PodPlan:
        """Return the pod template with the main container; `name`: of the object with the pods."""
        host_network, dns_policy = recipe.network(self.resolution)
        return PodPlan(
            labels={**metadata.labels(self.resolution), **pod_metadata.labels(self.resolution)},
            annotations={
                **annotations,
                **attachment.annotations(self.resolution),
                **self.security.annotations,
                **self.waived[0],
                **pod_metadata.annotations(self.resolution),
            },
            restart_policy=restart,
            service_account=account,
            automount_token=security.token(self.resolution),
            service_links=derived(
                "restricted", False, "variables for Services collide with settings of servers"
            ),
            security=self.security.pod,
            containers=(main,),
            init_containers=(
                *containers.helpers(self.resolution, self.security.helper, self.storage.names),
                *recipe.daemon(self.resolution),
            ),
            volumes=self.storage.volumes,
            subdomain=subdomain,
            scheduler=self.where.scheduler,
            priority_class=self.priority,
            runtime_class=self.where.runtime_class,
            grace=grace,
            pull_secrets=pull_secrets(self.resolution),
            node_selector=self.where.selector,
            affinity={**self.where.affinity, "podAffinity": together, "podAntiAffinity": apart},
            tolerations=self.where.tolerations,
            resource_claims=device_claims.of_pod(self.resolution, self.resolution.gpus, name),
            spread=topology,
            host_network=host_network,
            dns_policy=dns_policy,
        )


def account(resolution: Resolution, decision: Decision | None) -> Decision:
    """Return the service account of the pods: the spec's, else that of `decision`, else the
    default one."""
    if resolution.spec.service_account is not None:
        return from_spec(
            ("spec", "serviceAccount"), resolution.spec.service_account, "an existing one"
        )
    return decision or derived(
        "restricted", "default", "the pods need no identity; the token is not mounted"
    )


def pull_secrets(resolution: Resolution) -> Decision | None:
    """Return the image pull Secrets of the workload's pods."""
    secrets = (*resolution.spec.image_pull_secrets, *resolution.profile.spec.image_pull_secrets)
    value = [{"name": name} for name in dict.fromkeys(secrets)]
    if not value:
        return None
    if resolution.spec.image_pull_secrets:
        return from_spec(("spec", "imagePullSecrets"), value, "to pull the images")
    return from_profile(("spec", "imagePullSecrets"), value, "exists in every namespace")


def overrides(resolution: Resolution) -> tuple[OverridePlan, ...]:
    """Return the overrides of a spec, with their paths."""
    return tuple(
        OverridePlan(override.kind, override.name, override.patch, ("spec", "overrides", index))
        for index, override in enumerate(resolution.spec.overrides)
    )
