"""The table of rules, by code: module, scope, and the objects that each checks.

Each line is one rule; add yours where its code belongs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.lint.model import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.kinds import Kind


class Row(msgspec.Struct, frozen=True):
    """One rule of the table."""

    code: str
    module: str
    """Under `gpuspec.lint.rules`: the family and the rule's own name."""
    scope: Scope
    when: Literal["always", "gpu", "none", "finite", "queued"] = "always"
    """For a rule on pods: `gpu` selects pods that request accelerators, by a resource or a claim;
    `finite` selects those of them that run to completion; `none` selects pods without accelerators.
    For a rule on objects: `queued` selects objects that name a queue."""
    kinds: frozenset[tuple[str, str]] | None = None
    """Group and kind of the objects that it checks, or whose pods it checks; None for all."""
    trait: Callable[[Kind], object] | None = None
    """The trait of the kinds that it checks, if they are not listed."""
    profile: bool = False
    """Whether it needs a cluster profile."""
    policy: bool = False
    """Whether it checks a policy. Unless a namespace or a profile states the policy, its findings
    are infos, which a report may group by object."""

    @property
    def family(self) -> str:
        """Its family: the folder of its module."""
        return self.module.partition(".")[0]


def _kinds(*names: str) -> frozenset[tuple[str, str]]:
    """Return kinds written as `autoscaling/HorizontalPodAutoscaler`; core kinds have no slash."""
    parts = (name.rpartition("/") for name in names)
    return frozenset((group, kind) for group, _, kind in parts)


_RELEASES = _kinds(
    "argoproj.io/Application",
    "helm.cattle.io/HelmChart",
    "helm.sh/Values",
    "helm.toolkit.fluxcd.io/HelmRelease",
    "kustomize.config.k8s.io/Kustomization",
)


def _of(*groups: str) -> Callable[[Kind], bool]:
    """Return the trait of the known kinds in some groups; the fields of other kinds are unknown."""
    return lambda kind: kind.group in groups


def _several_pods(kind: Kind) -> bool:
    return kind.part is not None


def _may_be_ranks(kind: Kind) -> bool:
    return kind.part is not None or (kind.group == "apps" and kind.name != "DaemonSet")


def _waits_in_queue(kind: Kind) -> bool:
    """Return whether a kind has pods, or is a KAI queue."""
    return kind.holds_pods or (kind.group == "scheduling.run.ai" and kind.name == "Queue")


def _kubeflow_job(kind: Kind) -> bool:
    return kind.group == "kubeflow.org" and kind.runs_once and bool(kind.templates)


_ROLLOUTS = _kinds(
    "apps/Deployment",
    *(f"serving.knative.dev/{kind}" for kind in ("Service", "Configuration", "Revision")),
    "serving.kserve.io/InferenceService",
)

_CLAIMS = _kinds("resource.k8s.io/ResourceClaim", "resource.k8s.io/ResourceClaimTemplate")

_QUEUES = _kinds(
    "kueue.x-k8s.io/ClusterQueue",
    "kueue.x-k8s.io/Cohort",
    "kueue.x-k8s.io/LocalQueue",
    "kueue.x-k8s.io/ResourceFlavor",
    "kueue.x-k8s.io/Topology",
)
_RAY_JOBS = _kinds("ray.io/RayJob", "ray.io/RayCronJob")
_RAYS = _RAY_JOBS | _kinds("ray.io/RayCluster", "ray.io/RayService")
_WORKFLOWS = _kinds(
    "argoproj.io/ClusterWorkflowTemplate",
    "argoproj.io/CronWorkflow",
    "argoproj.io/Workflow",
    "argoproj.io/WorkflowTemplate",
)
_CHECKS = _kinds("kueue.x-k8s.io/AdmissionCheck", "kueue.x-k8s.io/MultiKueueConfig")
_ENDING = _kinds(
    "batch/Job",
    "batch/CronJob",
    "batch.volcano.sh/Job",
    "jobset.x-k8s.io/JobSet",
    "keda.sh/ScaledJob",
    "kubeflow.org/JAXJob",
    "kubeflow.org/PyTorchJob",
    "kubeflow.org/TFJob",
    "kubeflow.org/XGBoostJob",
)

