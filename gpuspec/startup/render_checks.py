"""The lint rules that `render` must run: those that its output could violate.

The plan ensures most of it: requests equal limits, tolerations match taints, names are legal. Rules
are needed only for free-text fields of a spec, and for numbers that the plan does not use. A
property test renders arbitrary specs, and compares these rules with all rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.spec import InferenceSpec, TrainingFields, is_own_image
from gpuspec.spec.together import pods_together
from gpuspec.spec.weights import published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gpuspec.spec import Pool, Profile, Workload
    from gpuspec.spec.workload import WorkloadModel

    Cause = Callable[["RenderedWorkload"], bool]

_KUEUE = "kueue.x-k8s.io/"


class RenderedWorkload:
    """A rendered workload and its pools."""

    def __init__(self, model: WorkloadModel, profile: Profile, pools: Iterable[Pool]) -> None:
        self.metadata = model.metadata
        self.spec = model.spec
        self.profile = profile
        self.pools = tuple(pools)
        """The pools on which its pods can run."""


def rules(workload: Workload, profile: Profile, pools: Iterable[Pool]) -> set[str]:
    """Return the codes of errors that a rendered spec could contain, apart from overrides and
    templates."""
    rendered_workload = RenderedWorkload(workload.model, profile, pools)
    return {code for cause, codes in CAUSES for code in codes if cause(rendered_workload)}


def _words(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec sets command lines or environments."""
    spec = rendered_workload.spec
    return bool(spec.command or spec.args or spec.env or spec.init_containers or spec.sidecars)


def _other_server(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the image is not known to be the runtime's, so that its arguments may be
    another program's."""
    return isinstance(rendered_workload.spec, InferenceSpec) and is_own_image(
        rendered_workload.spec
    )


def _keys(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec sets annotations, which other programs read, or labels that Kueue
    reads."""
    spec = rendered_workload.spec
    beside = spec.roles if isinstance(spec, TrainingFields) else ()
    if rendered_workload.metadata.annotations or any(
        one.pod_annotations for one in (spec, *beside)
    ):
        return True
    labels = [rendered_workload.metadata.labels, *(one.pod_labels for one in (spec, *beside))]
    return any(key.startswith(_KUEUE) for label in labels for key in label)


def _probes(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec replaces the default probes or disruption budget."""
    spec = rendered_workload.spec
    if not isinstance(spec, InferenceSpec):
        return False
    probes = spec.probes
    return bool(probes.readiness or probes.startup or probes.liveness or spec.startup.budget)


def _root(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec sets a user, capabilities or a hostPath that the namespace may not
    allow."""
    waivers = rendered_workload.spec.waivers
    return rendered_workload.spec.user.uid == 0 or bool(waivers.root or waivers.host_path)


def _queue(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec names a queue, which has limits of its own."""
    return getattr(rendered_workload.spec, "queue", None) is not None


def _contracts(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the profile has contracts of the organisation."""
    contracts = rendered_workload.profile.spec.contracts
    return any(getattr(contracts, name) for name in contracts.__struct_fields__)


def _crowd(rendered_workload: RenderedWorkload) -> bool:
    """Return whether a pool whose nodes hold one pod each has fewer nodes than there are pods."""
    spec = rendered_workload.spec
    pods = pods_together(spec)
    if isinstance(spec, InferenceSpec):
        count = spec.replicas
        pods = spec.warm + pods * (count if isinstance(count, int) else count.max)
    most = (pool.most_nodes for pool in rendered_workload.pools)
    return any(one is not None and pods > one for one in most)


def _downloads(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the model comes from a hub, so that its context may exceed the GPUs' memory."""
    spec = rendered_workload.spec
    if not isinstance(spec, InferenceSpec) or spec.model is None:
        return False
    return published(spec.model, spec) is not None


def _mounts(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec mounts volumes at paths that the program may use itself."""
    spec = rendered_workload.spec
    chosen = (
        spec.model is not None and spec.model.source.mount
        if isinstance(spec, InferenceSpec)
        else None
    )
    return bool(spec.volumes or chosen)


def _cpus(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the spec sets the CPU itself."""
    return rendered_workload.spec.resources.cpu is not None


def _managed(rendered_workload: RenderedWorkload) -> bool:
    """Return whether the cluster's provider rejects some pods."""
    return rendered_workload.profile.spec.autopilot


CAUSES: tuple[tuple[Cause, tuple[str, ...]], ...] = (
    (_words, ("GPU502", "GPU506", "GPU511", "GPU731", "GPU797")),
    (
        _words,
        (
            *(
                "GPU739",
                "GPU740",
                "GPU746",
                "GPU748",
                "GPU749",
                "GPU750",
                "GPU756",
                "GPU798",
                "GPU814",
            ),
            *("GPU774", "GPU818", "GPU837", "GPU838", "GPU839"),
        ),
    ),
    (
        _other_server,
        ("GPU731", "GPU739", "GPU740", "GPU746", "GPU748", "GPU749", "GPU750", "GPU798"),
    ),
    (_downloads, ("GPU924",)),
    (_mounts, ("GPU838",)),
    (_cpus, ("GPU836",)),
    # A model of the table, named where the plan looks for none.
    (_words, ("GPU916", "GPU918", "GPU924")),
    (_keys, ("GPU703", "GPU706", "GPU707")),
    (_probes, ("GPU501", "GPU502", "GPU506", "GPU507")),
    (_root, ("GPU601", "GPU602")),
    (_queue, ("GPU703", "GPU711", "GPU712", "GPU713")),
    (_contracts, ("GPU615", "GPU616", "GPU617", "GPU915")),
    (_managed, ("GPU840",)),
    (_crowd, ("GPU403", "GPU512", "GPU810")),
)
"""The causes in a spec or profile, and the errors that each can lead to; the plan prevents all
others."""
