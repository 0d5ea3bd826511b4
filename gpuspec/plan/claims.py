"""Check whether every pod can mount the spec's claims, and write to them, by their storage
classes."""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan import adapters
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.distribution import most_pods, most_replicas
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec import (
    BatchInferenceSpec,
    FineTuneSpec,
    InferenceSpec,
    TrainingFields,
    volume_name,
)
from gpuspec.spec.disaggregation import prefill_of

SHARED = "ReadWriteMany"
READ_ONLY = "ReadOnlyMany"


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note for each claim that pods on several nodes mount and that one node holds.

    Other pods then stay pending. Only for claims whose class the profile states.
    """
    notes_by_claim: dict[str, Note] = {}
    if resolution.server is not None:
        return []  # it is said of the server, with all of its pods
    for volume, path, claim, read_only in _claims(resolution):
        pods = most_pods(resolution.spec) + sum(
            role.count
            for role in resolution.roles
            if volume in {mount.volume for mount in role.mounts}
        )
        if isinstance(resolution.spec, InferenceSpec) and resolution.side == "decode":
            pods += most_pods(prefill_of(resolution.spec))
        if pods == 1:
            continue
        name, modes = _class_of(resolution, claim)
        if not _is_shared(modes, read_only=read_only):
            access_mode = f"{READ_ONLY} or {SHARED}" if read_only else SHARED
            text = (
                f"claim {claim} has storage class {name} ({', '.join(modes)}), and "
                f"{counted(pods, 'pod')} mount it: pods on other nodes than the first stay "
                f"Pending; it needs {access_mode}"
            )
            notes_by_claim.setdefault(claim, Note(text, Origin("spec", path), loud=True))
    return [*notes_by_claim.values(), *_read_only_volumes(resolution)]


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for results, checkpoints and downloads on a read-only claim."""
    return [
        RefusalReason(
            f"claim {claim} has storage class {name}, which is read-only (ReadOnlyMany), "
            f"but `{_field(path)}` is written",
            resolution.workload.place(path),
            "name a claim of a class with ReadWriteOnce or ReadWriteMany",
        )
        for path, claim, name in _unwritable(resolution)
        if path[1] != "volumes"
    ]


def writers(resolution: Resolution) -> Iterator[tuple[str, Path]]:
    """Yield volumes that other containers than the main one mount to write, by the spec's names,
    with their paths."""
    spec = resolution.spec
    beside = [
        *(
            ("initContainers", index, init_container.mounts)
            for index, init_container in enumerate(spec.init_containers)
        ),
        *(("sidecars", index, sidecar.mounts) for index, sidecar in enumerate(spec.sidecars)),
        *(("roles", index, role.mounts) for index, role in enumerate(resolution.roles)),
    ]
    for field, index, mounts in beside:
        for at, mount in enumerate(mounts):
            if not mount.read_only:
                yield mount.volume, ("spec", field, index, "mounts", at, "volume")


def only_read(resolution: Resolution) -> dict[str, tuple[str, str | None]]:
    """Return volumes with a read-only claim, by the spec's names: the claim and its class."""
    claims: dict[str, tuple[str, str | None]] = {}
    for volume, _, claim, _ in _claims(resolution):
        name, modes = _class_of(resolution, claim)
        if modes == (READ_ONLY,):
            claims[volume] = claim, name
    return claims


def kept(resolution: Resolution, spec: InferenceSpec) -> str | None:
    """Return what pods of an old version hold that new pods need, in words; None if there is
    nothing.

    A claim that one node holds, or a volume of a single server, to which two would write at once.
    """
    for _, path, claim, read_only in _claims(resolution):
        name, modes = _class_of(resolution, claim)
        if not _is_shared(modes, read_only=read_only):
            return f"claim {claim} of storage class {name} ({', '.join(modes)})"
        if path[1] == "volumes" and not read_only and most_replicas(spec) == 1:
            return f"claim {claim}, because both pods would write to it"
    return None


def _read_only_volumes(resolution: Resolution) -> list[Note]:
    """Return a loud note for volumes that are mounted to write and are not writable."""
    read_only = only_read(resolution)
    mounts = [
        (path, claim, name) for path, claim, name in _unwritable(resolution) if path[1] == "volumes"
    ]
    mounts += [
        (path, *read_only[volume]) for volume, path in writers(resolution) if volume in read_only
    ]
    return [
        Note(
            f"claim {claim} has storage class {name}, which is read-only: write readOnly: true",
            Origin("spec", path),
            loud=True,
        )
        for path, claim, name in mounts
    ]


def _unwritable(resolution: Resolution) -> Iterator[tuple[Path, str, str | None]]:
    for _, path, claim, read_only in _claims(resolution):
        name, modes = _class_of(resolution, claim)
        if modes == (READ_ONLY,) and not read_only:
            yield path, claim, name


def _field(path: Path) -> str:
    return ".".join(str(step) for step in path[1:-1])


def _class_of(resolution: Resolution, claim: str) -> tuple[str | None, tuple[str, ...]]:
    """Return a claim's storage class and its access modes; empty if the profile states none."""
    storage = resolution.profile.spec.storage
    name = storage.claims.get(claim)
    return name, storage.classes[name].access_modes if name else ()


def _is_shared(modes: tuple[str, ...], *, read_only: bool) -> bool:
    """Return whether pods on several nodes can mount a claim, or the profile does not exclude
    it."""
    return not modes or SHARED in modes or (read_only and READ_ONLY in modes)


def _claims(resolution: Resolution) -> Iterator[tuple[str, Path, str, bool]]:
    """Yield every claim of the main container: the volume's name, its path in the spec, and whether
    it is mounted read-only."""
    spec = resolution.spec
    if resolution.model is not None:
        path, source = (*resolution.model[0], "source"), resolution.model[1].source
        if source.pvc:
            yield "model", (*path, "pvc"), source.pvc, True
        if source.hub and source.hub.cache:
            yield "model-cache", (*path, "hub", "cache"), source.hub.cache, False
    for field in ("dataset", "input"):
        artifact = getattr(spec, field, None)
        if artifact is not None and artifact.pvc:
            yield field, ("spec", field, "pvc"), artifact.pvc, True
    if isinstance(spec, InferenceSpec):
        for name, path, claim in adapters.claims(spec):
            yield name, path, claim, True
    if isinstance(spec, TrainingFields) and spec.checkpoint:
        yield "checkpoints", ("spec", "checkpoint", "pvc"), spec.checkpoint.pvc, False
    if isinstance(spec, BatchInferenceSpec | FineTuneSpec) and spec.output:
        yield "output", ("spec", "output", "pvc"), spec.output.pvc, False
    if spec.caches is not None and spec.caches.pvc:
        yield "caches", ("spec", "caches", "pvc"), spec.caches.pvc, False
    for index, volume in enumerate(spec.volumes):
        if volume.pvc:
            path = ("spec", "volumes", index, "pvc")
            yield volume_name(volume), path, volume.pvc, volume.read_only