ROWS: tuple[Row, ...] = (
    Row("GPU001", "reading.unreadable", "text"),
    Row("GPU002", "reading.wrong_spec", "text"),
    Row("GPU003", "reading.refused_spec", "text"),
    Row("GPU004", "schema.nameless_object", "object"),
    Row("GPU010", "schema.unknown_field", "object"),
    Row("GPU011", "schema.wrong_value", "object"),
    Row("GPU012", "schema.missing_field", "object"),
    Row("GPU013", "schema.not_served", "object"),
    Row("GPU014", "schema.illegal_name", "object"),
    Row("GPU015", "reading.placeholder", "object"),
    Row("GPU016", "reading.duplicate_object", "set"),
    Row("GPU017", "schema.refused_value", "object"),
    Row(
        "GPU018",
        "schema.configuration_refused",
        "object",
        kinds=_RELEASES
        | _kinds(
            "ConfigMap",
            "config.kueue.x-k8s.io/Configuration",
            "descheduler/DeschedulerPolicy",
            "eksctl.io/ClusterConfig",
            "ray.io/RayService",
            "kubescheduler.config.k8s.io/KubeSchedulerConfiguration",
        ),
    ),
    Row("GPU020", "schema.no_image", "object"),
    Row("GPU021", "reading.name_without_suffix", "object"),
    Row("GPU022", "reading.no_such_object", "object"),
    Row(
        "GPU023",
        "reading.selects_nothing",
        "set",
        kinds=_kinds(
            "policy/PodDisruptionBudget",
            "networking.k8s.io/NetworkPolicy",
            "inference.networking.k8s.io/InferencePool",
            "inference.networking.x-k8s.io/InferencePool",
            "monitoring.coreos.com/PodMonitor",
            "monitoring.coreos.com/ServiceMonitor",
            "networking.serving.volcano.sh/ModelServer",
            "model.aibrix.ai/ModelAdapter",
        ),
    ),
    Row("GPU024", "reading.name_left_behind", "object"),
    Row(
        "GPU025",
        "reading.unused_object",
        "set",
        kinds=_kinds("kustomize.config.k8s.io/Kustomization"),
    ),
    Row(
        "GPU026",
        "reading.selects_others",
        "set",
        kinds=_kinds(
            "Service",
            "inference.networking.k8s.io/InferencePool",
            "inference.networking.x-k8s.io/InferencePool",
            "apps/Deployment",
            "apps/StatefulSet",
            "apps/DaemonSet",
            "apps/ReplicaSet",
        ),
    ),
    Row(
        "GPU028",
        "reading.reference_unresolved",
        "object",
        kinds=_kinds(
            "gateway.networking.k8s.io/Gateway",
            "gateway.networking.k8s.io/GRPCRoute",
            "gateway.networking.k8s.io/HTTPRoute",
        ),
    ),
    Row("GPU091", "reading.unused_suppression", "text"),
    Row("GPU092", "reading.expired_suppression", "text"),
    Row("GPU093", "reading.malformed_suppression", "text"),
    Row("GPU101", "devices.fractional_count", "pod", "gpu"),
    Row("GPU102", "devices.request_differs", "pod"),
    Row("GPU103", "devices.unknown_resource", "pod"),
    Row("GPU104", "devices.empty_count", "pod", "gpu"),
    Row("GPU105", "devices.selector_without_device", "pod"),
    Row("GPU106", "devices.server_without_device", "pod", "none"),
    Row("GPU107", "devices.quota_demands", "pod"),
    Row("GPU108", "memory.no_memory", "pod", "gpu"),
    Row("GPU109", "devices.claim_unused", "pod", trait=lambda kind: not kind.completed),
    Row("GPU110", "devices.over_quota", "pod"),
    Row("GPU111", "devices.quota_key", "object", kinds=_kinds("ResourceQuota")),
    Row(
        "GPU112",
        "devices.operator_image",
        "object",
        kinds=_kinds("nvidia.com/ClusterPolicy", "nvidia.com/NVIDIADriver"),
    ),
    Row(
        "GPU113",
        "devices.platform_values",
        "object",
        kinds=_RELEASES,
    ),
    Row("GPU201", "placement.no_toleration", "pod"),
    Row("GPU202", "placement.toleration_alone", "pod", "none"),
    Row("GPU203", "placement.no_such_node", "pod", "gpu", profile=True),
    Row("GPU204", "placement.too_exact", "pod", "gpu"),
    Row("GPU205", "placement.too_large", "pod", "gpu"),
    Row("GPU206", "placement.daemonset_kept_off", "pod", kinds=_kinds("apps/DaemonSet")),
    Row("GPU208", "placement.claim_on_one_node", "set", kinds=_kinds("PersistentVolumeClaim")),
    Row("GPU209", "placement.architecture", "pod"),
    Row("GPU210", "placement.old_label", "pod", "gpu"),
    Row("GPU211", "placement.runtime_class", "pod", "gpu"),
    Row("GPU212", "placement.refused_term", "pod"),
    Row("GPU213", "placement.unknown_label", "pod", "gpu"),
    Row("GPU214", "placement.over_nodepool", "pod"),
    Row("GPU215", "placement.no_pool_takes_it", "pod", "gpu"),
    Row("GPU301", "sharing.several_shares", "pod", "gpu"),
    Row("GPU302", "sharing.renamed_shares", "pod", "gpu"),
    Row("GPU303", "sharing.shares_from_zero", "pod", "gpu", profile=True),
    Row("GPU304", "sharing.greedy_share", "pod"),
    Row("GPU305", "sharing.trains_on_shares", "pod", "finite"),
    Row("GPU306", "sharing.plugin_config", "object", kinds=_kinds("ConfigMap")),
    Row("GPU311", "sharing.unknown_profile", "pod"),
    Row("GPU312", "sharing.slice_not_advertised", "pod", "gpu"),
    Row("GPU313", "sharing.several_slices", "pod", "gpu"),
    Row("GPU314", "sharing.slice_with_fabric", "pod", "gpu"),
    Row("GPU315", "sharing.plugin_and_claim", "pod", "gpu"),
    Row("GPU316", "sharing.claim_shape", "object", kinds=_CLAIMS),
    Row("GPU317", "sharing.claim_version", "object", kinds=_CLAIMS),
    Row("GPU318", "sharing.part_of_gpu", "pod"),
    Row("GPU319", "sharing.mig_layout", "object", kinds=_kinds("ConfigMap")),
    Row("GPU401", "fragmentation.host_share", "pod", "gpu"),
    Row("GPU402", "fragmentation.count_does_not_tile", "pod", "gpu"),
    Row("GPU403", "fragmentation.gang_against_nodes", "pod", "gpu", profile=True),
    Row("GPU404", "fragmentation.part_does_not_tile", "pod"),
    Row("GPU405", "fragmentation.hard_spread", "pod", "gpu", profile=True),
    Row("GPU406", "fragmentation.unpacked", "pod", "gpu", profile=True),
    Row("GPU407", "fragmentation.mixed_shapes", "set", profile=True),
    Row("GPU408", "fragmentation.never_consolidated", "pod", "gpu"),
    Row("GPU409", "fragmentation.whole_gpu_for_little", "pod", "gpu"),
    Row("GPU410", "queues.queue_of_scheduler", "object", trait=_waits_in_queue),
    Row("GPU411", "gangs.rollout_in_gang", "object", kinds=_kinds("apps/Deployment")),
    Row(
        "GPU412", "queues.cohort_shares_nothing", "set", kinds=_kinds("kueue.x-k8s.io/ClusterQueue")
    ),
    Row("GPU413", "placement.spread_over_others", "pod", "gpu"),
    Row("GPU414", "placement.keeps_off_neighbours", "set"),
    Row("GPU415", "placement.requires_both", "pod"),
    Row("GPU416", "queues.no_flavor_takes_it", "object", "queued"),
    Row(
        "GPU417",
        "queues.volcano_refused",
        "object",
        kinds=_kinds(
            "batch.volcano.sh/Job", "batch.volcano.sh/CronJob", "scheduling.volcano.sh/Queue"
        ),
    ),
    Row(
        "GPU418",
        "gangs.group_too_large",
        "set",
        kinds=_kinds("scheduling.volcano.sh/PodGroup", "scheduling.x-k8s.io/PodGroup"),
    ),
    Row("GPU419", "queues.evicted_while_loading", "object", "queued"),
    Row("GPU420", "gangs.task_group", "pod"),
    Row(
        "GPU421",
        "placement.no_such_instance",
        "object",
        kinds=_kinds(
            "cloud.google.com/ComputeClass", "karpenter.sh/NodePool", "kaito.sh/Workspace"
        ),
    ),
    Row("GPU422", "placement.instance_without_efa", "pod"),
    Row("GPU423", "devices.needs_what_is_off", "object"),
    Row("GPU424", "sharing.mps_root_missing", "pod"),
    Row("GPU425", "devices.image_of_other_maker", "pod", "gpu"),
    Row("GPU426", "sharing.claim_unlike_driver", "object", kinds=_CLAIMS),
    Row("GPU427", "governance.faulty_release", "object"),
    Row(
        "GPU428",
        "serving.transfer_cut_off",
        "set",
        kinds=_kinds("networking.k8s.io/NetworkPolicy"),
    ),
    Row("GPU501", "startup.liveness_kills_loading", "pod"),
    Row("GPU502", "startup.startup_budget_short", "pod", "gpu"),
    Row("GPU503", "startup.no_readiness", "pod", "gpu"),
    Row("GPU504", "startup.readiness_proves_nothing", "pod", "gpu"),
    Row("GPU505", "startup.probe_always_true", "pod", "gpu"),
    Row("GPU506", "startup.probe_port_differs", "pod"),
    Row("GPU507", "startup.probe_timeout_short", "pod", "gpu"),
    Row("GPU508", "startup.liveness_impatient", "pod", "gpu"),
    Row("GPU509", "startup.liveness_asks_readiness", "pod", "gpu"),
    Row("GPU510", "rollout.no_drain", "pod", "gpu"),
    Row("GPU511", "rollout.grace_short", "pod", "gpu"),
    Row("GPU512", "rollout.rollout_needs_spare", "pod", "gpu"),
    Row("GPU513", "rollout.strategy_refused", "object", kinds=_kinds("apps/Deployment")),
    Row("GPU514", "rollout.rollout_ends_all", "pod", "gpu"),
    Row("GPU515", "rollout.progress_deadline_short", "pod", "gpu", kinds=_ROLLOUTS),
    Row(
        "GPU516",
        "disruption.budget_blocks_drain",
        "set",
        kinds=_kinds("policy/PodDisruptionBudget"),
    ),
    Row("GPU517", "disruption.no_budget", "pod", "gpu"),
    Row(
        "GPU518",
        "rollout.rewritten_quantity",
        "object",
        trait=lambda kind: kind.rewriter is not None,
    ),
    Row("GPU519", "placement.chips_of_no_host", "pod", "gpu"),
    Row("GPU520", "placement.slice_not_filled", "pod", "gpu"),
    Row("GPU521", "placement.no_such_slice", "pod", "gpu"),
    Row("GPU522", "startup.servers_in_turn", "pod", "gpu", kinds=_kinds("apps/StatefulSet")),
    Row("GPU523", "disruption.autoscaler_moves", "pod", "finite", profile=True),
    Row(
        "GPU524",
        "serving.revision_timeout",
        "pod",
        "gpu",
        kinds=_ROLLOUTS - _kinds("apps/Deployment"),
    ),
    Row(
        "GPU525",
        "rollout.helm_wait_short",
        "object",
        kinds=_kinds("helm.toolkit.fluxcd.io/HelmRelease"),
    ),
    Row("GPU601", "security.baseline", "pod", policy=True),
    Row("GPU602", "security.restricted", "pod", policy=True),
    Row("GPU603", "security.privileged", "pod", "gpu"),
    Row("GPU604", "security.visible_devices", "pod"),
    Row("GPU605", "security.host_devices", "pod"),
    Row("GPU606", "security.host_namespaces", "pod", "gpu"),
    Row("GPU607", "security.inert_capability", "pod", "gpu"),
    Row("GPU608", "security.host_path_owner", "pod", "gpu"),
    Row("GPU609", "security.no_home", "pod", "gpu"),
    Row("GPU610", "security.read_only_root", "pod", "gpu"),
    Row("GPU611", "security.secret_written", "pod"),
    Row("GPU612", "security.token_mounted", "pod", "gpu", policy=True),
    Row("GPU613", "serving.service_environment", "pod"),
    Row("GPU614", "governance.remote_code", "pod", "gpu"),
    Row("GPU615", "governance.image_contract", "pod", profile=True),
    Row("GPU616", "governance.label_contract", "object", profile=True),
    Row("GPU617", "governance.resource_contract", "pod", profile=True),
    Row("GPU618", "security.prompts_logged", "pod"),
    Row("GPU619", "security.root_image", "pod", "gpu"),
    Row("GPU620", "security.image_needs_root", "pod", "gpu"),
    Row("GPU621", "security.volume_of_root", "pod", "gpu"),
    Row("GPU622", "security.device_group", "pod"),
    Row("GPU623", "security.mount_behind_root", "pod", "gpu"),
    Row("GPU624", "security.permission_missing", "pod"),
    Row("GPU701", "gangs.no_gang", "object", trait=_may_be_ranks),
    Row("GPU702", "gangs.half_gang", "object"),
    Row("GPU703", "gangs.gang_minimum", "object", trait=_several_pods),
    Row("GPU704", "schema.misspelled_key", "object"),
    Row("GPU705", "schema.misplaced_key", "object"),
    Row("GPU706", "schema.key_value", "object"),
    Row("GPU707", "schema.key_alone", "object"),
    Row("GPU708", "schema.old_key", "object"),
    Row("GPU711", "queues.no_such_queue", "object", "queued"),
    Row("GPU712", "queues.queue_does_not_cover", "object", "queued"),
    Row("GPU713", "queues.queue_too_small", "object", "queued"),
    Row("GPU714", "queues.queue_refused", "object", kinds=_QUEUES),
    Row("GPU715", "queues.queue_leads_nowhere", "set", kinds=_QUEUES | _CHECKS),
    Row("GPU716", "queues.queued_without_requests", "object", "queued"),
    Row(
        "GPU717",
        "queues.ray_under_queue",
        "object",
        trait=lambda kind: kind.group == "ray.io" and kind.queueing,
    ),
    Row("GPU718", "queues.suspend_written", "object", "queued"),
    Row("GPU719", "queues.not_managed", "object", "queued"),
    Row("GPU720", "queues.topology_level", "object", "queued"),
    Row("GPU721", "jobs.job_policies", "object", trait=lambda kind: kind.jobs),
    Row("GPU722", "jobs.finite_work_restarts", "pod", "gpu"),
    Row("GPU723", "jobs.server_never_ends", "pod", "gpu", kinds=_ENDING),
    Row("GPU724", "jobs.name_never_changes", "object", kinds=_kinds("batch/Job")),
    Row(
        "GPU725",
        "jobs.hook_never_deleted",
        "object",
        trait=lambda kind: kind.runs_once or kind.name == "Pod",
    ),
    Row("GPU726", "jobs.ttl_runs_again", "object", trait=lambda kind: kind.ttl),
    Row("GPU727", "jobs.nothing_ends_it", "object", kinds=_kinds("batch/CronJob", "batch/Job")),
    Row("GPU728", "disruption.consolidation_evicts", "pod", "finite"),
    Row("GPU729", "jobs.runs_overlap", "object", kinds=_kinds("batch/CronJob")),
    Row("GPU731", "launch.parallel_degree", "pod", "gpu"),
    Row("GPU732", "launch.processes_and_gpus", "pod", "gpu"),
    Row("GPU733", "launch.nodes_and_pods", "pod", "gpu", trait=lambda kind: kind.whole_run),
    Row(
        "GPU734",
        "launch.one_process",
        "pod",
        "gpu",
        trait=_of("kubeflow.org", "trainer.kubeflow.org"),
    ),
    Row("GPU735", "launch.mpi_slots", "object", trait=_of("kubeflow.org")),
    Row("GPU736", "launch.ray_gpus", "pod", trait=_of("ray.io")),
    Row("GPU737", "launch.ray_head_gpus", "pod", trait=_of("ray.io")),
    Row(
        "GPU738", "devices.trainjob_resources", "pod", kinds=_kinds("trainer.kubeflow.org/TrainJob")
    ),
    Row("GPU739", "launch.words_in_one", "pod"),
    Row("GPU740", "launch.entrypoint", "pod"),
    Row("GPU741", "gangs.kubeflow_refused", "object", trait=_kubeflow_job),
    Row("GPU742", "gangs.ray_refused", "object", trait=_of("ray.io")),
    Row(
        "GPU743",
        "gangs.group_refused",
        "object",
        trait=_of("jobset.x-k8s.io", "leaderworkerset.x-k8s.io"),
    ),
    Row("GPU744", "gangs.first_rank_unnamed", "pod"),
    Row("GPU745", "gangs.ranks_in_turn", "pod"),
    Row("GPU746", "launch.too_new_for_gpu", "pod"),
    Row(
        "GPU747",
        "launch.parallelism_field",
        "object",
        kinds=_kinds("serving.kserve.io/LLMInferenceService"),
    ),
    Row("GPU748", "launch.unknown_option", "pod"),
    Row("GPU749", "launch.option_value", "pod"),
    Row("GPU750", "launch.options_contradict", "pod"),
    Row(
        "GPU751",
        "disruption.experiment_preempts",
        "set",
        kinds=_kinds("scheduling.k8s.io/PriorityClass"),
    ),
    Row("GPU753", "jobs.waits_without_end", "object", trait=_several_pods),
    Row("GPU754", "gangs.ranks_as_replicas", "pod", "gpu"),
    Row("GPU755", "gangs.rendezvous_anywhere", "pod", "gpu"),
    Row("GPU756", "launch.no_rendezvous", "pod"),
    Row("GPU757", "launch.ray_entrypoint", "object", kinds=_RAY_JOBS),
    Row("GPU758", "launch.starter_holds_gpus", "pod", "gpu", trait=_of("ray.io", "kubeflow.org")),
    Row(
        "GPU759",
        "jobs.held_after_end",
        "object",
        kinds=_RAY_JOBS | _kinds("kubeflow.org/MPIJob"),
    ),
    Row(
        "GPU760",
        "jobs.limit_never_reached",
        "object",
        trait=lambda kind: kind.life == "finite" and not kind.template,
    ),
    Row(
        "GPU761",
        "gangs.joins_once",
        "pod",
        "gpu",
        kinds=_kinds(
            "batch/Job",
            "batch.volcano.sh/Job",
            "jobset.x-k8s.io/JobSet",
            "leaderworkerset.x-k8s.io/LeaderWorkerSet",
        ),
    ),
    Row("GPU762", "network.host_network_dns", "pod"),
    Row("GPU763", "launch.number_not_set", "pod"),
    Row("GPU764", "gangs.rank_misnamed", "pod"),
    Row("GPU765", "network.ranks_cut_off", "pod", "gpu"),
    Row(
        "GPU766",
        "disruption.reclaim_ends_run",
        "pod",
        "finite",
        trait=lambda kind: kind.jobs and not kind.template,
    ),
    Row("GPU767", "jobs.proxy_never_ends", "pod", "finite"),
    Row("GPU768", "launch.mpi_as_root", "pod"),
    Row("GPU769", "reading.substituted_script", "object"),
    Row("GPU770", "schema.set_twice", "pod"),
    Row("GPU771", "memory.weights_fill_disk", "pod", "gpu"),
    Row("GPU772", "rollout.shell_keeps_signal", "pod", "gpu"),
    Row("GPU773", "launch.variable_unfilled", "pod"),
    Row("GPU774", "startup.folder_read_only", "pod"),
    Row("GPU775", "schema.volume_without_key", "pod"),
    Row("GPU776", "devices.driver_part_missing", "pod"),
    Row("GPU777", "disruption.written_to_container", "pod", "finite"),
    Row("GPU778", "startup.compiled_each_start", "pod", "gpu"),
    Row("GPU779", "memory.default_too_small", "object", kinds=_kinds("LimitRange")),
    Row("GPU780", "jobs.runtime_refuses", "object", kinds=_kinds("trainer.kubeflow.org/TrainJob")),
    Row("GPU781", "network.devices_to_no_container", "pod"),
    Row("GPU782", "network.interface_missing", "pod", "gpu"),
    Row(
        "GPU783",
        "gangs.waits_for_itself",
        "object",
        kinds=_kinds("batch.volcano.sh/Job", "batch.volcano.sh/CronJob"),
    ),
    Row(
        "GPU784",
        "gangs.ready_when_started",
        "object",
        kinds=_kinds(
            "batch.volcano.sh/Job",
            "jobset.x-k8s.io/JobSet",
            "kubeflow.org/MPIJob",
            "leaderworkerset.x-k8s.io/LeaderWorkerSet",
        ),
    ),
    Row(
        "GPU785",
        "jobs.outlives_step",
        "object",
        kinds=_kinds(
            *(
                f"argoproj.io/{kind}"
                for kind in (
                    "ClusterWorkflowTemplate",
                    "CronWorkflow",
                    "Workflow",
                    "WorkflowTemplate",
                )
            )
        ),
    ),
    Row(
        "GPU786",
        "memory.downloader_too_small",
        "pod",
        kinds=_kinds("serving.kserve.io/InferenceService"),
    ),
    Row("GPU787", "placement.affinity_to_nobody", "set"),
    Row("GPU788", "rollout.default_in_list", "object", trait=lambda kind: "." in kind.group),
    Row(
        "GPU789",
        "schema.misplaced_value",
        "object",
        kinds=_RELEASES,
    ),
    Row("GPU790", "devices.brought_twice", "set", kinds=_RELEASES),
    Row(
        "GPU791", "devices.device_beside_main", "pod", "gpu", trait=lambda kind: kind.main_container
    ),
    Row("GPU792", "memory.program_outgrows_limit", "object"),
    Row("GPU793", "launch.segments_not_shared", "pod", "gpu"),
    Row(
        "GPU794",
        "placement.pci_attribute",
        "object",
        kinds=_kinds("nfd.k8s-sigs.io/NodeFeatureRule"),
    ),
    Row(
        "GPU795",
        "placement.profile_schedules_nothing",
        "object",
        kinds=_kinds("infrastructure.opendatahub.io/HardwareProfile"),
    ),
    Row("GPU796", "schema.illegal_image", "pod"),
    Row("GPU797", "startup.probe_scheme", "pod"),
    Row("GPU798", "launch.option_file", "pod"),
    Row("GPU799", "launch.degrees_do_not_divide", "pod"),
    Row("GPU801", "serving.cpu_as_signal", "pod", "gpu"),
    Row("GPU802", "serving.utilisation_as_signal", "pod", "gpu"),
    Row(
        "GPU803",
        "serving.autoscaler_refused",
        "object",
        kinds=_kinds(
            "autoscaling/HorizontalPodAutoscaler", "keda.sh/ScaledObject", "keda.sh/ScaledJob"
        ),
    ),
    Row("GPU804", "serving.replicas_beside_autoscaler", "pod", "gpu"),
    Row(
        "GPU805",
        "serving.scale_target_missing",
        "set",
        kinds=_kinds(
            "autoscaling/HorizontalPodAutoscaler",
            "keda.sh/ScaledObject",
            "autoscaling.aibrix.ai/PodAutoscaler",
            "autoscaling.k8s.io/VerticalPodAutoscaler",
            "autoscaling.x-k8s.io/CapacityBuffer",
        ),
    ),
    Row("GPU806", "serving.service_selects_nothing", "set", kinds=_kinds("Service")),
    Row(
        "GPU807",
        "serving.service_port_missing",
        "set",
        kinds=_kinds(
            "Service",
            "inference.networking.k8s.io/InferencePool",
            "inference.networking.x-k8s.io/InferencePool",
        ),
    ),
    Row(
        "GPU808",
        "serving.never_wakes",
        "object",
        kinds=_kinds("autoscaling/HorizontalPodAutoscaler", "keda.sh/ScaledObject"),
    ),
    Row("GPU809", "serving.metric_nobody_emits", "pod", "gpu"),
    Row("GPU810", "serving.more_replicas_than_room", "pod", "gpu", profile=True),
    Row("GPU811", "serving.capacity_arrives_late", "pod", "gpu", profile=True),
    Row("GPU812", "serving.two_autoscalers", "pod", "gpu"),
    Row(
        "GPU813", "serving.cooldown_without_effect", "object", kinds=_kinds("keda.sh/ScaledObject")
    ),
    Row("GPU814", "serving.listens_inside", "pod"),
    Row("GPU815", "serving.asks_itself", "pod"),
    Row(
        "GPU816",
        "serving.answer_cut_short",
        "set",
        kinds=_kinds(
            "gateway.networking.k8s.io/HTTPRoute",
            "aigateway.envoyproxy.io/AIGatewayRoute",
            "networking.istio.io/VirtualService",
            "projectcontour.io/HTTPProxy",
            "route.openshift.io/Route",
            "networking.k8s.io/Ingress",
        ),
    ),
    Row(
        "GPU817",
        "serving.relabels_nothing",
        "set",
        kinds=_kinds(
            "monitoring.coreos.com/PodMonitor",
            "monitoring.coreos.com/Probe",
            "monitoring.coreos.com/ScrapeConfig",
            "monitoring.coreos.com/ServiceMonitor",
        ),
    ),
    Row("GPU818", "serving.transfer_incomplete", "pod"),
    Row("GPU819", "serving.partners_differ", "set"),
    Row("GPU820", "serving.picker_configuration", "object", kinds=_kinds("ConfigMap")),
    Row(
        "GPU821",
        "serving.model_not_served",
        "set",
        kinds=_kinds(
            "inference.networking.x-k8s.io/InferenceModel",
            "inference.networking.x-k8s.io/InferenceModelRewrite",
        ),
    ),
    Row("GPU822", "serving.file_not_mounted", "pod"),
    Row("GPU823", "memory.cache_does_not_fit", "pod", "gpu"),
    Row("GPU824", "placement.name_of_another_provider", "object", profile=True),
    Row("GPU825", "security.chosen_user", "pod", "gpu", profile=True),
    Row("GPU826", "security.sysctl_not_allowed", "pod"),
    Row(
        "GPU829",
        "startup.model_never_staged",
        "object",
        kinds=_kinds("inference.llmkube.dev/InferenceService"),
    ),
    Row("GPU830", "startup.one_machine_only", "pod"),
    Row(
        "GPU835",
        "schema.value_not_taken",
        "object",
        kinds=_RELEASES,
    ),
    Row("GPU836", "memory.amount_without_unit", "pod"),
    Row("GPU837", "network.port_taken", "pod"),
    Row("GPU838", "startup.mount_hides_program", "pod"),
    Row("GPU839", "startup.file_mode", "pod"),
    Row("GPU840", "placement.provider_refuses", "pod"),
    Row(
        "GPU841",
        "security.downloader_refused",
        "pod",
        kinds=_kinds("serving.kserve.io/InferenceService"),
    ),
    Row("GPU842", "startup.image_needs_login", "pod"),
    Row("GPU843", "placement.stays_on_dead_node", "pod", "gpu"),
    Row("GPU844", "jobs.gone_when_ended", "object", trait=lambda kind: kind.ttl),
    Row("GPU845", "serving.unready_served", "pod", "gpu"),
    Row("GPU846", "serving.filled_in_limit", "pod"),
    Row("GPU847", "placement.bound_too_soon", "set", kinds=_kinds("storage.k8s.io/StorageClass")),
    Row(
        "GPU848",
        "serving.nim_cache_unfit",
        "pod",
        kinds=_kinds("apps.nvidia.com/NIMService", "apps.nvidia.com/NIMPipeline"),
    ),
    Row("GPU849", "devices.image_for_cpu", "pod", "gpu"),
    Row(
        "GPU850",
        "schema.feature_off",
        "pod",
        kinds=_kinds(
            "serving.knative.dev/Service",
            "serving.knative.dev/Configuration",
            "serving.knative.dev/Revision",
            "serving.kserve.io/InferenceService",
        ),
    ),
    Row(
        "GPU851",
        "devices.settings_contradict",
        "object",
        kinds=_RELEASES
        | _kinds(
            "ConfigMap",
            "amd.com/DeviceConfig",
            "apps.nvidia.com/NIMCache",
            "apps.nvidia.com/NIMService",
            "apps/DaemonSet",
            "apps/Deployment",
            "apps/StatefulSet",
            "argoproj.io/ApplicationSet",
            "autoscaling.aibrix.ai/PodAutoscaler",
            "autoscaling.x-k8s.io/ProvisioningRequest",
            "autoscaling/HorizontalPodAutoscaler",
            "batch.volcano.sh/Job",
            "batch/CronJob",
            "batch/Job",
            "compute.coreweave.com/NodePool",
            "deviceplugin.intel.com/GpuDevicePlugin",
            "karpenter.k8s.aws/EC2NodeClass",
            "karpenter.sh/NodePool",
            "jobset.x-k8s.io/JobSet",
            "keda.sh/ScaledJob",
            "kubevirt.io/KubeVirt",
            "kubevirt.io/VirtualMachine",
            "kueue.x-k8s.io/AdmissionCheck",
            "kueue.x-k8s.io/ClusterQueue",
            "kueue.x-k8s.io/ProvisioningRequestConfig",
            "leaderworkerset.x-k8s.io/LeaderWorkerSet",
            "mellanox.com/HostDeviceNetwork",
            "mellanox.com/NicClusterPolicy",
            "mellanox.com/NicNodePolicy",
            "model.aibrix.ai/ModelAdapter",
            "nfd.kubernetes.io/NodeFeatureDiscovery",
            "nfd.openshift.io/NodeFeatureDiscovery",
            "nvidia.com/ClusterPolicy",
            "nvidia.com/DynamoGraphDeployment",
            "nvidia.com/GPUCluster",
            "nvidia.com/NVIDIADriver",
            "nvidia.com/DynamoModel",
            "serving.kserve.io/InferenceGraph",
            "ray.io/RayCluster",
            "ray.io/RayJob",
            "ray.io/RayService",
            "scheduling.run.ai/PodGroup",
            "serving.kserve.io/ClusterStorageContainer",
            "serving.kserve.io/InferenceService",
            "serving.kserve.io/LLMInferenceService",
            "source.toolkit.fluxcd.io/HelmRepository",
            "sparkoperator.k8s.io/SparkApplication",
            "storage.k8s.io/StorageClass",
            "sriovnetwork.openshift.io/SriovNetworkNodePolicy",
            "sriovnetwork.openshift.io/SriovOperatorConfig",
            "trainer.kubeflow.org/ClusterTrainingRuntime",
            "trainer.kubeflow.org/TrainJob",
            "trainer.kubeflow.org/TrainingRuntime",
            "workload.serving.volcano.sh/ModelBooster",
        ),
    ),
    Row("GPU852", "devices.driver_too_old", "pod", "gpu"),
    Row(
        "GPU853",
        "serving.two_handlers",
        "pod",
        kinds=_kinds("serving.kserve.io/LLMInferenceService"),
    ),
    Row(
        "GPU854",
        "serving.read_as_template",
        "object",
        kinds=_kinds(
            "serving.kserve.io/LLMInferenceService", "serving.kserve.io/LLMInferenceServiceConfig"
        ),
    ),
    Row("GPU855", "security.namespace_shuts_out", "object", kinds=_RELEASES),
    Row(
        "GPU856", "network.callers_shut_out", "set", kinds=_kinds("networking.k8s.io/NetworkPolicy")
    ),
    Row(
        "GPU857",
        "disruption.uncounted_budget",
        "set",
        kinds=_kinds("policy/PodDisruptionBudget"),
    ),
    Row("GPU858", "network.service_shut_off", "pod"),
    Row(
        "GPU859",
        "serving.health_check_asks_root",
        "set",
        kinds=_kinds("gateway.networking.k8s.io/HTTPRoute"),
    ),
    Row("GPU860", "startup.group_of_every_file", "pod", "gpu"),
    Row("GPU861", "placement.untainted_gpu_pool", "set", kinds=_kinds("karpenter.sh/NodePool")),
    Row("GPU862", "serving.cache_in_stages", "pod"),
    Row("GPU863", "serving.prefill_behind_one_name", "set"),
    Row("GPU864", "disruption.pool_moves_pods", "set", kinds=_kinds("karpenter.sh/NodePool")),
    Row(
        "GPU865", "queues.grace_taken_out", "object", kinds=_kinds("trainer.kubeflow.org/TrainJob")
    ),
    Row(
        "GPU866",
        "governance.replaces_what_is_missing",
        "object",
        kinds=_kinds(
            "admissionregistration.k8s.io/MutatingAdmissionPolicy",
            "kyverno.io/ClusterPolicy",
            "kyverno.io/Policy",
            "policies.kyverno.io/MutatingPolicy",
        ),
    ),
    Row("GPU867", "disruption.all_on_spot", "pod", "gpu"),
    Row("GPU868", "placement.server_on_every_node", "pod", "gpu", kinds=_kinds("apps/DaemonSet")),
    Row("GPU869", "rollout.written_though_ignored", "pod", "gpu"),
    Row(
        "GPU870", "rollout.definitions_too_large", "object", kinds=_kinds("argoproj.io/Application")
    ),
    Row("GPU871", "launch.ray_parameter_unquoted", "object", trait=_of("ray.io")),
    Row("GPU872", "security.group_without_user", "pod"),
    Row(
        "GPU873",
        "schema.no_pod_field",
        "object",
        kinds=_kinds(
            "argoproj.io/ClusterWorkflowTemplate",
            "argoproj.io/CronWorkflow",
            "argoproj.io/Workflow",
            "argoproj.io/WorkflowTemplate",
        ),
    ),
    Row("GPU874", "serving.node_port_outside", "object", kinds=_kinds("Service")),
    Row(
        "GPU875",
        "reading.image_renamed_already",
        "object",
        kinds=_kinds("kustomize.config.k8s.io/Kustomization"),
    ),
    Row(
        "GPU876",
        "serving.series_misread",
        "set",
        kinds=_kinds("keda.sh/ScaledObject", "monitoring.coreos.com/PrometheusRule"),
    ),
    Row("GPU877", "network.port_not_served", "pod"),
    Row(
        "GPU878",
        "rollout.entry_without_effect",
        "object",
        kinds=_kinds("argoproj.io/Application", "argoproj.io/ApplicationSet"),
    ),
    Row("GPU879", "network.hub_shut_off", "pod"),
    Row("GPU881", "devices.image_not_for_gpu", "pod", "gpu"),
    Row("GPU882", "startup.model_out_of_reach", "pod"),
    Row("GPU883", "startup.model_not_mounted", "pod"),
    Row(
        "GPU884",
        "serving.operator_cannot_read",
        "object",
        kinds=_kinds(
            "kubeai.org/Model",
            "serving.kserve.io/InferenceService",
            "serving.kserve.io/LLMInferenceService",
            "serving.kserve.io/LLMInferenceServiceConfig",
        ),
    ),
    Row("GPU885", "serving.client_address", "pod"),
    Row("GPU890", "launch.ray_demand", "object", kinds=_RAYS),
    Row("GPU891", "launch.serve_config_refused", "object", kinds=_RAYS),
    Row("GPU892", "gangs.ray_releases_differ", "object", kinds=_RAYS),
    Row("GPU893", "jobs.workflow_refused", "object", kinds=_WORKFLOWS),
    Row("GPU894", "jobs.step_ends_at_creation", "object", kinds=_WORKFLOWS),
    Row("GPU897", "network.dns_shut_off", "pod", "gpu"),
    Row(
        "GPU898",
        "serving.series_misspelled",
        "object",
        kinds=_kinds(
            "keda.sh/ScaledJob", "keda.sh/ScaledObject", "monitoring.coreos.com/PrometheusRule"
        ),
    ),
    Row("GPU901", "memory.shm_absent", "pod", "gpu"),
    Row("GPU902", "memory.shm_small", "pod", "gpu"),
    Row("GPU903", "memory.shm_unbounded", "pod", "gpu"),
    Row("GPU904", "memory.shm_over_memory", "pod", "gpu"),
    Row("GPU905", "startup.weights_downloaded", "pod", "gpu"),
    Row("GPU906", "governance.image_moves", "pod", "gpu"),
    Row("GPU907", "memory.memory_small", "pod", "gpu"),
    Row("GPU908", "disruption.no_checkpoint", "pod", "finite"),
    Row("GPU909", "disruption.grace_default", "pod", "gpu"),
    Row("GPU910", "network.fabric_not_requested", "pod", "gpu"),
    Row("GPU911", "network.fabric_turned_off", "pod", "gpu"),
    Row("GPU912", "network.memlock_low", "pod", "gpu", profile=True),
    Row("GPU913", "network.hugepages", "pod", "gpu"),
    Row("GPU914", "network.network_not_attached", "pod", "gpu"),
    Row("GPU915", "governance.revision_contract", "pod", "gpu", profile=True),
    Row("GPU916", "memory.weights_do_not_fit", "pod", "gpu"),
    Row("GPU917", "startup.cache_elsewhere", "pod"),
    Row("GPU918", "memory.volume_too_small", "pod"),
    Row(
        "GPU919",
        "governance.webhook_stops_pods",
        "object",
        kinds=_kinds(
            "admissionregistration.k8s.io/MutatingWebhookConfiguration",
            "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
        ),
    ),
    Row("GPU920", "disruption.resized_by_eviction", "pod", "gpu"),
    Row("GPU921", "startup.readiness_impatient", "pod", "gpu"),
    Row("GPU922", "memory.offload_too_large", "pod", "gpu"),
    Row("GPU923", "reading.doubtful_spec", "text"),
    Row("GPU924", "memory.context_does_not_fit", "pod", "gpu"),
    Row("GPU930", "schema.storage_refused", "object"),
    Row("GPU931", "security.capability_missing", "pod"),
    Row(
        "GPU933",
        "devices.entry_missing",
        "object",
        kinds=_RELEASES | _kinds("nvidia.com/ClusterPolicy"),
    ),
    Row("GPU934", "placement.critical_without_quota", "object", profile=True),
    Row("GPU947", "network.host_unresolved", "object"),
    Row(
        "GPU948",
        "network.policy_port_of_service",
        "set",
        kinds=_kinds("networking.k8s.io/NetworkPolicy"),
    ),
    Row("GPU949", "startup.path_not_mounted", "pod"),
    Row("GPU950", "placement.claim_bound_anywhere", "pod"),
    Row("GPU952", "placement.devices_apart", "pod", "gpu"),
    Row("GPU953", "sharing.admin_access", "object", kinds=_CLAIMS),
    Row(
        "GPU962",
        "queues.flavor_on_no_pool",
        "object",
        kinds=_kinds("kueue.x-k8s.io/ResourceFlavor"),
        profile=True,
    ),
    Row("GPU967", "launch.option_ignored", "pod"),
    Row("GPU968", "devices.platform_beneath", "pod", "gpu"),
    Row(
        "GPU969",
        "launch.rendezvous_variables",
        "pod",
        "gpu",
        kinds=_kinds("apps/StatefulSet", "batch/Job", "jobset.x-k8s.io/JobSet"),
    ),
    Row(
        "GPU976",
        "serving.runtime_cannot_serve",
        "object",
        kinds=_kinds("serving.kserve.io/InferenceService"),
    ),
    Row(
        "GPU977",
        "serving.model_secret_unread",
        "object",
        kinds=_kinds("serving.kserve.io/InferenceService"),
    ),
    Row("GPU978", "serving.triton_model_refused", "object", kinds=_kinds("ConfigMap")),
    Row("GPU979", "serving.triton_model_unfit", "pod"),
    Row("GPU983", "security.identity_missing", "pod"),
    Row("GPU984", "placement.no_node_takes_it", "pod"),
    Row("GPU986", "launch.script_misread", "pod"),
    Row("GPU987", "jobs.exit_status_lost", "pod", "gpu"),
    Row("GPU988", "startup.init_never_ends", "pod"),
    Row("GPU989", "network.proxy_takes_calls", "pod"),
    Row("GPU991", "governance.policy_denies", "object"),
)
POLICIES = frozenset(row.code for row in ROWS if row.policy)
