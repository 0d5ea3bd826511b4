"""JobSet (0.12). Sources: its CRD; `pkg/webhooks/jobset_webhook.go`."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from gpuspec.kinds.batch import QUEUED, last
from gpuspec.kinds.common import listed
from gpuspec.kinds.model import (
    DerivedName,
    ImmutableFields,
    Kind,
    Naming,
    PodChanges,
    PodGroupKind,
    Queueing,
)
from gpuspec.kinds.owned import Rewriter
from gpuspec.kinds.references import claim_spec
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text, whole

JOBS = "replicatedJobs.*.template.spec"
"""The path of the Jobs in a JobSet's spec."""
TEMPLATE = f"{JOBS}.template"
CLAIMS = "volumeClaimPolicies.*.templates.*.spec"
"""The path of the specs of the claims that a JobSet creates."""
_part = listed("replicatedJobs", "name", "pod", "replicas", "template.spec.parallelism")


def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a Job. Those that complete one after the other take work from a list: none
    waits for another."""
    job = mapping(at(value, (*inside[: inside.index("replicatedJobs") + 2], "template", "spec")))
    completions, at_once = job.get("completions"), whole(job.get("parallelism"), 1)
    is_list = isinstance(completions, int) and at_once is not None and completions > at_once
    return replace(_part(value, inside), gang=not is_list)


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    derived_names: list[DerivedName] = []
    for index, item in enumerate(items(mapping(value.get("spec")).get("replicatedJobs"))):
        job = mapping(item)
        job_name = text(job.get("name"))
        derived = f"{name}-{job_name}-{last(job.get('replicas'))}"
        spec, meaning = mapping(at(job, ("template", "spec"))), "the name of a Job"
        # Its webhook fills in `Indexed`.
        if (spec.get("completionMode") or "Indexed") == "Indexed" and isinstance(
            spec.get("completions"), int
        ):
            meaning, derived = "the name of a pod", f"{derived}-{last(spec['completions'])}-abcde"
        part = ("spec", "replicatedJobs", index, "name") if len(job_name) > len(name) else ()
        derived_names.append(DerivedName(meaning, derived, part=part))
    return derived_names


KINDS = (
    Kind(
        "jobset.x-k8s.io",
        "JobSet",
        "workload",
        templates=(f"spec.{TEMPLATE}",),
        # pkg/controllers: jobset_controller.go, volume_claim_policy.go.
        changes=PodChanges(
            volumes_at=("spec.volumeClaimPolicies.*.templates.*",), fields=frozenset({"subdomain"})
        ),
        life="finite",
        part=part,
        runs_once=True,
        queueing=Queueing(),
        rewriter=Rewriter("JobSet"),
        naming=Naming("letter first", made=_made),
        jobs=(f"spec.{JOBS}",),
        whole_run=True,
        ttl=("spec", "ttlSecondsAfterFinished"),
        refers=claim_spec(f"spec.{CLAIMS}"),
        pod_label="jobset.sigs.k8s.io/jobset-name",
        kept=ImmutableFields(
            (
                *("spec.replicatedJobs", "spec.network", "spec.successPolicy"),
                *("spec.failurePolicy", "spec.startupPolicy", "spec.volumeClaimPolicies"),
                "spec.managedBy",
            ),
            suspended=tuple(f"spec.replicatedJobs.*.template.{field}" for field in QUEUED),
            way="give the JobSet a new name, or delete it first",
        ),
        filled=(
            ("spec.network.enableDNSHostnames", True),
            ("spec.network.publishNotReadyAddresses", True),
            ("spec.successPolicy.operator", "All"),
            ("spec.startupPolicy.startupPolicyOrder", "AnyOrder"),
            ("spec.replicatedJobs.*.replicas", 1),
            ("spec.replicatedJobs.*.groupName", "default"),
            (f"spec.{JOBS}.completionMode", "Indexed"),
            (f"spec.{TEMPLATE}.spec.restartPolicy", "OnFailure"),
        ),
    ),
)
