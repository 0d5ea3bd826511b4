"""What `render` has to ask the linter about: rules that what it has made could break.

The plan answers for most of what can be wrong: requests equal limits, tolerations meet taints, names
are legal. With nothing but fields of a spec, only what is written in free words, or is of a size
that nobody reckons, is left to the rules. A test renders whatever comes and holds this to all rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gpuspec.spec import Pool, Profile, Workload

_ARCHITECTURES = ("amd64", "x86", "arm64", "aarch64", "grace")


def rules(workload: Workload, profile: Profile, pools: Iterable[Pool]) -> set[str]:
    """The codes of errors that could be in what became of a spec without overrides, on our templates.

    `pools` are those that its pods may run on.
    """
    nodes = [_most_nodes(pool) for pool in pools]
    return {code for cause, codes in _CAUSES if cause(workload, profile, nodes) for code in codes}


_Nodes = list["int | None"]
"""Of each pool the most nodes that it may have; None where that is not known."""


def _words(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """Command lines and environments."""
    spec = workload.model.spec
    return bool(spec.command or spec.args or spec.env or spec.init_containers or spec.sidecars)


def _images(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """Images that are named with a placeholder, or with what they are built for."""
    spec = workload.model.spec
    images = [spec.image, *(one.image for one in (*spec.init_containers, *spec.sidecars))]
    return any(word in image.lower() for image in images for word in ("$", "{", "<", *_ARCHITECTURES))


def _metadata(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """Labels and annotations, which other programs act on."""
    metadata = workload.model.metadata
    return bool(metadata.labels or metadata.annotations)


def _probes(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """Probes that take the place of those that are known to work."""
    spec = workload.model.spec
    probes = getattr(spec, "probes", None)
    if probes is None:
        return False
    return bool(probes.readiness or probes.startup or probes.liveness or spec.startup.budget)  # type: ignore[union-attr]


def _user(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """A user, or a waiver, that the namespace may not allow."""
    spec = workload.model.spec
    return spec.user.uid is not None or bool(spec.waivers.root)


def _volumes(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """Volumes that may lie over what is mounted otherwise."""
    return bool(workload.model.spec.volumes)


def _queue(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """A queue, which has its own bounds."""
    return getattr(workload.model.spec, "queue", None) is not None


def _contracts(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """What the organisation asks of everybody."""
    contracts = profile.spec.contracts
    return any(getattr(contracts, name) for name in contracts.__struct_fields__)


def _crowd(workload: Workload, profile: Profile, nodes: _Nodes) -> bool:
    """More pods than a pool has nodes, each of which has room for one."""
    spec = workload.model.spec
    replicas = getattr(spec, "replicas", 1)
    most = replicas if isinstance(replicas, int) else replicas.max
    pods = max(most + getattr(spec, "warm", 0), getattr(spec, "workers", 1))
    return any(one is not None and pods > one for one in nodes)


def _most_nodes(pool: Pool) -> int | None:
    return pool.nodes if pool.nodes is None or isinstance(pool.nodes, int) else pool.nodes.max


# By what of a spec or of a profile can bring them about; for all other errors the plan answers.
_CAUSES: tuple[tuple[Callable[[Workload, Profile, _Nodes], bool], tuple[str, ...]], ...] = (
    (_words, ("GPU502", "GPU506", "GPU511", "GPU731", "GPU732", "GPU733")),
    (_images, ("GPU015", "GPU209")),
    (_metadata, ("GPU014", "GPU015", "GPU703", "GPU711", "GPU712", "GPU713")),
    (_probes, ("GPU501", "GPU502", "GPU506", "GPU507")),
    (_user, ("GPU601", "GPU602")),
    (_volumes, ("GPU901",)),
    (_queue, ("GPU711", "GPU712", "GPU713")),
    (_contracts, ("GPU615", "GPU616", "GPU617", "GPU915")),
    (_crowd, ("GPU403", "GPU512", "GPU810")),
)
