"""What every kind of workload has in its plan, whatever it is."""

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
from gpuspec.plan.case import Case
from gpuspec.plan.facets import ContainerPlan, NodeMap, OverridePlan, PodPlan
from gpuspec.plan.leaf import Leaf, Node, derived, from_profile, from_spec
from gpuspec.plan.target import Choice
from gpuspec.spec import MAIN_CONTAINER


class Parts:
    """The facets that every kind has, computed once."""

    def __init__(
        self,
        case: Case,
        choice: Choice,
        templates_digest: str,
        template_digest: str | None = None,
    ) -> None:
        self.case = case
        self.digest = template_digest
        self.choice = choice
        self.where = placement.placement(case)
        self.meta = metadata.metadata(case, templates_digest)
        self.resources = resources.resources(case)
        self.starter = platform.starter(case, choice.target)
        self.storage = storage.storage(case, self.resources.shm, weights=self.starter is None)
        self.security = security.security(case)
        self.waived = recipe.waived(case)
        self.priority = queueing.priority(case)
        self.notes = [
            *choice.notes(case),
            *pools.notes(case),
            *self.where.notes,
            *self.resources.notes,
            *weights.notes(case),
            *hub.gated(case),
            *claims.notes(case),
            *device_claims.notes(case, choice.target),
            *self.security.notes,
            *weakened.notes(case),
            *self.waived[1],
            *fabric_notes.notes(case),
            *slices.notes(case),
            *pod_metadata.notes(case),
            *processes.apart(case),
            *unused.notes(case),
            *queueing.queue_notes(case, choice.target, self.resources.counted),
        ]

    def main(self, **fields: object) -> ContainerPlan:
        """The main container."""
        spec = self.case.spec
        working = spec.working_dir
        return ContainerPlan(
            name=derived("service", MAIN_CONTAINER, "the same in every workload"),
            image=from_spec(("spec", "image"), spec.image, "the image"),
            pull_policy=containers.pulled(spec.pull_policy, ("spec",)),
            security=recipe.permitted(self.case, self.security.main),
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
        name: Leaf,
        restart: Leaf,
        grace: Leaf,
        annotations: NodeMap,
        account: Leaf,
        subdomain: Node = None,
        together: Node = None,
        apart: Node = None,
        topology: Node = None,
    ) -> PodPlan:
        """The pod template around it; `name`: of the object that carries it."""
        host_network, dns_policy = recipe.network(self.case)
        return PodPlan(
            labels={**metadata.labels(self.case), **pod_metadata.labels(self.case)},
            annotations={
                **annotations,
                **attachment.annotations(self.case),
                **self.security.annotations,
                **self.waived[0],
                **pod_metadata.annotations(self.case),
            },
            restart_policy=restart,
            service_account=account,
            automount_token=security.token(self.case),
            service_links=derived(
                "restricted", False, "variables of Services collide with servers' own settings"
            ),
            security=self.security.pod,
            containers=(main,),
            init_containers=(
                *containers.helpers(self.case, self.security.helper, self.storage.names),
                *recipe.daemon(self.case),
            ),
            volumes=self.storage.volumes,
            subdomain=subdomain,
            scheduler=self.where.scheduler,
            priority_class=self.priority,
            runtime_class=self.where.runtime_class,
            grace=grace,
            pull_secrets=pull_secrets(self.case),
            node_selector=self.where.selector,
            affinity={**self.where.affinity, "podAffinity": together, "podAntiAffinity": apart},
            tolerations=self.where.tolerations,
            resource_claims=device_claims.of_pod(self.case, self.case.gpus, name),
            spread=topology,
            host_network=host_network,
            dns_policy=dns_policy,
        )


def account(case: Case, own: Leaf | None) -> Leaf:
    """The identity of the pods: the spec's, else `own`, else nobody's."""
    if case.spec.service_account is not None:
        return from_spec(("spec", "serviceAccount"), case.spec.service_account, "an existing one")
    return own or derived(
        "restricted", "default", "no identity is needed; its token is not mounted"
    )


def pull_secrets(case: Case) -> Leaf | None:
    """The registry Secrets that any pod of the workload pulls with."""
    secrets = (*case.spec.image_pull_secrets, *case.profile.spec.image_pull_secrets)
    value = [{"name": name} for name in dict.fromkeys(secrets)]
    if not value:
        return None
    if case.spec.image_pull_secrets:
        return from_spec(("spec", "imagePullSecrets"), value, "to pull the images")
    return from_profile(("spec", "imagePullSecrets"), value, "every namespace has them")


def overrides(case: Case) -> tuple[OverridePlan, ...]:
    """The overrides of a spec, and where they stand in it."""
    return tuple(
        OverridePlan(override.kind, override.name, override.patch, ("spec", "overrides", index))
        for index, override in enumerate(case.spec.overrides)
    )
